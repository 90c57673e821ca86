//! Groups of threads, and the threads of a launch: thread groups or a thread space.

use std::sync::Arc;

use cm_compiler::ir::{DependencyPattern, Grid, Waves};

use crate::error::{Error, Result};
use crate::limits;
use crate::thread_space::{MaskedThreadSpace, ThreadSpace};

/// The kernel threads of a launch in groups: the numbers of groups and of threads per group along three axes. CM:
/// `CreateThreadGroupSpace`.
///
/// - All numbers are at least 1. A group has at most [`MAX_THREADS`](Self::MAX_THREADS) threads. The CPU supports
///   all of them; GPUs may support fewer (Skylake: 56), which the launch reports as an error. A launch has fewer
///   than 2<sup>32</sup> threads. The limit of thread spaces, 2047 threads per dimension, does not apply.
/// - In a kernel, [`local_id`](../cm/builtins/fn.local_id.html) is the position of a thread in its group,
///   [`group_id`](../cm/builtins/fn.group_id.html) the position of the group, and `thread_origin_x()` the position
///   among all threads.
///
/// ```
/// use cm::prelude::*;
///
/// /// Every thread writes 4 numbers.
/// #[kernel]
/// fn fill(output: &mut Buffer<u32>) {
///     output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(linear_group_id()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 3000 * 4 * 4)?;
/// fill::launch(&Device::cpu()?, ThreadGroups::new([3000, 1, 1], [4, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?[2999 * 16..], [2999; 16]);
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadGroups(Grid);

impl ThreadGroups {
    /// The largest number of threads of a group on any device.
    pub const MAX_THREADS: usize = limits::GROUP_THREADS;

    /// Creates `groups[0] * groups[1] * groups[2]` groups of `threads[0] * threads[1] * threads[2]` threads.
    ///
    /// # Errors
    /// [`Error::ThreadGroups`] if a number is 0 or there are too many threads.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let groups = ThreadGroups::new([100, 60, 1], [8, 4, 1])?;
    /// assert_eq!((groups.groups(), groups.threads()), ([100, 60, 1], [8, 4, 1]));
    /// assert!(ThreadGroups::new([1, 0, 1], [8, 1, 1]).is_err());
    /// assert!(ThreadGroups::new([1, 1, 1], [16, 16, 1]).is_err());
    /// assert!(ThreadGroups::new([1 << 20, 1 << 20, 1], [1, 1, 1]).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(groups: [usize; 3], threads: [usize; 3]) -> Result<Self> {
        let product = |numbers: [usize; 3]| numbers.iter().try_fold(1, |all: usize, &n| all.checked_mul(n));
        let legal = product(threads)
            .filter(|size| (1..=Self::MAX_THREADS).contains(size))
            .and_then(|size| product(groups)?.checked_mul(size))
            .is_some_and(|all| (1..=u32::MAX as usize).contains(&all));
        if legal {
            let [groups, local] = [groups, threads].map(|numbers| numbers.map(|n| n as u32));
            Ok(Self(Grid { groups, local }))
        } else {
            Err(Error::ThreadGroups { groups, threads })
        }
    }

    /// The groups along each axis. [`new`](Self::new) has an example.
    #[must_use]
    pub fn groups(self) -> [usize; 3] {
        self.0.groups.map(|n| n as usize)
    }

    /// The threads of a group along each axis. [`new`](Self::new) has an example.
    #[must_use]
    pub fn threads(self) -> [usize; 3] {
        self.0.local.map(|n| n as usize)
    }
}

/// The threads that a launch runs: a [`ThreadSpace`], a reference to a [`MaskedThreadSpace`], or [`ThreadGroups`].
///
/// ```
/// use cm::LaunchSpace;
/// use cm::prelude::*;
///
/// #[kernel]
/// fn fill(output: &mut Buffer<u32>) {
///     output.write(thread_origin_x() * 16, &Vector::<u32, 4>::splat(7));
/// }
///
/// fn filled(space: impl LaunchSpace) -> cm::Result<Vec<u32>> {
///     let mut output = Buffer::<u32>::new(&Device::cpu()?, 16)?;
///     fill::launch(&Device::cpu()?, space, &mut output)?;
///     output.to_vec()
/// }
///
/// assert_eq!(filled(ThreadSpace::new(4, 1)?)?, filled(ThreadGroups::new([1, 1, 1], [4, 1, 1])?)?);
/// # Ok::<(), cm::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which threads a launch runs",
    label = "neither a thread space nor thread groups",
    note = "a launch takes `ThreadSpace::new(width, height)?` or `ThreadGroups::new(groups, threads)?`"
)]
pub trait LaunchSpace: sealed::Sealed + Copy {
    #[doc(hidden)]
    fn threads<'a>(self) -> Threads<'a>
    where
        Self: 'a;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ThreadSpace {}
    impl Sealed for &super::MaskedThreadSpace {}
    impl Sealed for super::ThreadGroups {}
}

/// The threads of a launch.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Threads<'a> {
    pub(crate) grid: Grid,
    /// Which threads of a thread space wait for which; `None` for groups.
    pub(crate) walked: Option<DependencyPattern>,
    /// The waves of threads that have only some of the dependencies.
    pub(crate) masked: Option<&'a Arc<Waves>>,
}

impl Threads<'_> {
    /// Which threads of a thread space wait for which, if some do.
    pub(crate) fn pattern(&self) -> Option<DependencyPattern> {
        self.walked.filter(|pattern| *pattern != DependencyPattern::NONE)
    }
}

impl LaunchSpace for ThreadSpace {
    fn threads<'a>(self) -> Threads<'a>
    where
        Self: 'a,
    {
        let grid = Grid::single([self.width() as u32, self.height() as u32, 1]);
        Threads { grid, walked: Some(self.dependencies()), masked: None }
    }
}

impl LaunchSpace for &MaskedThreadSpace {
    fn threads<'a>(self) -> Threads<'a>
    where
        Self: 'a,
    {
        Threads { masked: self.waves(), ..self.space().threads() }
    }
}

impl LaunchSpace for ThreadGroups {
    fn threads<'a>(self) -> Threads<'a>
    where
        Self: 'a,
    {
        Threads { grid: self.0, walked: None, masked: None }
    }
}
