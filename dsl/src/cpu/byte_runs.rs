//! Runs of bytes of one length, in many places: what `concat` and `interleave` put together.
#![allow(unsafe_code)]

/// Runs of equal length.
///
/// # Safety
/// `SIZE` bytes can be read at each of the first `COUNT` places, as long as it is borrowed, and 4 at the
/// first `ROOMY`.
pub(super) unsafe trait ByteRuns {
    /// How many runs there are.
    const COUNT: usize;
    /// Bytes of a run.
    const SIZE: usize;
    /// How many of them, from the first on, where 4 bytes can be read whatever `SIZE` is.
    #[cfg(target_arch = "x86_64")]
    const ROOMY: usize = if Self::SIZE < 4 { 0 } else { Self::COUNT };
    /// Where a run starts.
    fn start(&self, run: usize) -> *const u8;
}
