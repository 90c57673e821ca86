//! The clock of the GPU.

use std::sync::OnceLock;
use std::time::Instant;

/// The bits of its counter.
pub(crate) const TICK_BITS: u64 = (1 << 36) - 1;

/// Ticks of 12 MHz since the first call, plus one second, because 0 would look like a time that was never
/// written.
pub(crate) fn ticks() -> u64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let nanoseconds = BEGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64;
    12_000_000 + nanoseconds / 1000 * 12 + nanoseconds % 1000 * 12 / 1000
}
