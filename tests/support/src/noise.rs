//! Pseudo-random numbers and bytes, the same in every run.

/// Pseudo-random numbers, one after the other (xorshift).
pub fn stream(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}

/// The number at a position: 25 bits that differ from those of the neighbours.
pub fn number(n: usize) -> u32 {
    (n as u32).wrapping_mul(2_654_435_761) >> 7
}

/// The byte at a position.
pub fn byte(n: usize) -> u8 {
    (number(n) >> 6) as u8
}

/// Bytes; those of other seeds are from distant positions.
pub fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|n| byte(n + seed * 1_000_003)).collect()
}

/// Bytes that are no infinity and no NaN in any type of floats.
pub fn finite_bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut next = stream(seed);
    (0..len).map(|_| (next() >> 7) as u8 & 0x3f).collect()
}
