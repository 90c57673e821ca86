//! Races of the threads of a group on their memory.
//!
//! For each byte the shadow records the accesses that a later one can race with. Two accesses of different threads are
//! ordered if one thread signalled after its access and the other thread waited for that signal before its own access,
//! perhaps by way of other threads ([`Clocks`]); a barrier is both.

use std::ops::Range;

use smallvec::SmallVec;

use super::clocks::Clocks;
use super::places::{Place, location};
use crate::error::{GroupFault, Race};

/// How a thread accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct How {
    pub(super) writes: bool,
    /// Whether the access is atomic: atomic accesses have some order.
    pub(super) atomic: bool,
}

/// An access of a thread.
#[derive(Clone, Copy)]
struct Access {
    thread: usize,
    how: How,
    /// The number of the next signal of the thread.
    signal: u32,
    at: Place,
}

impl How {
    /// Whether all that races with the other access races with this one as well.
    const fn includes(self, other: Self) -> bool {
        (self.writes || !other.writes) && (!self.atomic || other.atomic)
    }
}

/// The accesses to a byte that others can race with.
#[derive(Clone, Default)]
struct Byte {
    group: u32,
    accesses: SmallVec<[Access; 2]>,
}

/// The accesses to the memory of a group.
pub(super) struct Shadow {
    bytes: Vec<Byte>,
    /// The number of the group: accesses of others do not count.
    group: u32,
    /// Whether threads can be ordered with some threads and not with others.
    named: bool,
}

impl Shadow {
    /// The shadow of this number of bytes; `named` says whether the group has named barriers.
    pub(super) fn new(bytes: usize, named: bool) -> Self {
        Self { bytes: vec![Byte::default(); bytes], group: 0, named }
    }

    /// Another group begins.
    pub(super) fn clear(&mut self) {
        self.group = self.group.wrapping_add(1);
        if self.group == 0 {
            self.bytes.fill(Byte::default());
        }
    }

    /// Records an access of a thread.
    ///
    /// # Errors
    /// If its order with another access is not defined.
    pub(super) fn touch(
        &mut self,
        bytes: Range<usize>,
        (thread, clocks): (usize, &Clocks),
        how: How,
        at: Place,
    ) -> Result<(), GroupFault> {
        let access = Access { thread, how, signal: clocks.next(thread), at };
        let follows = |before: &Access| clocks.follows(thread, before.thread, before.signal);
        for byte in bytes {
            let Some(shadow) = self.bytes.get_mut(byte) else { continue };
            if shadow.group != self.group {
                *shadow = Byte { group: self.group, accesses: SmallVec::new() };
            }
            let races = |before: &&Access| {
                (before.how.writes || how.writes) && !(before.how.atomic && how.atomic) && !follows(before)
            };
            if let Some(before) = shadow.accesses.iter().find(races) {
                return Err(GroupFault::Race(Box::new(Race {
                    at: location(at),
                    thread,
                    writes: how.writes,
                    byte,
                    before: location(before.at),
                    other: before.thread,
                    wrote: before.how.writes,
                })));
            }
            // What follows this access also follows those that it follows.
            shadow.accesses.retain(|before| !(how.includes(before.how) && follows(before)));
            shadow.accesses.push(access);
            if !self.named {
                shadow.forget(how);
            }
        }
        Ok(())
    }
}

impl Byte {
    /// Keeps two accesses of a kind if all threads signal and wait together: those that signalled less are ordered first, and
    /// the next access is not one of two threads.
    fn forget(&mut self, how: How) {
        let alike = || self.accesses.iter().enumerate().filter(|(_, access)| access.how == how);
        if alike().count() > 2
            && let Some((first, _)) = alike().min_by_key(|(_, access)| access.signal)
        {
            self.accesses.swap_remove(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;

    const READ: How = How { writes: false, atomic: false };
    const WRITE: How = How { writes: true, atomic: false };
    const UPDATE: How = How { writes: true, atomic: true };

    /// The threads of a group.
    struct Group(Shadow, Clocks);

    impl Group {
        fn new() -> Self {
            Self::with(0)
        }

        /// A group with this number of named barriers.
        fn with(barriers: usize) -> Self {
            Self(Shadow::new(16, barriers > 0), Clocks::new(4, barriers))
        }

        fn races(&mut self, thread: usize, bytes: Range<usize>, how: How) -> bool {
            self.0.touch(bytes, (thread, &self.1), how, Location::caller().into()).is_err()
        }

        fn barrier(&mut self) {
            (0..4).for_each(|thread| self.1.signal(thread));
            self.1.meet();
        }

        /// Threads wait at a named barrier for what another one did.
        fn hand_over(&mut self, barrier: u32, from: usize, to: &[usize]) {
            let at = Place::from(Location::caller());
            for consumer in to {
                self.1.signal_named(*consumer, barrier, (true, false), at).unwrap();
            }
            self.1.signal_named(from, barrier, (false, true), at).unwrap();
            to.iter().for_each(|consumer| self.1.pass(*consumer, barrier));
        }
    }

    #[test]
    fn writes_and_other_accesses_race() {
        for (first, second, races) in [
            (READ, READ, false),
            (READ, WRITE, true),
            (WRITE, READ, true),
            (WRITE, WRITE, true),
            (UPDATE, UPDATE, false),
            (UPDATE, READ, true),
            (READ, UPDATE, true),
            (WRITE, UPDATE, true),
        ] {
            let mut group = Group::new();
            assert!(!group.races(0, 0..4, first));
            assert!(!group.races(0, 0..4, second), "a thread does not race with itself");
            let mut group = Group::new();
            assert!(!group.races(0, 0..4, first));
            assert!(!group.races(1, 4..8, second), "other bytes");
            assert_eq!(group.races(1, 3..5, second), races, "{first:?} {second:?}");
            let mut group = Group::new();
            assert!(!group.races(0, 0..4, first));
            group.barrier();
            assert!(!group.races(1, 0..4, second), "after a barrier");
        }
    }

    /// An atomic access does not hide an access of its thread that was not.
    #[test]
    fn atomic_accesses_hide_no_others() {
        const LOAD: How = How { writes: false, atomic: true };
        for first in [READ, WRITE] {
            for own in [UPDATE, LOAD] {
                let mut group = Group::new();
                assert!(!group.races(0, 0..1, first));
                assert!(!group.races(0, 0..1, own));
                assert!(group.races(1, 0..1, UPDATE), "{first:?} {own:?}");
                group.barrier();
                assert!(!group.races(1, 0..1, UPDATE), "{first:?} {own:?}");
            }
        }
    }

    /// The next access must follow all atomic ones, which have no order.
    #[test]
    fn all_updates_count() {
        let mut group = Group::with(2);
        assert!(!group.races(1, 0..1, UPDATE));
        assert!(!group.races(2, 0..1, UPDATE));
        group.hand_over(0, 2, &[0]);
        assert!(group.races(0, 0..1, READ), "this thread has not waited for thread 1");
        group.hand_over(1, 1, &[0]);
        assert!(!group.races(0, 0..1, READ));
    }

    /// A reader counts that signalled less than those before it.
    #[test]
    fn readers_between_the_halves_of_a_barrier_count() {
        let mut group = Group::new();
        assert!(!group.races(2, 0..1, READ));
        (0..4).for_each(|thread| group.1.signal(thread));
        assert!(!group.races(0, 0..1, READ) && !group.races(1, 0..1, READ));
        group.1.meet();
        assert!(group.races(1, 0..1, WRITE), "thread 0 read after its signal");
    }

    /// Another group has accesses of its own.
    #[test]
    fn groups_do_not_race_with_groups_before() {
        let mut group = Group::new();
        group.0.group = u32::MAX - 1;
        for _ in 0..3 {
            group.0.clear();
            assert!(!group.races(0, 0..1, WRITE));
            assert!(group.races(1, 0..1, WRITE));
        }
    }

    /// Any number of threads read, and then any of them writes.
    #[test]
    fn all_readers_count() {
        for readers in [[1, 2, 3], [3, 1, 2], [2, 3, 1]] {
            for writer in 0..4 {
                let mut group = Group::new();
                assert!(!group.races(readers[2], 0..1, READ));
                group.barrier();
                for reader in readers {
                    assert!(!group.races(reader, 0..1, READ));
                }
                assert!(group.races(writer, 0..1, WRITE), "{readers:?} {writer}");
            }
        }
    }

    /// Accesses between the halves of a barrier are not ordered by either half.
    #[test]
    fn halves_of_barriers_order_what_is_outside() {
        let run = |between: bool| {
            let mut group = Group::new();
            if !between {
                assert!(!group.races(0, 0..1, WRITE));
            }
            group.1.signal(0);
            if between {
                assert!(!group.races(0, 0..1, WRITE));
            }
            (1..4).for_each(|thread| group.1.signal(thread));
            group.1.meet();
            group.races(1, 0..1, READ)
        };
        assert!(run(true));
        assert!(!run(false));
    }

    /// A named barrier orders the accesses of those that it lets continue, and of no others.
    #[test]
    fn named_barriers_order_their_threads() {
        let mut group = Group::with(2);
        assert!(!group.races(0, 0..1, WRITE));
        group.hand_over(0, 0, &[1, 2]);
        assert!(!group.races(1, 0..1, READ) && !group.races(2, 0..1, READ));
        assert!(group.races(3, 0..1, READ), "this thread has not waited");
        // Both readers must be done before the next write.
        group.hand_over(1, 1, &[0]);
        assert!(group.races(0, 0..1, WRITE));
        group.barrier();
        assert!(!group.races(0, 0..1, WRITE));
    }

    /// Each of three readers counts, also if the writer waited for the others.
    #[test]
    fn all_readers_count_for_writers_that_wait_for_some() {
        for missing in 1..4 {
            let mut group = Group::with(8);
            (1..4).for_each(|reader| assert!(!group.races(reader, 0..1, READ)));
            for reader in (1..4).filter(|reader| *reader != missing) {
                group.hand_over(reader as u32, reader, &[0]);
            }
            assert!(group.races(0, 0..1, WRITE), "{missing}");
            group.hand_over(missing as u32, missing, &[0]);
            assert!(!group.races(0, 0..1, WRITE), "{missing}");
        }
    }
}
