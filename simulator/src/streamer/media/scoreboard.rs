//! The scoreboard of the thread dispatcher: the dependencies between threads.
//!
//! `MEDIA_VFE_STATE` has up to eight distances. A thread at (x, y) depends on the thread with the same colour
//! at (x + dx, y + dy), if that was dispatched earlier and has not ended. A stalling scoreboard holds the
//! thread back until then. With a non-stalling one, the thread starts at once with its dependencies in
//! `tdr0`, and waits for them at `sendc`.
//!
//! Sources: `gen9.xml` of Mesa for the fields; US patent 8933953 for the rule that only dispatched threads
//! that have not ended count; for `tdr0` and `sendc`, `translateVISAWaitInst` in `TranslateSendSync.cpp` and
//! `handleWait` in `FlowGraph.cpp` of Intel's graphics compiler.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::super::shuffle::Random;
use super::loops::{Position, signed};

/// Distances.
pub(in crate::streamer) const ENTRIES: usize = 8;
/// No thread.
const NOBODY: u32 = u32::MAX;

/// The scoreboard fields of `MEDIA_VFE_STATE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::streamer) struct Scoreboard {
    /// A bit for each valid distance.
    pub(super) mask: u8,
    pub(super) stalls: bool,
    pub(super) distances: [(i32, i32); ENTRIES],
}

impl Scoreboard {
    /// Decodes the words of the command. Short commands have no scoreboard.
    pub(in crate::streamer) fn decode(words: &[u32]) -> Self {
        let Some(&[control, first, second]) = words.get(6..9) else { return Self::default() };
        let enabled = control >> 31 == 1;
        let mut distances = [(0, 0); ENTRIES];
        for (entry, distance) in distances.iter_mut().enumerate() {
            let (word, low) = (if entry < 4 { first } else { second }, 8 * (entry as u32 % 4));
            *distance = (signed(word, low, 4), signed(word, low + 4, 4));
        }
        Self { mask: if enabled { control as u8 } else { 0 }, stalls: control >> 30 & 1 == 0, distances }
    }
}

/// Threads that may start.
enum Ready {
    InOrder(BinaryHeap<Reverse<u32>>),
    Random(Vec<u32>, Random),
}

impl Ready {
    fn add(&mut self, thread: u32) {
        match self {
            Self::InOrder(threads) => threads.push(Reverse(thread)),
            Self::Random(threads, _) => threads.push(thread),
        }
    }

    fn take(&mut self) -> Option<u32> {
        match self {
            Self::InOrder(threads) => threads.pop().map(|Reverse(thread)| thread),
            Self::Random(threads, _) if threads.is_empty() => None,
            Self::Random(threads, random) => {
                let chosen = random.below(threads.len() as u64) as usize;
                Some(threads.swap_remove(chosen))
            }
        }
    }
}

/// The threads of a walk; their numbers are the dispatch order.
pub(super) struct Board {
    /// The entries in use.
    entries: Vec<u8>,
    stalls: bool,
    /// For each thread and each entry in use, the earlier thread that it depends on.
    before: Vec<u32>,
    /// The threads that depend on a thread: `behind[first[thread]..first[thread + 1]]`.
    first: Vec<u32>,
    behind: Vec<u32>,
    /// The number of dependencies that hold a thread back.
    missing: Vec<u8>,
    ended: Vec<bool>,
    left: usize,
    ready: Ready,
}

impl Board {
    /// A board of threads with their positions and valid entries. They start in order or in a random order,
    /// as dependencies allow.
    pub(super) fn new(
        scoreboard: &Scoreboard,
        threads: impl ExactSizeIterator<Item = (Position, u8)>,
        random: Option<Random>,
    ) -> Self {
        let count = threads.len();
        let entries: Vec<u8> = (0..ENTRIES as u8).filter(|entry| scoreboard.mask >> entry & 1 == 1).collect();
        let mut before = vec![NOBODY; count * entries.len()];
        let mut missing = vec![0; count];
        let mut first = Vec::new();
        let mut behind = Vec::new();
        if !entries.is_empty() {
            let mut at = HashMap::new();
            let mut dependents = vec![0_u32; count];
            for (number, (position, mask)) in threads.enumerate() {
                for (n, entry) in entries.iter().enumerate() {
                    let (dx, dy) = scoreboard.distances[usize::from(*entry)];
                    let place = (i32::from(position.x) + dx, i32::from(position.y) + dy, position.colour);
                    if mask >> entry & 1 == 1
                        && let Some(other) = at.get(&place)
                    {
                        before[number * entries.len() + n] = *other;
                        dependents[*other as usize] += 1;
                        missing[number] += 1;
                    }
                }
                // If several threads have the same position, the last one counts.
                at.insert((position.x.into(), position.y.into(), position.colour), number as u32);
            }
            (first, behind) = turned_round(&before, entries.len(), &dependents);
        }
        let begin = (0..count as u32).filter(|thread| missing[*thread as usize] == 0);
        let ready = match random {
            Some(random) => Ready::Random(begin.collect(), random),
            None => Ready::InOrder(begin.map(Reverse).collect()),
        };
        let (stalls, ended) = (scoreboard.stalls, vec![false; count]);
        Self { entries, stalls, before, first, behind, missing, ended, left: count, ready }
    }

    /// Returns a thread that starts now.
    pub(super) fn take(&mut self) -> Option<u32> {
        let thread = self.ready.take()?;
        if !self.stalls {
            // Threads that depend on it may start, and wait themselves.
            self.release(thread);
        }
        Some(thread)
    }

    /// A thread has ended.
    pub(super) fn end(&mut self, thread: u32) {
        self.ended[thread as usize] = true;
        self.left -= 1;
        if self.stalls {
            self.release(thread);
        }
    }

    /// The number of threads that have not ended.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Whether threads may depend on others.
    pub(super) fn has_dependencies(&self) -> bool {
        !self.entries.is_empty()
    }

    /// For each entry, the thread that a thread still depends on.
    pub(super) fn dependencies(&self, thread: u32) -> [Option<u32>; ENTRIES] {
        let mut dependencies = [None; ENTRIES];
        let begin = thread as usize * self.entries.len();
        for (entry, other) in self.entries.iter().zip(&self.before[begin..begin + self.entries.len()]) {
            if *other != NOBODY && !self.ended[*other as usize] {
                dependencies[usize::from(*entry)] = Some(*other);
            }
        }
        dependencies
    }

    fn release(&mut self, thread: u32) {
        let Some(&[begin, end]) = self.first.get(thread as usize..thread as usize + 2) else { return };
        for other in &self.behind[begin as usize..end as usize] {
            let missing = &mut self.missing[*other as usize];
            *missing -= 1;
            if *missing == 0 {
                self.ready.add(*other);
            }
        }
    }
}

/// For each thread its dependents, whose numbers are `dependents`: the start of each list, and the lists in
/// one vector.
fn turned_round(before: &[u32], entries: usize, dependents: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut first = Vec::with_capacity(dependents.len() + 1);
    let mut sum = 0;
    first.push(0);
    for count in dependents {
        sum += count;
        first.push(sum);
    }
    let mut next = first.clone();
    let mut behind = vec![0; sum as usize];
    for (at, other) in before.iter().enumerate().filter(|(_, other)| **other != NOBODY) {
        let place = &mut next[*other as usize];
        behind[*place as usize] = (at / entries) as u32;
        *place += 1;
    }
    (first, behind)
}

#[cfg(test)]
mod tests {
    use super::super::patterns::{raster, wavefront26};
    use super::*;

    const WAVEFRONT26: [(i32, i32); 3] = [(-1, 0), (0, -1), (1, -1)];

    fn scoreboard(distances: &[(i32, i32)], stalls: bool) -> Scoreboard {
        let mut all = [(0, 0); ENTRIES];
        all[..distances.len()].copy_from_slice(distances);
        Scoreboard { mask: ((1_u32 << distances.len()) - 1) as u8, stalls, distances: all }
    }

    fn board(scoreboard: &Scoreboard, positions: &[Position], random: Option<Random>) -> Board {
        Board::new(scoreboard, positions.iter().map(|position| (*position, u8::MAX)), random)
    }

    #[test]
    fn a_state_is_decoded() {
        let mut words = [0; 9];
        (words[6], words[7], words[8]) = (1 << 31 | 1 << 30 | 0x87, 0x12_f1f0 | 0x8_0000 << 8, 0x7f00_0000);
        let found = Scoreboard::decode(&words);
        assert_eq!((found.mask, found.stalls), (0x87, false));
        assert_eq!(found.distances[..4], [(0, -1), (1, -1), (2, 1), (-8, 0)]);
        assert_eq!(found.distances[4..], [(0, 0), (0, 0), (0, 0), (-1, 7)]);
        words[6] = 0xff;
        assert_eq!(Scoreboard::decode(&words).mask, 0, "it is off");
        assert_eq!(Scoreboard::decode(&words[..4]), Scoreboard::default());
    }

    #[test]
    fn threads_begin_when_those_before_them_have_ended() {
        let positions = raster(3, 2).positions().expect("a walk");
        let mut board = board(&scoreboard(&WAVEFRONT26, true), &positions, None);
        let take = |board: &mut Board| std::iter::from_fn(|| board.take()).collect::<Vec<_>>();
        assert_eq!(take(&mut board), [0]);
        for (ends, begin) in [(0, &[1][..]), (1, &[2, 3]), (3, &[]), (2, &[4]), (4, &[5]), (5, &[])] {
            board.end(ends);
            assert_eq!(take(&mut board), begin, "after {ends}");
        }
        assert_eq!(board.left(), 0);
    }

    #[test]
    fn without_stalls_they_begin_at_once_and_know_for_whom_to_wait() {
        let positions = raster(3, 2).positions().expect("a walk");
        let mut board = board(&scoreboard(&WAVEFRONT26, false), &positions, None);
        let begun: Vec<_> = std::iter::from_fn(|| board.take()).collect();
        assert_eq!(begun, [0, 1, 2, 3, 4, 5]);
        assert_eq!(board.dependencies(4)[..4], [Some(3), Some(1), Some(2), None]);
        assert_eq!(board.dependencies(3)[..4], [None, Some(0), Some(1), None]);
        board.end(1);
        assert_eq!(board.dependencies(4)[..4], [Some(3), None, Some(2), None]);
    }

    #[test]
    fn only_threads_before_it_of_its_colour_count() {
        let at = |x, colour| Position { x, y: 0, colour };
        let right = scoreboard(&[(1, 0)], true);
        for (positions, expected) in [
            (&[at(0, 0), at(1, 0)][..], None),
            (&[at(1, 0), at(0, 0)], Some(0)),
            (&[at(1, 1), at(0, 0)], None),
            (&[at(1, 0), at(1, 0), at(0, 0)], Some(1)),
        ] {
            let board = board(&right, positions, None);
            assert_eq!(board.dependencies(positions.len() as u32 - 1)[0], expected, "{positions:?}");
        }
        // A thread itself selects its entries.
        let pair = [(at(1, 0), 1), (at(0, 0), 0)];
        assert_eq!(Board::new(&right, pair.into_iter(), None).dependencies(1), [None; ENTRIES]);
    }

    #[test]
    fn random_orders_keep_dependencies() {
        let positions = wavefront26(9, 7).positions().expect("a walk");
        let mut orders = std::collections::BTreeSet::new();
        for seed in 0..20 {
            for stalls in [true, false] {
                let state = scoreboard(&WAVEFRONT26, stalls);
                let mut board = board(&state, &positions, Some(Random::new(seed, 1)));
                let mut order = vec![];
                while let Some(thread) = board.take() {
                    let depends = board.dependencies(thread).into_iter().flatten().count();
                    assert!(!stalls || depends == 0, "{thread} of {seed}");
                    board.end(thread);
                    order.push(thread);
                }
                assert_eq!((order.len(), board.left()), (63, 0));
                orders.insert(order);
            }
        }
        assert!(orders.len() > 15, "{}", orders.len());
    }
}
