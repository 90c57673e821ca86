//! Blocks that are read from surfaces.
//!
//! Those of threads side by side mostly lie in the same rows, one step to the right of the other, and often over each other.
//! They are looked for once, together; what is read of them is then often one run of bytes for all threads.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::on_arrays;

use super::lanes::{self, Lanes, each};
use super::window::{Edge, MOST_SIDE_BY_SIDE, Window};
use super::{Environment, Rows, SurfaceAccess, not_deterministic};
use crate::elem::Elem;

/// The blocks of `N` threads, where they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks<'a, const N: usize> {
    /// The rows of the first.
    pub(super) window: Window<'a>,
    /// Bytes from the block of a thread to that of the next one, wherever they lie.
    pub(super) step: isize,
    /// The first row of each thread's part of its block.
    pub(super) rows: [usize; N],
    /// The first byte of the rows of each thread's part.
    pub(super) bytes: [usize; N],
}

impl<'a, const N: usize> Blocks<'a, N> {
    #[on_arrays]
    fn new(window: Window<'a>, step: isize) -> Self {
        Self { window, step, rows: [0; N], bytes: [0; N] }
    }
}

/// The positions of the blocks of the threads.
#[on_arrays]
pub(super) fn positions<const N: usize>([x]: Lanes<i32, N, 1, 1>, [y]: Lanes<i32, N, 1, 1>) -> [[i32; 2]; N] {
    let mut positions = [[0; 2]; N];
    each!(n < N => {
        positions[n] = [x[n][0], y[n][0]];
    });
    positions
}

/// Bytes from the block of a thread to that of the next one, if they lie in the same rows and leave no gap: at most `width`.
#[on_arrays]
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

/// A block for each thread, where they are or, if one of them is not inside of the surface, in `edge`.
#[on_arrays]
pub(super) fn find<'a, E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    surface: &'a E::Surface,
    x: Lanes<i32, N, 1, 1>,
    y: Lanes<i32, N, 1, 1>,
    edge: &'a mut Edge,
) -> Blocks<'a, N> {
    const { assert!(N <= MOST_SIDE_BY_SIDE) };
    let (positions, width) = (positions(x, y), C * size_of::<T>());
    surface.enter_blocks(&positions, width, R, false);
    if let Some(step) = step(&positions, width) {
        // Blocks are as far apart in `edge`, so that what follows is the same code.
        let window = surface.window(positions[0], (N - 1) * step + width, R, edge);
        // An executor runs threads side by side only if it has seen that their columns do not wrap.
        if N > 1 && positions[N - 1][0] < positions[0][0] {
            not_deterministic();
        }
        return Blocks::new(window.first_columns(width), step as isize);
    }
    match inside(surface, &positions, width, R) {
        Some(blocks) => blocks,
        None => {
            let window = surface.edge_window(&positions, width, R, edge);
            Blocks::new(window.first_columns(width), width as isize)
        }
    }
}

/// The blocks where they are, if all are inside of the surface, and each as far from the one before.
#[on_arrays]
fn inside<'a, S: SurfaceAccess, const N: usize>(
    surface: &'a S,
    positions: &[[i32; 2]; N],
    width: usize,
    rows: usize,
) -> Option<Blocks<'a, N>> {
    let first = surface.inside(positions[0], width, rows)?;
    let mut windows = [first; N];
    each!(n < N => {
        windows[n] = surface.inside(positions[n], width, rows)?;
    });
    let step = if N > 1 { first.bytes_to(&windows[1]) } else { width as isize };
    let mut even = true;
    each!(n < N => {
        even &= first.bytes_to(&windows[n]) == n as isize * step;
    });
    even.then(|| Blocks::new(first, step))
}

/// Writes the block of each thread.
#[on_arrays]
pub(super) fn write<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    surface: &mut E::Surface,
    x: Lanes<i32, N, 1, 1>,
    y: Lanes<i32, N, 1, 1>,
    block: &Lanes<T, N, R, C>,
) {
    let (positions, width) = (positions(x, y), C * size_of::<T>());
    surface.enter_blocks(&positions, width, R, true);
    let bytes: &[u8] = bytemuck::cast_slice(lanes::flat(block));
    if N > 1 && step(&positions, width) == Some(width) {
        let from = Rows { block: bytes, offset: 0, pitch: N * width };
        surface.write_block(positions[0], N * width, R, from);
        return;
    }
    // The first thread apart, so that a loop over two is none: offsets are constants.
    surface.write_block(positions[0], width, R, Rows { block: bytes, offset: 0, pitch: N * width });
    for n in 1..N {
        let from = Rows { block: bytes, offset: n * width, pitch: N * width };
        surface.write_block(positions[n], width, R, from);
    }
}
