//! The threads of a launch, with what is proven about them.

use std::sync::Arc;

use cm_compiler::access::{Merge, Summary};
use cm_compiler::ir::{Grid, Waves};
use smallvec::SmallVec;

use super::argument::{Argument, Piece, pieces};
use super::copies;
use super::isa::Isa;
use crate::event::OneByOne;
use crate::parts::{INLINE, Part};
use crate::proven::Proven;
use crate::recording::Recording;
use crate::thread_groups::Threads;

/// The threads of a launch, and the memory that each group of them may access while others run.
pub(super) struct Proof<'a> {
    recording: &'static Recording,
    threads: Threads<'a>,
    pub(super) grid: Grid,
    summary: Arc<Summary>,
    pieces: SmallVec<[Piece; INLINE]>,
    /// The parts are those of the pieces.
    proven: Arc<Proven>,
}

/// The threads that may run at the same time in one OS thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// One.
    None,
    /// Any, in the engine of recordings.
    Recorded,
    /// Any there, and with AVX-512 two neighbours in native code: loops change registers of both threads, for which AVX2 has
    /// too few vector registers.
    WidePairs,
    /// Any there, and two neighbours in native code.
    Pairs,
}

impl Beside {
    /// Whether native code for an instruction set runs two neighbours.
    pub(super) fn has_pairs(self, isa: Isa) -> bool {
        match self {
            Self::None | Self::Recorded => false,
            Self::WidePairs => isa.is_avx512(),
            Self::Pairs => true,
        }
    }
}

impl<'a> Proof<'a> {
    pub(super) fn new(recording: &'static Recording, threads: Threads<'a>, args: &[Argument<'_>]) -> Self {
        let uniform = |n: usize| match args.get(n) {
            Some(Argument::Uniform(bytes)) => Some(*bytes),
            _ => None,
        };
        let (grid, summary) = recording.within(threads, uniform);
        // Printed lines are stored by launch, and copies would need several launches.
        let copied = if recording.prints() { 0 } else { copies::largest(grid) };
        let pieces = pieces(recording.function(), args, copied);
        let shared = pieces.iter().map(|piece| (piece.param, piece.shared));
        let proven = recording.proven((grid, &summary), threads, shared);
        Self { recording, threads, grid, summary, pieces, proven }
    }

    /// The waves in which the threads run, if they wait for each other.
    pub(super) fn waves(&self) -> Option<&Waves> {
        self.proven.waves(self.threads)
    }

    /// The threads of the largest wave.
    pub(super) fn widest_wave(&self) -> Option<usize> {
        self.proven.widest
    }

    /// Whether no two groups conflict, so that their order does not affect the result.
    pub(super) fn holds(&self) -> bool {
        self.proven.parts.is_ok()
    }

    /// Why groups run one after the other.
    pub(super) fn obstacle(&self) -> Option<OneByOne> {
        let param = *self.proven.parts.as_ref().err()?;
        let (location, obstacle) = self.summary.obstacle(param)?;
        Some(OneByOne::new(self.recording.parameter(param), location, obstacle))
    }

    /// The operations of a thread.
    pub(super) fn work(&self) -> u64 {
        self.summary.work()
    }

    /// Threads that run together alternate at every operation, and look up their blocks together. They may be threads of one
    /// group.
    pub(super) fn beside(&self) -> Beside {
        let pairs = self.grid.group_size() == 1
            && self.summary.rows_stay_together()
            && self.summary.reads_known_columns();
        match self.proven.threads_are_apart && !self.recording.has_teams(self.threads) {
            true if pairs && self.summary.has_staged_control_flow() => Beside::WidePairs,
            true if pairs => Beside::Pairs,
            true => Beside::Recorded,
            false => Beside::None,
        }
    }

    /// Limits each group to its part of the arguments, for several workers. Returns the arguments that each worker has a
    /// copy of.
    pub(super) fn divide(&self, args: &mut [Argument<'_>]) -> SmallVec<[(usize, Merge); 1]> {
        let mut merges = SmallVec::new();
        for (piece, part) in self.pieces.iter().zip(self.proven.parts.iter().flatten()) {
            match *part {
                Part::Copy(merge) => merges.push((piece.argument, merge)),
                part => args[piece.argument].divide(piece.place, part),
            }
        }
        merges
    }
}
