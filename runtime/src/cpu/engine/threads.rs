//! Sets of the kernel threads that run at once.

/// The largest number of kernel threads that run at once.
pub(super) const MOST: usize = u64::BITS as usize;

/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// A set of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Threads(u64);

impl Threads {
    pub(super) const NONE: Self = Self(0);

    /// The first `count` threads.
    pub(super) fn first(count: usize) -> Self {
        Self(if count == 0 { 0 } else { u64::MAX >> (MOST - count) })
    }

    /// The threads whose byte is 1 instead of 0. Each word has 8 of the `count` bytes.
    pub(super) fn of(words: &[u64], count: usize) -> Self {
        let (mut set, mut n) = (0, 0);
        while n < count.div_ceil(8) {
            // Bit 0 of byte `i` becomes bit `56 + i` of the product, and nothing else is added to these bits.
            set |= ((words[n] & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * n);
            n += 1;
        }
        Self(set).and(Self::first(count))
    }

    /// One byte for each thread, 0 or 1.
    pub(super) fn bytes(self) -> [u64; MOST / 8] {
        let (mut words, mut n) = ([0; MOST / 8], 0);
        while n < words.len() {
            // Byte `i` keeps only bit `i` of the eight, at that position.
            let copies = (self.0 >> (8 * n) & 0xff) * ONES;
            let bits = copies & 0x8040_2010_0804_0201;
            words[n] = (bits + 0x7f * ONES) >> 7 & ONES;
            n += 1;
        }
        words
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, thread: usize) -> bool {
        self.0 >> thread & 1 != 0
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The threads that are not in the other set.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Removes the first thread.
    pub(super) fn pop(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let first = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Threads};

    #[test]
    fn sets_are_the_bytes_that_they_are_made_of() {
        let mut state = 1_u64;
        for count in [1, 32, MOST] {
            for _ in 0..100 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let bits = state ^ state >> 29;
                let bytes: Vec<u8> = (0..MOST).map(|thread| (bits >> thread & 1) as u8).collect();
                let words: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
                let mut set = Threads::of(&words, count);
                for (thread, byte) in bytes.iter().enumerate() {
                    assert_eq!(set.has(thread), thread < count && *byte == 1);
                }
                if count == MOST {
                    assert_eq!(set.bytes()[..], words);
                }
                let popped: Vec<usize> = std::iter::from_fn(|| set.pop()).collect();
                let ones = (0..count).filter(|&thread| bytes[thread] == 1);
                assert_eq!(popped, ones.collect::<Vec<_>>());
            }
        }
    }
}
