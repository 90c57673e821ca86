//! Places of registers in the arena: a register has one from its definition to its last use.

use std::collections::HashMap;

use cm_compiler::ir::{Block, Function, Op, Value, Variable};

use super::program::Slot;

/// A register by its name in the IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    Value(Value),
    Variable(Variable),
}

/// Where instructions are counted: one after the other, as the text has them. The test and the end of a loop have
/// numbers of their own.
#[derive(Default)]
struct Uses {
    now: usize,
    /// The loops around, outermost first: indices of `ends`.
    loops: Vec<usize>,
    /// The last number of each loop.
    ends: Vec<usize>,
    /// How many loops are around a definition.
    depths: HashMap<Name, usize>,
    /// The last use so far: a number, or the end of a loop.
    last: HashMap<Name, Last>,
}

#[derive(Clone, Copy)]
enum Last {
    Here(usize),
    EndOf(usize),
}

impl Uses {
    fn define(&mut self, name: Name) {
        self.depths.insert(name, self.loops.len());
        self.last.insert(name, Last::Here(self.now));
    }

    fn take(&mut self, name: Name) {
        let depth = self.depths.get(&name).copied().unwrap_or(0);
        // What is defined before a loop and used in it is used in the next round as well.
        let last = self.loops.get(depth).map_or(Last::Here(self.now), |&around| Last::EndOf(around));
        self.last.insert(name, last);
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            self.now += 1;
            if let Op::Loop(first, condition, body) = &inst.op {
                let number = self.ends.len();
                self.ends.push(0);
                self.loops.push(number);
                self.block(first);
                self.now += 1;
                self.take(Name::Value(*condition));
                self.block(body);
                self.loops.pop();
                self.now += 1;
                self.ends[number] = self.now;
                continue;
            }
            inst.op.operands().into_iter().for_each(|value| self.take(Name::Value(value)));
            match inst.op {
                Op::Declare(variable, _) => self.define(Name::Variable(variable)),
                Op::Load(variable) | Op::Store(variable, _) => self.take(Name::Variable(variable)),
                _ => {}
            }
            if let Some(result) = inst.result {
                self.define(Name::Value(result));
            }
            inst.op.blocks().for_each(|block| self.block(block));
        }
    }
}

/// Where registers are, while the instructions of a function are gone through in order.
pub(super) struct Slots {
    /// The registers whose last use has a number.
    ends: HashMap<usize, Vec<Name>>,
    known: HashMap<Name, (Slot, usize)>,
    /// Registers of so many bytes that are free.
    free: HashMap<usize, Vec<Slot>>,
    /// Bytes of the arena so far.
    end: usize,
    now: usize,
}

/// What the bytes of a register are a multiple of.
const ALIGNMENT: usize = 16;

impl Slots {
    pub(super) fn new(function: &Function) -> Self {
        let mut uses = Uses::default();
        uses.block(&function.body);
        let mut ends: HashMap<usize, Vec<Name>> = HashMap::new();
        for (&name, last) in &uses.last {
            let last = match *last {
                Last::Here(number) => number,
                Last::EndOf(around) => uses.ends[around],
            };
            ends.entry(last).or_default().push(name);
        }
        Self { ends, known: HashMap::new(), free: HashMap::new(), end: 0, now: 0 }
    }

    /// Comes to the next instruction, or the test or the end of a loop.
    pub(super) fn next(&mut self) {
        self.now += 1;
    }

    /// A register of so many bytes.
    pub(super) fn define(&mut self, name: Name, bytes: usize) -> Slot {
        let slot = self.take(bytes);
        self.known.insert(name, (slot, bytes));
        slot
    }

    /// A register that stays where it is.
    pub(super) fn keep(&mut self, name: Name, bytes: usize) -> Slot {
        let slot = Slot(self.end);
        self.end += bytes.next_multiple_of(ALIGNMENT);
        // Without bytes: it is not given to another register.
        self.known.insert(name, (slot, 0));
        slot
    }

    /// Where a register is that was defined before.
    pub(super) fn get(&self, name: Name) -> Slot {
        match self.known.get(&name) {
            Some((slot, _)) => *slot,
            None => unreachable!("a verified function defines {name:?} before it is used"),
        }
    }

    /// A register without a name.
    pub(super) fn take(&mut self, bytes: usize) -> Slot {
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        self.free.get_mut(&bytes).and_then(Vec::pop).unwrap_or_else(|| {
            let slot = Slot(self.end);
            self.end += bytes;
            slot
        })
    }

    /// A register without a name is free again.
    pub(super) fn give(&mut self, slot: Slot, bytes: usize) {
        self.free.entry(bytes.next_multiple_of(ALIGNMENT)).or_default().push(slot);
    }

    /// The registers are free that were used for the last time, up to here.
    pub(super) fn release(&mut self) {
        for name in self.ends.remove(&self.now).unwrap_or_default() {
            if let Some((slot, bytes)) = self.known.remove(&name)
                && bytes > 0
            {
                self.give(slot, bytes);
            }
        }
    }

    /// Bytes of the arena.
    pub(super) fn bytes(&self) -> usize {
        self.end
    }
}
