//! What is proven about the threads of a launch before it starts.

use std::sync::{Arc, Weak};

use cm_compiler::access::Summary;
use cm_compiler::ir::{DependencyPattern, Grid, Waves};
use smallvec::SmallVec;

use crate::parts::{INLINE, Part, Shared, parts, threads_are_apart};
use crate::thread_groups::Threads;

/// The proofs about the threads of a launch: they depend neither on data nor on where arguments are.
#[derive(Debug)]
pub(crate) struct Proven {
    /// The parts of the arguments, or the first parameter on which groups may conflict.
    pub(crate) parts: Result<SmallVec<[Part; INLINE]>, usize>,
    /// Whether threads of a group do not conflict either, as long as they share no memory.
    pub(crate) threads_are_apart: bool,
    /// The waves of a pattern.
    waves: Option<Waves>,
    /// The threads of the largest wave.
    pub(crate) widest: Option<usize>,
}

/// The launches for which the proofs are the same.
#[derive(Debug)]
pub(crate) struct Launches {
    grid: Grid,
    summary: Arc<Summary>,
    pattern: Option<DependencyPattern>,
    /// The waves of a space with masks, which are not kept.
    masked: Option<Weak<Waves>>,
    /// The arguments, with the parameter of each.
    args: SmallVec<[(Option<usize>, Shared); INLINE]>,
}

impl PartialEq for Launches {
    fn eq(&self, other: &Self) -> bool {
        let masked = match (&self.masked, &other.masked) {
            (None, None) => true,
            // Nothing else gets the address as long as one of them exists.
            (Some(one), Some(other)) => one.ptr_eq(other),
            _ => false,
        };
        masked
            && self.grid == other.grid
            && Arc::ptr_eq(&self.summary, &other.summary)
            && self.pattern == other.pattern
            && self.args == other.args
    }
}

impl Launches {
    /// The launches of these threads in these groups, with these arguments.
    pub(crate) fn new(
        (grid, summary): (Grid, &Arc<Summary>),
        threads: Threads<'_>,
        args: impl Iterator<Item = (Option<usize>, Shared)>,
    ) -> Self {
        let (pattern, masked) = (threads.pattern(), threads.masked.map(Arc::downgrade));
        Self { grid, summary: Arc::clone(summary), pattern, masked, args: args.collect() }
    }
}

impl Proven {
    pub(crate) fn new(
        Launches { grid, summary, pattern, args, .. }: &Launches,
        threads: Threads<'_>,
    ) -> Self {
        let [width, height, _] = grid.groups;
        let waves = pattern.filter(|_| threads.masked.is_none());
        let waves = waves.map(|pattern| Waves::new(pattern, [width, height]));
        let of_launch = waves.as_ref().or(threads.masked.map(Arc::as_ref));
        let widest = of_launch.map(Waves::widest);
        let parts = parts(summary, *grid, of_launch, args.iter().copied());
        let threads_are_apart = parts
            .as_ref()
            .is_ok_and(|parts| threads_are_apart(summary, *grid, args.iter().copied().zip(parts)));
        Self { parts, threads_are_apart, waves, widest }
    }

    /// The waves in which the threads run; `None` if no thread waits for another one.
    pub(crate) fn waves<'a>(&'a self, threads: Threads<'a>) -> Option<&'a Waves> {
        threads.masked.map(Arc::as_ref).or(self.waves.as_ref())
    }
}
