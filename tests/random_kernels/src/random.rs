//! Random choices that a seed determines, on every machine.

/// A row of random numbers: splitmix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The row of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x2545_f491_4f6c_dd1d))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 16) as usize % n
    }

    /// A number of this range.
    pub fn within(&mut self, range: std::ops::RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True every second time.
    pub fn flip(&mut self) -> bool {
        self.once_in(2)
    }

    /// One of them.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// The number of one of the weights, as often as it is heavy.
    ///
    /// # Panics
    /// If all are 0.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut rest = self.below(weights.iter().sum());
        for (n, weight) in weights.iter().enumerate() {
            if rest < *weight {
                return n;
            }
            rest -= weight;
        }
        unreachable!("the rest is below the sum")
    }
}
