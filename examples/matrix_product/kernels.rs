//! Matrix products by the matrix engine, for matrices stored in tiles, and for matrices stored row by row.

use cm::prelude::*;

/// Rows of a tile of the first matrix, and of the sums.
pub const ROWS: usize = 8;
/// Columns of a tile of the first matrix, and rows of a tile of the second.
pub const DEPTH: usize = 16;

/// Kernels for tiles of so many columns. Each kernel thread computes two by two tiles of the product. Both matrices are
/// stored in tiles: `a` in strips of [`ROWS`] rows, `b` in strips of columns, with each tile of `b` packed as
/// VNNI. `steps` is the number of tiles in a strip, `pitch` the bytes of a row of `c`.
macro_rules! products_of_tiles {
    ($($(#[$doc:meta])* $product:ident $columns:ident: $lanes:literal, $packed:literal, $blocks:literal;)*) => {$(
        $(#[$doc])*
        #[kernel]
        pub fn $product(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, steps: u32, pitch: u32) {
            let (x, y) = (thread_origin_x() * 2, thread_origin_y() * 2);
            let (strip_of_a, strip_of_b) = (steps * 256, steps * ($blocks * 256));
            let mut upper_left = Matrix::<f32, 8, $lanes>::splat(0.0f32);
            let (mut upper_right, mut lower_left, mut lower_right) = (upper_left, upper_left, upper_left);
            let mut at_a = y * strip_of_a;
            let mut at_b = x * strip_of_b;
            for _ in 0..steps {
                let (upper, lower) = (rows(a, at_a), rows(a, at_a + strip_of_a));
                let (left, right) = ($columns(b, at_b), $columns(b, at_b + strip_of_b));
                upper_left = math::dpas(upper_left, left, upper);
                upper_right = math::dpas(upper_right, right, upper);
                lower_left = math::dpas(lower_left, left, lower);
                lower_right = math::dpas(lower_right, right, lower);
                at_a += 256;
                at_b += $blocks * 256;
            }
            let at = y * 8 * pitch + x * ($lanes * 4);
            for r in 0..8u32 {
                let row = at + r * pitch;
                c.write(row, &upper_left.row(r));
                c.write(row + $lanes * 4, &upper_right.row(r));
                c.write(row + 8 * pitch, &lower_left.row(r));
                c.write(row + 8 * pitch + $lanes * 4, &lower_right.row(r));
            }
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
    matrix_product columns_of_16: 16, 32, 2;
    /// Tiles of 8 columns: Xe-HPG.
    matrix_product_of_8 columns_of_8: 8, 16, 1;
}

/// A tile of the first matrix.
#[function]
fn rows(a: &Buffer<f16>, at: u32) -> Matrix<f16, 8, 16> {
    a.load::<128>(at).format::<f16, 8, 16>()
}

/// The same for matrices of `size` rows and columns that are stored row by row: 2-D blocks read the tiles,
/// and pack those of `b`.
#[kernel]
pub fn matrix_product_2d(a: &Buffer<f16>, b: &Buffer<f16>, c: &mut Buffer<f32>, size: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 16);
    let (width, width_of_c) = (size * 2, size * 4);
    let mut upper_left = Matrix::<f32, 8, 16>::splat(0.0f32);
    let (mut upper_right, mut lower_left, mut lower_right) = (upper_left, upper_left, upper_left);
    for step in 0..size / 16 {
        let rows = a.load_2d::<16, 16>(width, size, width, step * 16, y);
        let (upper, lower) = (rows.select::<8, 1, 16, 1>(0, 0), rows.select::<8, 1, 16, 1>(8, 0));
        let left = b.load_2d_vnni::<8, 32>(width, size, width, x, step * 16);
        let right = b.load_2d_vnni::<8, 32>(width, size, width, x + 16, step * 16);
        upper_left = math::dpas(upper_left, left, upper);
        upper_right = math::dpas(upper_right, right, upper);
        lower_left = math::dpas(lower_left, left, lower);
        lower_right = math::dpas(lower_right, right, lower);
    }
    c.store_2d(width_of_c, size, width_of_c, x, y, &upper_left);
    c.store_2d(width_of_c, size, width_of_c, x + 16, y, &upper_right);
    c.store_2d(width_of_c, size, width_of_c, x, y + 8, &lower_left);
    c.store_2d(width_of_c, size, width_of_c, x + 16, y + 8, &lower_right);
}
