//! Random order from a seed: the same seed gives the same order.

/// A pseudo-random number generator: SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// A generator for a seed and a walker.
    pub(super) fn new(seed: u64, walker: u64) -> Self {
        let mut random = Self(seed);
        let mixed = random.next();
        Self(mixed ^ walker)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound, which must not be 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// All numbers below a count, each once, in random order, without a list of them.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    count: u64,
    mask: u64,
    factor: u64,
    step: u64,
    now: u64,
    left: u64,
}

impl Permutation {
    pub(super) fn new(count: u64, random: &mut Random) -> Self {
        // A linear congruential generator modulo a power of two visits all numbers if its factor is 1 modulo
        // 4 and its step is odd. Numbers from `count` on are skipped.
        let mask = count.next_power_of_two() - 1;
        let factor = random.next() << 2 | 1;
        let step = random.next() | 1;
        Self { count, mask, factor, step, now: random.next() & mask, left: mask + 1 }
    }
}

impl Iterator for Permutation {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.left > 0 {
            self.left -= 1;
            let number = self.now;
            self.now = self.now.wrapping_mul(self.factor).wrapping_add(self.step) & self.mask;
            // The low bits of such a generator have short periods, so they become the high bits.
            let bits = self.mask.count_ones();
            let number = if bits == 0 { 0 } else { number.reverse_bits() >> (64 - bits) };
            if number < self.count {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(count: u64, seed: u64) -> Vec<u64> {
        Permutation::new(count, &mut Random::new(seed, 1)).collect()
    }

    #[test]
    fn every_number_comes_once() {
        for count in [1, 2, 3, 7, 8, 1000] {
            for seed in 0..20 {
                let mut numbers = order(count, seed);
                numbers.sort_unstable();
                assert_eq!(numbers, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_seed_decides_the_order() {
        assert_eq!(order(100, 1), order(100, 1));
        assert_ne!(order(100, 1), order(100, 2));
        assert_ne!(order(100, 1), (0..100).collect::<Vec<_>>());
        // Both orders of two occur, so about half of the seeds show a race of two threads.
        let first: std::collections::BTreeSet<_> = (0..20).map(|seed| order(2, seed)[0]).collect();
        assert_eq!(first.len(), 2);
    }

    #[test]
    fn numbers_are_below_their_bound() {
        let mut random = Random::new(3, 4);
        let numbers: std::collections::BTreeSet<_> = (0..200).map(|_| random.below(5)).collect();
        assert!(numbers.into_iter().eq(0..5));
    }
}
