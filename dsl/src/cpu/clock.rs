//! The clock that kernels read.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Nanoseconds since the clock was first read, plus 1. WebAssembly in a browser has no clock; there the calls
/// are counted.
pub(super) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    static CALLS: AtomicU64 = AtomicU64::new(0);
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return CALLS.fetch_add(1, Ordering::Relaxed) + 1;
    }
    let passed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(passed.as_nanos()).map_or(u64::MAX, |passed| passed.saturating_add(1))
}
