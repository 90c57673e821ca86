//! Matrix products by the matrix engine, for matrices stored in tiles, and for matrices stored row by row.

use cm::block_2d::Pack;
use cm::cache::Cached;
use cm::prelude::*;

/// Rows of a tile of the first matrix, and of the sums.
pub const ROWS: usize = 8;
/// Columns of a tile of the first matrix, and rows of a tile of the second.
pub const DEPTH: usize = 16;

/// Kernels for tiles of so many columns. Each kernel thread computes four by two tiles of the product. Both matrices are
/// stored in tiles: `a` in strips of [`ROWS`] rows, `b` in strips of columns, with each tile of `b` packed as
/// VNNI. `steps` is the number of tiles in a strip, `pitch` the bytes of a row of `c`.
macro_rules! products_of_tiles {
    ($($(#[$doc:meta])* $product:ident $columns:ident $add:ident: $lanes:literal, $packed:literal, $blocks:literal;)*) => {$(
        $(#[$doc])*
        #[kernel]
        pub fn $product(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, steps: u32, pitch: u32) {
            let (x, y) = (thread_origin_x() * 2, thread_origin_y() * 4);
            let (strip_of_a, strip_of_b) = (steps * 256, steps * ($blocks * 256));
            let mut left = Matrix::<f32, 32, $lanes>::splat(0.0f32);
            let mut right = left;
            let mut at_a = y * strip_of_a;
            let mut at_b = x * strip_of_b;
            for _ in 0..steps {
                let (columns, next_columns) = ($columns(b, at_b), $columns(b, at_b + strip_of_b));
                for strip in 0..4u32 {
                    let rows = a.load::<128>(at_a + strip * strip_of_a).format::<f16, 8, 16>();
                    $add(&mut left.select_mut::<8, 1, $lanes, 1>(strip * 8, 0), columns, rows);
                    $add(&mut right.select_mut::<8, 1, $lanes, 1>(strip * 8, 0), next_columns, rows);
                }
                at_a += 256;
                at_b += $blocks * 256;
            }
            let at = y * 8 * pitch + x * ($lanes * 4);
            for r in 0..32u32 {
                c.write(at + r * pitch, &left.row(r));
                c.write(at + r * pitch + $lanes * 4, &right.row(r));
            }
        }

        /// Adds the product of two tiles to the sums.
        #[function]
        fn $add(sums: &mut Matrix<f32, 8, $lanes>, columns: Matrix<f16, 8, $packed>, rows: Matrix<f16, 8, 16>) {
            *sums = math::dpas(*sums, columns, rows);
        }

        /// A tile of the second matrix.
        #[function]
        fn $columns(b: &Buffer<f16>, at: u32) -> Matrix<f16, 8, $packed> {
            let mut tile = Matrix::<f16, $blocks, 128>::splat(f16::ZERO);
            for n in 0..$blocks {
                tile.row_mut(n).assign(b.load::<128>(at + n * 256));
            }
            tile.format::<f16, 8, $packed>()
        }
    )*};
}

products_of_tiles! {
    /// Tiles of 16 columns: from Xe-HPC on.
    matrix_product columns_of_16 add_of_16: 16, 32, 2;
    /// Tiles of 8 columns: Xe-HPG.
    matrix_product_of_8 columns_of_8 add_of_8: 8, 16, 1;
}

/// The same for matrices of `size` rows and columns that are stored row by row: 2-D blocks read the tiles,
/// and pack those of `b`. Each kernel thread computes 32 rows of 32 columns, and adds 32 products to each sum in a round.
#[kernel]
pub fn matrix_product_2d(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, size: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 32);
    let mut left = Matrix::<f32, 32, 16>::splat(0.0f32);
    let mut right = left;
    for round in 0..size / 32 {
        for step in 0..2u32 {
            let depth = round * 32 + step * 16;
            let rows = a.load_2d::<32, 16>(size * 2, size, size * 2, depth, y);
            let columns = two_tiles(b, size, x, depth);
            add_tiles(&mut left, columns.select::<8, 1, 32, 1>(0, 0), rows);
            add_tiles(&mut right, columns.select::<8, 1, 32, 1>(8, 0), rows);
        }
    }
    store_tiles(c, size, x, y, left);
    store_tiles(c, size, x + 16, y, right);
}

/// The same with twice as many columns, for the large register file: the sums alone take half of it.
#[kernel]
pub fn matrix_product_2d_large(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, size: u32) {
    let (x, y) = (thread_origin_x() * 64, thread_origin_y() * 32);
    let mut first = Matrix::<f32, 32, 16>::splat(0.0f32);
    let (mut second, mut third, mut fourth) = (first, first, first);
    for round in 0..size / 32 {
        for step in 0..2u32 {
            let depth = round * 32 + step * 16;
            let rows = a.load_2d::<32, 16>(size * 2, size, size * 2, depth, y);
            let (left, right) = (two_tiles(b, size, x, depth), two_tiles(b, size, x + 32, depth));
            add_tiles(&mut first, left.select::<8, 1, 32, 1>(0, 0), rows);
            add_tiles(&mut second, left.select::<8, 1, 32, 1>(8, 0), rows);
            add_tiles(&mut third, right.select::<8, 1, 32, 1>(0, 0), rows);
            add_tiles(&mut fourth, right.select::<8, 1, 32, 1>(8, 0), rows);
        }
    }
    store_tiles(c, size, x, y, first);
    store_tiles(c, size, x + 16, y, second);
    store_tiles(c, size, x + 32, y, third);
    store_tiles(c, size, x + 48, y, fourth);
}

/// Two tiles of the second matrix, packed, one below the other.
#[function]
fn two_tiles(b: &Buffer<f16>, size: u32, x: u32, y: u32) -> Matrix<f16, 16, 32> {
    b.load_2d_as::<16, 32, Pack<2>, Cached, Cached>(size * 2, size, size * 2, x, y)
}

/// Adds the products of a tile and four tiles of rows to the sums.
#[function]
fn add_tiles(sums: &mut Matrix<f32, 32, 16>, columns: Matrix<f16, 8, 32>, rows: Matrix<f16, 32, 16>) {
    for r in [0, 8, 16, 24] {
        let sum = math::dpas(sums.select::<8, 1, 16, 1>(r, 0), columns, rows.select::<8, 1, 16, 1>(r, 0));
        sums.select_mut::<8, 1, 16, 1>(r, 0).assign(sum);
    }
}

/// Stores four tiles of sums.
#[function]
fn store_tiles(c: &mut Buffer<f32>, size: u32, x: u32, y: u32, sums: Matrix<f32, 32, 16>) {
    for r in [0, 8, 16, 24] {
        c.store_2d(size * 4, size, size * 4, x, y + r, &sums.select::<8, 1, 16, 1>(r, 0));
    }
}
