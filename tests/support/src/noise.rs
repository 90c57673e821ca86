//! Pseudo-random numbers and bytes, the same in every run.

use cm::elem::Elem;

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

/// Pseudo-random numbers of 64 bits, one after the other (xorshift).
pub fn long_stream() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
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

/// Numbers from 0 to 255, which are not NaN in any type of floats.
pub fn small<T: Elem>(len: usize, seed: u32) -> Vec<T> {
    bytes(len, seed as usize).into_iter().map(T::cast_from).collect()
}

/// Every second number is below 4, the others are of any size.
pub fn small_and_large(count: usize, next: &mut impl FnMut() -> u32) -> Vec<u32> {
    (0..count).map(|k| if k % 2 == 0 { next() % 4 } else { next() }).collect()
}

/// Each byte plus a number, modulo 256.
pub fn plus(bytes: &[u8], n: u8) -> Vec<u8> {
    bytes.iter().map(|byte| byte.wrapping_add(n)).collect()
}

/// Bytes that are no infinity and no NaN in any type of floats.
pub fn finite_bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut next = stream(seed);
    (0..len).map(|_| (next() >> 7) as u8 & 0x3f).collect()
}
