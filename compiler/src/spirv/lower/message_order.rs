//! The order of messages that find a buffer in different ways.
//!
//! Messages for 2-D blocks take the address of a buffer, others take its number. Intel's compiler does not know that both mean
//! the same memory, and reorders such messages within a block of instructions. A fence between them keeps their order.

use rustc_hash::FxHashMap;

use crate::ops::{AccessKind, Address};

use crate::spirv::binary::Word;

/// What the messages of one kind did with a buffer.
#[derive(Clone, Copy, Default)]
struct Done {
    read: bool,
    written: bool,
}

/// The accesses since the last fence or the start of a block of instructions.
#[derive(Default)]
pub(crate) struct MessageOrder {
    block: Option<Word>,
    /// For each parameter, by numbers and by addresses.
    done: FxHashMap<usize, [Done; 2]>,
}

impl MessageOrder {
    /// Notes an access to a parameter in this block of instructions. Whether a fence comes before it.
    pub(crate) fn needs_fence(&mut self, block: Word, param: usize, kind: AccessKind) -> bool {
        if self.block != Some(block) {
            *self = Self { block: Some(block), ..Self::default() };
        }
        let (own, effect) = (usize::from(kind.spec().address == Address::Pitched), kind.spec().effect);
        let (reads, writes) = (effect.reads(), effect.writes());
        let other = self.done.get(&param).map_or(Done::default(), |done| done[1 - own]);
        let needed = writes && other.read || (reads || writes) && other.written;
        if needed {
            self.done.clear();
        }
        let done = &mut self.done.entry(param).or_default()[own];
        *done = Done { read: done.read | reads, written: done.written | writes };
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::BlockForm;
    use crate::ops::{LoadHints, StoreHints};

    #[test]
    fn fences_are_between_numbers_and_addresses() {
        let [load, store] = [AccessKind::Load(LoadHints::Default), AccessKind::Store(StoreHints::Default)];
        let load_2d = AccessKind::Load2d(LoadHints::Default, BlockForm::Normal);
        let store_2d = AccessKind::Store2d(StoreHints::Default);
        let fences = |accesses: &[(Word, usize, AccessKind)]| {
            let mut order = MessageOrder::default();
            accesses
                .iter()
                .map(|(block, param, kind)| order.needs_fence(*block, *param, *kind))
                .collect::<Vec<_>>()
        };
        assert_eq!(fences(&[(1, 0, store), (1, 0, store_2d), (1, 0, load_2d)]), [false, true, false]);
        assert_eq!(fences(&[(1, 0, load), (1, 0, load_2d), (1, 0, store)]), [false, false, true]);
        assert_eq!(fences(&[(1, 0, store_2d), (1, 1, load), (1, 0, load)]), [false, false, true]);
        assert_eq!(fences(&[(1, 0, store_2d), (2, 0, load)]), [false, false], "in another block");
    }
}
