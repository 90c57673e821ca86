//! The turns of the threads of a walker on a host thread.

use super::host::Host;
use super::source::lines_of;
use super::statistics::INSTRUCTIONS;
use super::walk::Walk;
use crate::dispatch::{Fault, Stop};
use crate::eu::Thread;
use crate::settings::Settings;

/// The number of instructions that a thread runs before others have a turn.
pub(super) const TURN: u64 = 1 << 20;
/// The maximum number of instructions of a turn in random order.
pub(super) const RANDOM_TURN: u64 = 40;
/// The maximum number of threads that take turns in random order.
pub(super) const RANDOM_THREADS: u32 = 64;

/// The state of a thread after a turn.
pub(super) enum Turn {
    Ended,
    /// It can continue.
    On,
    /// It waits at a barrier.
    Barrier,
    /// It waits until it has no dependencies.
    Dependency,
    Fault(Fault),
    /// The device was closed.
    Stopped,
}

/// Runs a thread for a turn.
pub(super) fn turn(
    thread: &mut Thread,
    walk: &Walk,
    settings: &Settings,
    host: &dyn Host,
    instructions: u64,
) -> Turn {
    let before = thread.instructions();
    let limit = settings.instructions;
    let stop = thread.run(walk, instructions.min(limit.saturating_sub(before)));
    let after = thread.instructions();
    INSTRUCTIONS.add(after - before);
    match stop {
        Stop::Ended => Turn::Ended,
        Stop::Budget if host.stopped() => Turn::Stopped,
        Stop::Budget if after >= limit => {
            Turn::Fault(thread.fault(format!(
                "{after} instructions without an end (CM_SIMULATOR_INSTRUCTIONS is the limit)"
            )))
        }
        Stop::Budget => Turn::On,
        Stop::Barrier => Turn::Barrier,
        Stop::Dependency => Turn::Dependency,
        Stop::Fault(fault) => Turn::Fault(fault),
    }
}

/// The fault with its source line, if that is known.
pub(super) fn located(fault: Fault, walk: &Walk, settings: &Settings) -> Fault {
    let lines = || lines_of(walk.memory.at(walk.kernel)?, settings.debug_info.as_deref()?);
    fault.from(lines().as_ref())
}

/// The fault of a thread at a barrier that does not exist.
pub(super) fn no_barrier(thread: &Thread) -> Fault {
    thread.fault("a barrier in a kernel that was dispatched without one")
}

/// The fault of a thread that waits for something that never happens.
pub(super) fn no_dependency(thread: &Thread) -> Fault {
    thread.fault("it waits until it depends on no other thread, and says itself in tdr0 that it does")
}
