//! Blocks that are read from surfaces.
//!
//! Those of threads side by side mostly lie in the same rows, one step to the right of the other, and often over each other. They are
//! looked for once, together; what is read of them is then often one run of bytes for all threads.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use super::lanes::{Lanes, each};
use super::window::{Edge, MOST_SIDE_BY_SIDE, Window};
use super::{Environment, SurfaceAccess};
use crate::elem::Elem;

/// The block of each of `N` threads, or a part of it.
#[derive(Clone, Copy, Debug)]
pub struct InPlace<'a, const N: usize> {
    /// The rows, from the first block to the last.
    pub(super) window: Window<'a>,
    /// Bytes from the block of a thread to that of the next one.
    pub(super) step: usize,
    /// The first row of each thread's part of its block.
    pub(super) rows: [usize; N],
    /// The first byte of the rows of each thread's part.
    pub(super) bytes: [usize; N],
}

impl<'a, const N: usize> InPlace<'a, N> {
    /// Whole blocks, this many bytes apart.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(window: Window<'a>, step: usize) -> Self {
        Self { window, step, rows: [0; N], bytes: [0; N] }
    }

    /// From these elements on, of linearised objects with rows of `columns` elements of `size` bytes.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn from(&self, at: [usize; N], columns: usize, size: usize) -> Self {
        let Self { mut rows, mut bytes, .. } = *self;
        each!(n < N => {
            rows[n] += at[n] / columns;
            bytes[n] += at[n] % columns * size;
        });
        Self { rows, bytes, ..*self }
    }
}

/// The positions of the blocks of the threads.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn positions<const N: usize>([x]: Lanes<i32, N, 1, 1>, [y]: Lanes<i32, N, 1, 1>) -> [[i32; 2]; N] {
    let mut positions = [[0; 2]; N];
    each!(n < N => {
        positions[n] = [x[n][0], y[n][0]];
    });
    positions
}

/// Bytes from the block of a thread to that of the next one, if they lie in the same rows and leave no gap: at most `width`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn step<const N: usize>(positions: &[[i32; 2]; N], width: usize) -> Option<usize> {
    if N == 1 {
        return Some(width);
    }
    let [x, y] = positions[0];
    let step = positions[1][0].wrapping_sub(x);
    let mut all = step >= 0 && step as usize <= width;
    each!(n < N => {
        all &= positions[n][0].wrapping_sub(x) == (n as i32).wrapping_mul(step) && positions[n][1] == y;
    });
    all.then_some(step as usize)
}

/// A block for each thread, where they are or in `edge`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn find<'a, E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    surface: &'a E::Surface,
    x: Lanes<i32, N, 1, 1>,
    y: Lanes<i32, N, 1, 1>,
    edge: &'a mut Edge,
) -> InPlace<'a, N> {
    const { assert!(N <= MOST_SIDE_BY_SIDE) };
    let (positions, width) = (positions(x, y), C * size_of::<T>());
    surface.enter_blocks(&positions, width, R, false);
    match step(&positions, width) {
        Some(step) => {
            let window = surface.window(positions[0], (N - 1) * step + width, R, edge);
            if N > 1 && positions[N - 1][0] < positions[0][0] {
                beyond_the_last_column();
            }
            InPlace::new(window, step)
        }
        None => InPlace::new(surface.edge_window(&positions, width, R, edge), width),
    }
}

/// An executor runs threads side by side only if it has seen that their columns do not wrap.
#[cold]
#[inline(never)]
fn beyond_the_last_column() -> ! {
    panic!(
        "the host code of a kernel computes other coordinates than when it was recorded: kernels must be deterministic"
    )
}
