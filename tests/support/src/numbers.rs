//! Numbers that look random, and element numbers for the kernels of buffers: inside and outside, some of them
//! more than once.

/// Numbers that look random, the same in every run.
pub fn noise(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    }
}

/// Two rows of 32 element numbers for buffers of `len` elements. `distinct` ones are inside only once.
pub fn numbers(len: u32, seed: u32, distinct: bool) -> Vec<u32> {
    let mut next = noise(seed);
    let mut row = || -> Vec<u32> {
        let outside = [len, len + 1, u32::MAX, u32::MAX / 2 + 1, u32::MAX / 4 + 3, u32::MAX - 31];
        let mut all: Vec<u32> = (0..32)
            .map(|i| match (i % 7, distinct) {
                (3, _) => outside[next() as usize % outside.len()],
                (_, true) => i * (len / 32) + next() % (len / 32),
                (_, false) => next() % 12,
            })
            .collect();
        // Not in order.
        for i in 0..31 {
            all.swap(i, i + next() as usize % (32 - i));
        }
        all
    };
    [row(), row()].concat()
}
