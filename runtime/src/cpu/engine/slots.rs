//! Allocates registers in the arena. A register occupies its place from its definition to its last use.

use rustc_hash::FxHashMap;

use super::program::Slot;
use super::uses::{Name, Uses};

/// The places of registers, while the instructions of a function are processed in order.
pub(super) struct Slots {
    /// For each instruction number, the registers whose last use it is.
    ends: FxHashMap<usize, Vec<Name>>,
    known: FxHashMap<Name, Known>,
    owned: Vec<Owned>,
    /// Free registers, by their size in bytes.
    free: FxHashMap<usize, Vec<Slot>>,
    /// The end of the arena so far.
    end: Slot,
    now: usize,
}

/// The place of a name.
#[derive(Clone, Copy)]
struct Known {
    slot: Slot,
    /// The index in `owned` of the place; `None` if the place is never reused.
    owner: Option<usize>,
}

/// A place that becomes free when no name uses it any more.
struct Owned {
    names: usize,
    /// The register, and those that are attached to it.
    registers: Vec<(Slot, usize)>,
}

/// The size of a register is a multiple of this.
const ALIGNMENT: usize = size_of::<u64>();

impl Slots {
    pub(super) fn new(uses: &Uses) -> Self {
        let mut ends: FxHashMap<usize, Vec<Name>> = FxHashMap::default();
        for (name, last) in uses.last() {
            ends.entry(last).or_default().push(name);
        }
        let end = Slot { bytes: 0, registers: 0 };
        Self { ends, known: FxHashMap::default(), owned: vec![], free: FxHashMap::default(), end, now: 0 }
    }

    /// Advances to the next instruction, or to the test or the end of a loop.
    pub(super) fn next(&mut self) {
        self.now += 1;
    }

    /// Allocates a register of this size in bytes.
    pub(super) fn define(&mut self, name: Name, bytes: usize) -> Slot {
        let slot = self.take(bytes);
        let owner = Some(self.owned.len());
        self.owned.push(Owned { names: 1, registers: vec![(slot, bytes)] });
        self.known.insert(name, Known { slot, owner });
        slot
    }

    /// Allocates a register whose place is never reused.
    pub(super) fn keep(&mut self, name: Name, bytes: usize) -> Slot {
        let slot = self.new_slot(bytes.next_multiple_of(ALIGNMENT));
        self.known.insert(name, Known { slot, owner: None });
        slot
    }

    /// Places a register in another one, from a byte of it on.
    pub(super) fn share(&mut self, name: Name, with: Name, byte: usize) {
        let Known { slot, owner } = self.find(with);
        if let Some(owner) = owner {
            self.owned[owner].names += 1;
        }
        self.known.insert(name, Known { slot: slot.at(byte), owner });
    }

    /// Gives the place of a register at its last use to a new one. `None` if another register shares the
    /// place.
    pub(super) fn take_over(&mut self, name: Name, from: Name) -> Option<Slot> {
        let known @ Known { slot, owner: Some(owner) } = self.find(from) else { return None };
        let alone = self.owned[owner].names == 1 && self.owned[owner].registers[0].0 == slot;
        if !alone || !self.ends.get(&self.now).is_some_and(|names| names.contains(&from)) {
            return None;
        }
        self.owned[owner].names += 1;
        self.known.insert(name, known);
        Some(slot)
    }

    /// Allocates a register without a name that exists as long as another one.
    pub(super) fn attach(&mut self, with: Name, bytes: usize) -> Slot {
        match self.find(with).owner {
            Some(owner) => {
                let slot = self.take(bytes);
                self.owned[owner].registers.push((slot, bytes));
                slot
            }
            None => self.new_slot(bytes.next_multiple_of(ALIGNMENT)),
        }
    }

    fn find(&self, name: Name) -> Known {
        match self.known.get(&name) {
            Some(known) => *known,
            None => unreachable!("a verified function defines {name:?} before it is used"),
        }
    }

    /// The place of a register that was defined before.
    pub(super) fn get(&self, name: Name) -> Slot {
        self.find(name).slot
    }

    /// Allocates a register without a name.
    pub(super) fn take(&mut self, bytes: usize) -> Slot {
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        self.free.get_mut(&bytes).and_then(Vec::pop).unwrap_or_else(|| self.new_slot(bytes))
    }

    fn new_slot(&mut self, bytes: usize) -> Slot {
        let slot = self.end;
        self.end = Slot { bytes: slot.bytes + bytes, registers: slot.registers + 1 };
        slot
    }

    /// Frees a register without a name.
    pub(super) fn give(&mut self, slot: Slot, bytes: usize) {
        self.free.entry(bytes.next_multiple_of(ALIGNMENT)).or_default().push(slot);
    }

    /// Frees the registers whose last use is the current instruction.
    pub(super) fn release(&mut self) {
        for name in self.ends.remove(&self.now).unwrap_or_default() {
            let Some(owner) = self.known.remove(&name).and_then(|known| known.owner) else { continue };
            self.owned[owner].names -= 1;
            if self.owned[owner].names == 0 {
                for (slot, bytes) in std::mem::take(&mut self.owned[owner].registers) {
                    self.give(slot, bytes);
                }
            }
        }
    }

    /// The end of the arena.
    pub(super) fn end(&self) -> Slot {
        self.end
    }
}
