//! The shared state of the threads of a group, and the position of each thread.
//!
//! The position of a thread in the function is a stack of blocks, so that the thread can wait and continue there.

use rustc_hash::FxHashMap;

use super::argument::{InterpretArg, InterpretBuffer, Object};
use crate::ir::{
    Block, Function, Inst, Label, Location, Member, NamedBarriers, ParamKind, SharedArray, Value, Variable,
};

/// The location of the memory of a parameter.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// An argument.
    Passed(usize),
    /// An array of the group.
    Shared(usize),
}

/// An array that the threads of a group share. A block that is partly outside is neither read nor written.
#[derive(Debug)]
struct Shared(Vec<u8>);

impl InterpretBuffer for Shared {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        match self.0.get(offset as usize..offset as usize + bytes.len()) {
            Some(found) => bytes.copy_from_slice(found),
            None => bytes.fill(0),
        }
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) {
        if let Some(found) = self.0.get_mut(offset as usize..offset as usize + bytes.len()) {
            found.copy_from_slice(bytes);
        }
    }
}

/// The memory of a group.
pub(super) struct Places<'a, 'b> {
    slots: Vec<Slot>,
    args: &'a mut [InterpretArg<'b>],
    shared: Vec<Shared>,
    /// The named barriers of the group.
    pub(super) named: NamedBarriers<Location>,
}

impl<'a, 'b> Places<'a, 'b> {
    /// No memory.
    pub(super) fn none() -> Self {
        Self { slots: vec![], args: &mut [], shared: vec![], named: NamedBarriers::new(0, 1) }
    }

    /// The memory of a group of this number of threads.
    pub(super) fn new(function: &Function, args: &'a mut [InterpretArg<'b>], threads: usize) -> Self {
        let (mut slots, mut passed) = (vec![], 0..);
        for param in &function.params {
            let shared = slots.iter().filter(|slot| matches!(slot, Slot::Shared(_))).count();
            slots.push(match param.kind {
                ParamKind::Shared { .. } => Slot::Shared(shared),
                _ => Slot::Passed(passed.next().unwrap_or(0)),
            });
        }
        let shared = function.shared().map(|SharedArray { bytes, .. }| Shared(vec![0; bytes])).collect();
        Self { slots, args, shared, named: NamedBarriers::new(function.named_barriers, threads) }
    }

    /// The argument of a parameter.
    pub(super) fn passed(&mut self, param: usize) -> Option<&mut InterpretArg<'b>> {
        match self.slots.get(param)? {
            Slot::Passed(n) => self.args.get_mut(*n),
            Slot::Shared(_) => None,
        }
    }

    /// The buffer of a parameter.
    pub(super) fn buffer(&mut self, param: usize) -> Option<&mut (dyn InterpretBuffer + 'b)> {
        match self.slots.get(param)? {
            Slot::Passed(n) => match self.args.get_mut(*n)? {
                InterpretArg::Buffer(buffer) => Some(&mut **buffer),
                _ => None,
            },
            Slot::Shared(n) => self.shared.get_mut(*n).map(|shared| shared as _),
        }
    }
}

/// The continuation after the last instruction of a block.
#[derive(Clone, Copy)]
pub(super) enum After<'f> {
    /// The instruction after the one that contains the block.
    Goes,
    /// The same, and this label ends as well.
    Labelled(Label),
    /// The first block of a loop: the body, if the condition holds.
    Test(&'f Inst),
    /// The body of a loop: the next iteration.
    Round(&'f Inst),
}

/// A block that contains a thread: the next instructions.
pub(super) struct Frame<'f> {
    pub(super) insts: std::slice::Iter<'f, Inst>,
    pub(super) after: After<'f>,
}

/// The state of one thread.
pub(super) struct State<'f> {
    /// Its number in the group.
    pub(super) number: usize,
    pub(super) origin: [u32; 3],
    pub(super) values: FxHashMap<Value, Object>,
    pub(super) variables: FxHashMap<Variable, Object>,
    pub(super) left: u64,
    pub(super) frames: Vec<Frame<'f>>,
    pub(super) member: Member<Location>,
}

/// The next step.
pub(super) enum Next<'f> {
    /// The next instruction.
    Goes,
    /// A block.
    Enter(&'f Block),
    /// A block with a label.
    EnterLabelled(Label, &'f Block),
    /// The first block of a loop.
    Loop(&'f Inst),
    /// The continuation after the block with this label.
    Leave(Label),
    /// Waiting for the other threads.
    Wait,
}

impl<'f> State<'f> {
    /// The state of a thread with these values and no instructions.
    pub(super) fn with(values: FxHashMap<Value, Object>) -> Self {
        Self {
            number: 0,
            origin: [0; 3],
            values,
            variables: FxHashMap::default(),
            left: 0,
            frames: vec![],
            member: Member::default(),
        }
    }

    pub(super) fn enter(&mut self, block: &'f Block, after: After<'f>) {
        self.frames.push(Frame { insts: block.insts.iter(), after });
    }
}
