//! Faults of the threads of a group.

use cm_compiler::ir::{BarrierFault, Location};
use thiserror::Error;

/// A fault of the threads of a group. The CPU reports it; a GPU hangs or computes another result. The message names the
/// line and the remedy.
///
/// ```
/// use cm::prelude::*;
/// use cm::{Error, GroupFault};
///
/// /// Signals, and does not wait.
/// #[kernel]
/// fn hurried() {
///     signal();
/// }
///
/// let error = hurried::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?).unwrap_err();
/// assert!(matches!(error, Error::Group { fault: GroupFault::Barrier(_), .. }));
/// assert!(error.to_string().contains("without a `wait()`"));
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GroupFault {
    /// The threads do not reach the same barrier, or the halves of barriers do not alternate.
    #[error(transparent)]
    Barrier(Box<BarrierFault<Location>>),
    /// Two threads access the same bytes of shared local memory without a barrier between the accesses.
    #[error(transparent)]
    Race(Box<Race>),
}

/// Two accesses of threads of a group to the same byte of shared local memory, whose order is not defined.
///
/// ```
/// use cm::prelude::*;
/// use cm::{Error, GroupFault};
///
/// /// All threads of a group write the same bytes.
/// #[kernel]
/// fn crowd() {
///     slm::<u32, 4>().write(0, &Vector::<u32, 4>::splat(local_id(0)));
/// }
///
/// let device = Device::cpu()?.with_race_checks(true);
/// let error = crowd::launch(&device, ThreadGroups::new([1, 1, 1], [2, 1, 1])?).unwrap_err();
/// let Error::Group { fault: GroupFault::Race(race), .. } = error else { panic!("{error}") };
/// assert_eq!((race.thread, race.other, race.at.line), (1, 0, race.before.line));
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[error(
    "{at}: thread {thread} of the group {} byte {byte} of shared memory, which thread {other} {} at {before} \
     without a barrier between them, so that their order is not defined: put a `barrier()` between them, or use \
     atomic operations",
    if *writes { "writes" } else { "reads" },
    if *wrote { "wrote" } else { "read" }
)]
pub struct Race {
    /// The line of the access.
    pub at: Location,
    /// The number of the thread in its group.
    pub thread: usize,
    /// Whether it writes.
    pub writes: bool,
    /// The byte, in the memory of the group.
    pub byte: usize,
    /// The line of the other access, which came first.
    pub before: Location,
    /// The other thread.
    pub other: usize,
    /// Whether it wrote.
    pub wrote: bool,
}
