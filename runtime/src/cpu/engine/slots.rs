//! Places of registers in the arena: a register has one from its definition to its last use.

use std::collections::HashMap;

use super::program::Slot;
use super::uses::{Name, Uses};

/// Where registers are, while the instructions of a function are gone through in order.
pub(super) struct Slots {
    /// The registers whose last use has a number.
    ends: HashMap<usize, Vec<Name>>,
    known: HashMap<Name, Known>,
    owned: Vec<Owned>,
    /// Registers of so many bytes that are free.
    free: HashMap<usize, Vec<Slot>>,
    /// The end of the arena so far.
    end: Slot,
    now: usize,
}

/// Where a name is.
#[derive(Clone, Copy)]
struct Known {
    slot: Slot,
    /// The place that it is in, a number among `owned`; none if that is never given to another register.
    owner: Option<usize>,
}

/// A place that is free when no name is in it any more.
struct Owned {
    names: usize,
    /// The register, and those that go with it.
    registers: Vec<(Slot, usize)>,
}

/// What the bytes of a register are a multiple of.
const ALIGNMENT: usize = size_of::<u64>();

impl Slots {
    pub(super) fn new(uses: &Uses) -> Self {
        let mut ends: HashMap<usize, Vec<Name>> = HashMap::new();
        for (name, last) in uses.last() {
            ends.entry(last).or_default().push(name);
        }
        let end = Slot { bytes: 0, registers: 0 };
        Self { ends, known: HashMap::new(), owned: vec![], free: HashMap::new(), end, now: 0 }
    }

    /// Comes to the next instruction, or the test or the end of a loop.
    pub(super) fn next(&mut self) {
        self.now += 1;
    }

    /// A register of so many bytes.
    pub(super) fn define(&mut self, name: Name, bytes: usize) -> Slot {
        let slot = self.take(bytes);
        let owner = Some(self.owned.len());
        self.owned.push(Owned { names: 1, registers: vec![(slot, bytes)] });
        self.known.insert(name, Known { slot, owner });
        slot
    }

    /// A register that stays where it is.
    pub(super) fn keep(&mut self, name: Name, bytes: usize) -> Slot {
        let slot = self.new_slot(bytes.next_multiple_of(ALIGNMENT));
        self.known.insert(name, Known { slot, owner: None });
        slot
    }

    /// A register that is in the place of another one, from a byte of it on.
    pub(super) fn share(&mut self, name: Name, with: Name, byte: usize) {
        let Known { slot, owner } = self.find(with);
        if let Some(owner) = owner {
            self.owned[owner].names += 1;
        }
        self.known.insert(name, Known { slot: slot.at(byte), owner });
    }

    /// A register that takes over the place of another one, which is used for the last time; `None` if others are there.
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

    /// A register without a name that is there as long as another one.
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

    /// Where a register is that was defined before.
    pub(super) fn get(&self, name: Name) -> Slot {
        self.find(name).slot
    }

    /// A register without a name.
    pub(super) fn take(&mut self, bytes: usize) -> Slot {
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        self.free.get_mut(&bytes).and_then(Vec::pop).unwrap_or_else(|| self.new_slot(bytes))
    }

    fn new_slot(&mut self, bytes: usize) -> Slot {
        let slot = self.end;
        self.end = Slot { bytes: slot.bytes + bytes, registers: slot.registers + 1 };
        slot
    }

    /// A register without a name is free again.
    pub(super) fn give(&mut self, slot: Slot, bytes: usize) {
        self.free.entry(bytes.next_multiple_of(ALIGNMENT)).or_default().push(slot);
    }

    /// The registers are free that were used for the last time, up to here.
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
