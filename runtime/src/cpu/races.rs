//! Races of the threads of a group on their memory.
//!
//! For each byte the shadow records the last write and the reads since then. Two accesses of different threads are
//! ordered if one thread signalled after its access and the other thread waited for that signal before its own access;
//! a barrier is both.

use std::ops::Range;

use cm_compiler::ir::Member;

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
    atomic: bool,
    /// The number of signals of the thread so far.
    signals: u32,
    at: Place,
}

/// The accesses to a byte.
#[derive(Clone, Copy, Default)]
struct Byte {
    written: Option<Access>,
    /// Two readers: the next writer is not one of them.
    read: [Option<Access>; 2],
}

/// The accesses to the memory of a group.
pub(super) struct Shadow(Vec<Byte>);

impl Shadow {
    /// The shadow of this number of bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self(vec![Byte::default(); bytes])
    }

    /// Another group begins.
    pub(super) fn clear(&mut self) {
        self.0.fill(Byte::default());
    }

    /// Records an access of a thread at its current barrier state.
    ///
    /// # Errors
    /// If its order with another access is not defined.
    pub(super) fn touch(
        &mut self,
        bytes: Range<usize>,
        (thread, member): (usize, &Member<Place>),
        How { writes, atomic }: How,
        at: Place,
    ) -> Result<(), GroupFault> {
        let unordered = |before: &Access| {
            before.thread != thread && !(before.atomic && atomic) && member.passed() <= before.signals
        };
        for byte in bytes {
            let Some(Byte { written, read }) = self.0.get_mut(byte) else { continue };
            let race = |before: &Access, wrote: bool| Race {
                at: location(at),
                thread,
                writes,
                byte,
                before: location(before.at),
                other: before.thread,
                wrote,
            };
            if let Some(before) = written.as_ref().filter(|before| unordered(before)) {
                return Err(GroupFault::Race(Box::new(race(before, true))));
            }
            let readers = read.iter().flatten();
            if let Some(before) = readers.clone().find(|before| writes && unordered(before)) {
                return Err(GroupFault::Race(Box::new(race(before, false))));
            }
            let access = Access { thread, atomic, signals: member.signals(), at };
            if writes {
                *written = Some(access);
                *read = [None; 2];
                continue;
            }
            // Of three readers, the one with the fewest signals is dropped: its reads are ordered first.
            let own = |slot: &Option<Access>| slot.as_ref().is_some_and(|reader| reader.thread == thread);
            let slot = read.iter().position(own).unwrap_or_else(|| {
                let [first, second] =
                    read.map(|reader| reader.map_or(-1, |reader| i64::from(reader.signals)));
                usize::from(second <= first)
            });
            read[slot] = Some(access);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use cm_compiler::ir::meet;
    use cm_compiler::ops::SyncKind;

    use super::*;

    const READ: How = How { writes: false, atomic: false };
    const WRITE: How = How { writes: true, atomic: false };
    const UPDATE: How = How { writes: true, atomic: true };

    /// The threads of a group, and whether they raced.
    struct Group(Shadow, Vec<Member<Place>>);

    impl Group {
        fn new() -> Self {
            Self(Shadow::new(16), vec![Member::default(); 4])
        }

        fn races(&mut self, thread: usize, bytes: Range<usize>, how: How) -> bool {
            self.0.touch(bytes, (thread, &self.1[thread]), how, Location::caller().into()).is_err()
        }

        fn come(&mut self, thread: usize, kind: SyncKind) {
            self.1[thread].come(kind, Location::caller().into()).unwrap();
        }

        fn barrier(&mut self) {
            let at = Place::from(Location::caller());
            self.1.iter_mut().for_each(|member| _ = member.come(SyncKind::Barrier, at).unwrap());
            assert!(meet(&mut self.1).unwrap());
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
            group.come(0, SyncKind::Signal);
            if between {
                assert!(!group.races(0, 0..1, WRITE));
            }
            (1..4).for_each(|thread| group.come(thread, SyncKind::Signal));
            (0..4).for_each(|thread| group.come(thread, SyncKind::Wait));
            assert!(meet(&mut group.1).unwrap());
            group.races(1, 0..1, READ)
        };
        assert!(run(true));
        assert!(!run(false));
    }
}
