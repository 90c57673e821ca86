//! The threads of a group: what they share, and their turns.
//!
//! A thread runs until it waits or ends, and then the next one does. Its place in the function is a stack of
//! blocks, so that it can go on there.

use std::collections::HashMap;

use super::{At, InterpretArg, InterpretBuffer, InterpretError, Object, Result, Thread};
use crate::ir::{
    BarrierFault, Block, Function, Grid, Inst, Label, Location, Member, Op, ParamKind, SharedArray, Value,
    Variable, meet,
};
use crate::ops::SyncKind;

/// Where the memory of a parameter is.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// An argument.
    Passed(usize),
    /// An array of the group.
    Shared(usize),
}

/// An array that the threads of a group share. What is not inside is not read or written at all.
#[derive(Debug)]
struct Shared(Vec<u8>);

impl InterpretBuffer for Shared {
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
}

impl<'a, 'b> Places<'a, 'b> {
    /// No memory.
    pub(super) fn none() -> Self {
        Self { slots: vec![], args: &mut [], shared: vec![] }
    }

    fn new(function: &Function, args: &'a mut [InterpretArg<'b>]) -> Self {
        let (mut slots, mut passed) = (vec![], 0..);
        for param in &function.params {
            let shared = slots.iter().filter(|slot| matches!(slot, Slot::Shared(_))).count();
            slots.push(match param.kind {
                ParamKind::Shared { .. } => Slot::Shared(shared),
                _ => Slot::Passed(passed.next().unwrap_or(0)),
            });
        }
        let shared = function.shared().map(|SharedArray { bytes, .. }| Shared(vec![0; bytes])).collect();
        Self { slots, args, shared }
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

/// What follows the last instruction of a block.
#[derive(Clone, Copy)]
enum After<'f> {
    /// The instruction behind the one that the block is of.
    Goes,
    /// The same; this label is left as well.
    Labelled(Label),
    /// The first block of a loop: the body, if the condition holds.
    Test(&'f Inst),
    /// The body of a loop: the next round.
    Round(&'f Inst),
}

/// A block that a thread is in: the instructions that follow.
struct Frame<'f> {
    insts: std::slice::Iter<'f, Inst>,
    after: After<'f>,
}

/// What a thread has of its own.
pub(super) struct State<'f> {
    pub(super) origin: [u32; 3],
    pub(super) values: HashMap<Value, Object>,
    pub(super) variables: HashMap<Variable, Object>,
    pub(super) left: u64,
    frames: Vec<Frame<'f>>,
    member: Member<Location>,
}

/// What comes next.
pub(super) enum Next<'f> {
    /// The next instruction.
    Goes,
    /// A block.
    Enter(&'f Block),
    /// A block with a label.
    EnterLabelled(Label, &'f Block),
    /// The first block of a loop.
    Loop(&'f Inst),
    /// What follows the block with this label.
    Leave(Label),
    /// The other threads.
    Wait,
}

impl<'f> State<'f> {
    /// Of a thread that has these values and nothing to do.
    pub(super) fn with(values: HashMap<Value, Object>) -> Self {
        Self {
            origin: [0; 3],
            values,
            variables: HashMap::new(),
            left: 0,
            frames: vec![],
            member: Member::default(),
        }
    }

    fn enter(&mut self, block: &'f Block, after: After<'f>) {
        self.frames.push(Frame { insts: block.insts.iter(), after });
    }
}

impl<'f> Thread<'_, '_, '_, 'f> {
    /// Runs until the thread waits or ends.
    fn turn(&mut self) -> Result<()> {
        while let Some(frame) = self.state.frames.last_mut() {
            let (inst, after) = (frame.insts.next(), frame.after);
            let next = match inst {
                Some(inst) => self.inst(inst)?,
                None => {
                    self.state.frames.pop();
                    self.after(after)?
                }
            };
            match next {
                Next::Goes => {}
                Next::Enter(block) => self.state.enter(block, After::Goes),
                Next::EnterLabelled(label, block) => self.state.enter(block, After::Labelled(label)),
                Next::Loop(inst) => self.round(inst)?,
                Next::Leave(label) => self.leave(label),
                Next::Wait => return Ok(()),
            }
        }
        Ok(self.state.member.end()?)
    }

    /// What follows a block.
    fn after(&mut self, after: After<'f>) -> Result<Next<'f>> {
        Ok(match after {
            After::Goes | After::Labelled(_) => Next::Goes,
            After::Round(inst) => Next::Loop(inst),
            After::Test(inst) => {
                if let Op::Loop(_, condition, body) = &inst.op
                    && self.condition(*condition, At(&inst.location))?
                {
                    self.state.enter(body, After::Round(inst));
                }
                Next::Goes
            }
        })
    }

    /// Begins a round of a loop.
    fn round(&mut self, inst: &'f Inst) -> Result<()> {
        // For each round as well: a loop may have no instructions.
        self.spend(&inst.location)?;
        if let Op::Loop(first, ..) = &inst.op {
            self.state.enter(first, After::Test(inst));
        }
        Ok(())
    }

    fn leave(&mut self, label: Label) {
        while let Some(frame) = self.state.frames.pop() {
            if matches!(frame.after, After::Labelled(labelled) if labelled == label) {
                return;
            }
        }
    }

    /// Comes to a barrier, or half of one.
    pub(super) fn sync(&mut self, kind: SyncKind, at: &Location) -> Result<Next<'f>> {
        let waits = self.state.member.come(kind, at.clone())?;
        Ok(if waits { Next::Wait } else { Next::Goes })
    }
}

/// Runs all threads of a group.
pub(super) fn run(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    (grid, group): (Grid, usize),
    budget: u64,
    print: &mut dyn FnMut(String),
) -> Result<()> {
    let mut places = Places::new(function, args);
    let mut states: Vec<State<'_>> = (0..grid.group_size())
        .map(|thread| {
            let (values, variables) = (HashMap::new(), HashMap::new());
            let origin = grid.origin(group, thread);
            let mut state =
                State { origin, values, variables, left: budget, frames: vec![], member: Member::default() };
            state.enter(&function.body, After::Goes);
            state
        })
        .collect();
    loop {
        for state in states.iter_mut().filter(|state| !state.member.has_ended()) {
            Thread { places: &mut places, grid, state, budget, print }.turn()?;
        }
        let mut members: Vec<Member<Location>> = states.iter().map(|state| state.member.clone()).collect();
        if !meet(&mut members)? {
            return Ok(());
        }
        for (state, member) in states.iter_mut().zip(members) {
            state.member = member;
        }
    }
}

impl From<BarrierFault<Location>> for InterpretError {
    fn from(fault: BarrierFault<Location>) -> Self {
        Self::Barrier(Box::new(fault))
    }
}
