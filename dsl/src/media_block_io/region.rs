//! Regions of a surface as rows of a sub-group, and back: the implementation of all the built-ins.

use super::texels::Texels;
use cm_compiler::limits;
use cm_macros::op;

use crate::access::{media_read, media_write};
use crate::address::{Coordinate, DwordColumn};
use crate::backend::{Backend, Region, Start, require};
use crate::elem::Elem;
use crate::registers::{Offset, Scalar};
use crate::surface::Surface;

/// Reads `HEIGHT` rows of `WIDTH` elements and returns them as consecutive rows of `SG` elements: the first `K` of
/// these rows, filled up with 0.
#[op]
pub(super) fn read<
    T: Elem,
    const K: usize,
    const SG: usize,
    const WIDTH: usize,
    const HEIGHT: usize,
    B: Backend,
>(
    x: impl Offset<DwordColumn, B>,
    y: impl Offset<Coordinate, B>,
    image: &Surface<B>,
) -> B::Reg<T, K, SG> {
    require::<B>(const { limits::sub_group(SG) });
    require::<B>(const { limits::media_block_io(HEIGHT, WIDTH * T::TYPE.bytes()) });
    let (x, y) = (x.value(), y.value());
    let region = media_read::<B, T, HEIGHT, WIDTH>(image.handle(), x, y);
    // The sub-group takes the first elements, row by row.
    if WIDTH * HEIGHT >= K * SG {
        return B::format::<T, T, HEIGHT, WIDTH, K, SG>(&region);
    }
    // Elements that the region lacks are 0; the extension leaves them undefined.
    let mut texels = B::splat::<T, K, SG>(B::constant([[T::default()]]));
    let start = Region { offset: Start::Host(0), row_stride: WIDTH, width: WIDTH, column_stride: 1 };
    B::store_place::<T, HEIGHT, WIDTH>(&mut B::narrow::<T>(B::place(&mut texels), SG, start), region);
    texels
}

/// Writes the elements of `K` rows of `SG` elements, one after the other, as `HEIGHT` rows of `WIDTH` elements. Surplus
/// and missing elements at the end are not written.
#[op]
pub(super) fn write<
    T: Elem,
    const K: usize,
    const SG: usize,
    const WIDTH: usize,
    const HEIGHT: usize,
    B: Backend,
>(
    x: impl Offset<DwordColumn, B>,
    y: impl Offset<Coordinate, B>,
    texels: impl Texels<T, K, SG, B>,
    image: &mut Surface<B>,
) {
    require::<B>(const { limits::sub_group(SG) });
    require::<B>(const { limits::media_block_io(HEIGHT, WIDTH * T::TYPE.bytes()) });
    let (x, y, texels) = (x.value(), y.value(), texels.into_texels());
    if WIDTH * HEIGHT <= K * SG {
        let region = B::format::<T, T, K, SG, HEIGHT, WIDTH>(&texels);
        media_write::<B, T, HEIGHT, WIDTH>(image.handle_mut(), x, y, region);
        return;
    }
    let mut head = Head { x: Scalar::from_reg(x), y: Scalar::from_reg(y), texels, image };
    // The rows that the elements fill, in at most as many blocks as their number has bits.
    let mut row = 0;
    macro_rules! rows {
        ($($rows:literal)*) => {$(
            if K * SG / WIDTH & $rows != 0 {
                head.write::<$rows, WIDTH>(0, row, row * WIDTH);
                row += $rows;
            }
        )*};
    }
    // There are fewer rows than `HEIGHT`, which is at most 64.
    rows! { 32 16 8 4 2 1 }
    // The beginning of the next row: whole dwords, because the rows and the elements are whole dwords.
    let mut column = 0;
    macro_rules! elements {
        ($($elements:literal)*) => {$(
            if K * SG % WIDTH & $elements != 0 {
                head.write::<1, $elements>(column, row, row * WIDTH + column);
                column += $elements;
            }
        )*};
    }
    // There are fewer elements than `WIDTH`, which is at most 32.
    elements! { 16 8 4 2 1 }
    // The last increment is not read.
    let _ = column;
}

/// Elements that fill the beginning of a region of a surface.
struct Head<'a, T: Elem, const K: usize, const SG: usize, B: Backend> {
    x: Scalar<i32, B>,
    y: Scalar<i32, B>,
    texels: B::Reg<T, K, SG>,
    image: &'a mut Surface<B>,
}

impl<T: Elem, const K: usize, const SG: usize, B: Backend> Head<'_, T, K, SG, B> {
    /// Writes the `R` x `C` elements from element `first` on to this column and row of the region.
    #[op]
    fn write<const R: usize, const C: usize>(&mut self, column: usize, row: usize, first: usize) {
        let part = Region { offset: Start::Host(first), row_stride: C, width: C, column_stride: 1 };
        let part = B::region::<T, K, SG, R, C>(&self.texels, part);
        let x = if column == 0 { self.x } else { self.x + (column * T::TYPE.bytes()) as i32 };
        let y = if row == 0 { self.y } else { self.y + row as i32 };
        media_write::<B, T, R, C>(self.image.handle_mut(), x.into_reg(), y.into_reg(), part);
    }
}
