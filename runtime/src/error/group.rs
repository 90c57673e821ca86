//! What the threads of a group do that they must not do.

use cm_compiler::ir::{BarrierFault, Location};
use thiserror::Error;

/// What the threads of a group did that they must not do: the CPU reports it, a GPU hangs or computes something
/// else. Its message names the line and the remedy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GroupFault {
    /// They do not come to the same barrier, or the halves of barriers do not alternate.
    #[error(transparent)]
    Barrier(Box<BarrierFault<Location>>),
}
