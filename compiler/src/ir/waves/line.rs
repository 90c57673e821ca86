//! Threads on a line, which a launch can pass to a GPU.

/// Threads on a line: `first`, and each further thread a `step` from the previous one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// The coordinates of the first thread.
    pub first: [u32; 2],
    /// The step to the next thread.
    pub step: [i32; 2],
    /// The number of threads.
    pub count: u32,
}

impl Line {
    /// The coordinates of a thread, by its number.
    #[inline]
    #[must_use]
    pub const fn origin(self, n: u32) -> [u32; 2] {
        let Self { first: [x, y], step: [dx, dy], .. } = self;
        [x.wrapping_add(n.wrapping_mul(dx as u32)), y.wrapping_add(n.wrapping_mul(dy as u32))]
    }
}
