//! Matrix products by the matrix engine, for matrices stored in tiles, and for matrices stored row by row.

use cm::prelude::*;

/// Rows of a tile of the first matrix, and of the sums.
pub const ROWS: usize = 8;
/// Columns of a tile of the second matrix, and of the sums.
pub const COLUMNS: usize = 16;
/// Columns of a tile of the first matrix, and rows of a tile of the second.
pub const DEPTH: usize = 16;

/// Each kernel thread computes two tiles of the product, one below the other. Both matrices are stored in
/// tiles: `a` in strips of [`ROWS`] rows, `b` in strips of [`COLUMNS`] columns, with each tile of `b` packed
/// as VNNI. `steps` is the number of tiles in a strip, `pitch` the bytes of a row of `c`.
#[kernel]
pub fn matrix_product(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, steps: u32, pitch: u32) {
    let (x, y) = (thread_origin_x(), thread_origin_y() * 2);
    let (strip_of_a, strip_of_b) = (steps * 256, steps * 512);
    let mut sums = Matrix::<f32, 8, 16>::splat(0.0f32);
    let mut below = sums;
    let mut at_a = y * strip_of_a;
    let mut at_b = x * strip_of_b;
    for _ in 0..steps {
        let columns = packed_columns(b, at_b);
        sums = math::dpas(sums, columns, rows(a, at_a));
        below = math::dpas(below, columns, rows(a, at_a + strip_of_a));
        at_a += 256;
        at_b += 512;
    }
    let at = y * 8 * pitch + x * 64;
    for r in 0..8u32 {
        let row = at + r * pitch;
        c.write(row, &sums.row(r));
        c.write(row + 8 * pitch, &below.row(r));
    }
}

/// The same for matrices of `size` rows and columns that are stored row by row: 2-D blocks read the tiles,
/// and pack those of `b`.
#[kernel]
pub fn matrix_product_2d(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, size: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let (width, width_of_c) = (size * 2, size * 4);
    let mut sums = Matrix::<f32, 8, 16>::splat(0.0f32);
    let mut below = sums;
    for step in 0..size / 16 {
        let columns = b.load_2d_vnni::<8, 32>(width, size, width, x, step * 16);
        let rows = a.load_2d::<16, 16>(width, size, width, step * 16, y);
        sums = math::dpas(sums, columns, rows.select::<8, 1, 16, 1>(0, 0));
        below = math::dpas(below, columns, rows.select::<8, 1, 16, 1>(8, 0));
    }
    c.store_2d(width_of_c, size, width_of_c, x, y, &sums);
    c.store_2d(width_of_c, size, width_of_c, x, y + 8, &below);
}

/// A tile of the first matrix.
#[function]
fn rows(a: &Buffer<f16>, at: u32) -> Matrix<f16, 8, 16> {
    let mut tile = Matrix::<f16, 2, 64>::splat(f16::ZERO);
    for n in 0..2u32 {
        tile.row_mut(n).assign(a.read::<64>(at + n * 128));
    }
    tile.format::<f16, 8, 16>()
}

/// A tile of the second matrix.
#[function]
fn packed_columns(b: &Buffer<f16>, at: u32) -> Matrix<f16, 8, 32> {
    let mut tile = Matrix::<f16, 4, 64>::splat(f16::ZERO);
    for n in 0..4u32 {
        tile.row_mut(n).assign(b.read::<64>(at + n * 128));
    }
    tile.format::<f16, 8, 32>()
}
