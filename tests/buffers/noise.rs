//! Numbers for tests.

/// Numbers that look random, the same in every run.
pub(crate) fn noise(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}
