//! 2-D blocks of buffers.

use cm::block_2d::{Pack, Plain, Transpose};
use cm::cache::{self, Cached, ReadInvalidate, Streaming, Uncached, WriteBack, WriteThrough};
use cm::prelude::*;

macro_rules! loads {
    ($($name:ident: $t:ident $r:literal x $c:literal $form:ty;)*) => {$(
        /// Loads a block at a column and row that are known only at run time.
        #[kernel]
        pub fn $name(
            x: &Buffer<$t>,
            at: &Buffer<i32>,
            y: &mut Buffer<$t>,
            width: i32,
            height: i32,
            pitch: i32,
        ) {
            let at = at.read::<4>(0);
            let (column, row) = (at.get(0), at.get(1));
            let block =
                x.load_2d_as::<$r, $c, $form, cache::Default, cache::Default>(width, height, pitch, column, row);
            y.write_linear(0, &block.format::<$t>());
        }
    )*};
}

/// Every block that is loaded: its kernel, element type, rows and columns in registers, and form.
#[macro_export]
macro_rules! for_each_load_2d {
    ($callback:ident) => {
        $callback! {
            plain_u8: u8 8 x 32 Plain<1>;
            plain_u8_narrow: u8 6 x 24 Plain<1>;
            plain_u8_dword: u8 12 x 4 Plain<1>;
            plain_u8_largest: u8 32 x 64 Plain<1>;
            plain_u8_two: u8 16 x 32 Plain<2>;
            plain_u8_four: u8 32 x 12 Plain<4>;
            plain_u16_row: u16 1 x 32 Plain<1>;
            plain_f16: f16 16 x 16 Plain<1>;
            plain_u16_two: u16 64 x 16 Plain<2>;
            plain_i16_four: i16 16 x 8 Plain<4>;
            plain_i32: i32 8 x 16 Plain<1>;
            plain_f32_two: f32 16 x 8 Plain<2>;
            plain_u64: u64 4 x 8 Plain<1>;
            plain_i64_narrow: i64 3 x 2 Plain<1>;
            transposed_u32: u32 8 x 8 Transpose;
            transposed_f32: f32 4 x 32 Transpose;
            transposed_i32_narrow: i32 3 x 4 Transpose;
            transposed_u64: u64 4 x 8 Transpose;
            transposed_i64: i64 2 x 8 Transpose;
            packed_u8: u8 8 x 64 Pack<1>;
            packed_i8_narrow: i8 2 x 16 Pack<1>;
            packed_u8_four: u8 16 x 64 Pack<4>;
            packed_f16: f16 8 x 32 Pack<1>;
            packed_bf16: bf16 16 x 32 Pack<1>;
            packed_u16_two: u16 32 x 32 Pack<2>;
            packed_i16_four: i16 16 x 16 Pack<4>;
        }
    };
}

for_each_load_2d!(loads);

macro_rules! stores {
    ($($name:ident: $t:ident $r:literal x $c:literal;)*) => {$(
        /// Stores a block at a column and row that are known only at run time.
        #[kernel]
        pub fn $name(
            x: &Buffer<$t>,
            at: &Buffer<i32>,
            y: &mut Buffer<$t>,
            width: i32,
            height: i32,
            pitch: i32,
        ) {
            let at = at.read::<4>(0);
            let (column, row) = (at.get(0), at.get(1));
            let block = x.load_2d::<$r, $c>(64, 8, 64, 0, 0);
            y.store_2d(width, height, pitch, column, row, &block);
        }
    )*};
}

/// Every block that is stored: its kernel, element type, rows and columns.
#[macro_export]
macro_rules! for_each_store_2d {
    ($callback:ident) => {
        $callback! {
            store_u8: u8 8 x 64;
            store_u8_dword: u8 3 x 4;
            store_i8_row: i8 1 x 28;
            store_u16: u16 8 x 32;
            store_f16_narrow: f16 5 x 6;
            store_f32: f32 8 x 16;
            store_i32_narrow: i32 7 x 11;
            store_u64: u64 8 x 8;
            store_i64_one: i64 2 x 1;
        }
    };
}

for_each_store_2d!(stores);

/// Copies adjacent tiles of 16 rows and 16 columns.
#[kernel]
pub fn copy_tiles(x: &Buffer<u16>, y: &mut Buffer<u16>, columns: u32, rows: u32) {
    let (width, column, row) = (columns * 2, thread_origin_x() * 16, thread_origin_y() * 16);
    x.prefetch_2d::<16, 16>(width, rows, width, column + 16, row);
    let tile = x.load_2d::<16, 16>(width, rows, width, column, row);
    y.store_2d(width, rows, width, column, row, &tile.select::<8, 1, 16, 1>(0, 0));
    y.store_2d(width, rows, width, column, row + 8, &tile.select::<8, 1, 16, 1>(8, 0));
}

/// Every pair of cache hints with every form.
#[kernel]
pub fn hints_2d(x: &Buffer<u16>, dwords: &Buffer<u32>, y: &mut Buffer<u32>) {
    x.prefetch_2d_cached::<8, 16, Uncached, Cached>(64, 32, 64, 0, 0);
    x.prefetch_2d_cached::<8, 16, Cached, Uncached>(64, 32, 64, 0, 0);
    x.prefetch_2d_cached::<8, 16, Cached, Cached>(64, 32, 64, 0, 0);
    x.prefetch_2d_cached::<8, 16, Streaming, Uncached>(64, 32, 64, 0, 0);
    x.prefetch_2d_cached::<32, 32, Streaming, Cached>(64, 32, 64, 0, 0);
    // Store after each load, so that not all loads are live at once.
    let mut sum = loaded::<cache::Default, cache::Default, _>(x, dwords);
    y.store_2d(64, 8, 64, 0, 0, &sum);
    sum += loaded::<Uncached, Uncached, _>(x, dwords);
    y.store_2d_cached::<Uncached, Uncached, _>(64, 8, 64, 4, 0, &sum);
    sum += loaded::<Uncached, Cached, _>(x, dwords);
    y.store_2d_cached::<Uncached, WriteBack, _>(64, 8, 64, 8, 0, &sum);
    sum += loaded::<Cached, Uncached, _>(x, dwords);
    y.store_2d_cached::<WriteThrough, Uncached, _>(64, 8, 64, 12, 0, &sum);
    sum += loaded::<Cached, Cached, _>(x, dwords);
    y.store_2d_cached::<WriteThrough, WriteBack, _>(64, 8, 64, 0, 1, &sum);
    sum += loaded::<Streaming, Uncached, _>(x, dwords);
    y.store_2d_cached::<Streaming, Uncached, _>(64, 8, 64, 4, 1, &sum);
    sum += loaded::<Streaming, Cached, _>(x, dwords);
    y.store_2d_cached::<Streaming, WriteBack, _>(64, 8, 64, 8, 1, &sum);
    sum += loaded::<ReadInvalidate, Cached, _>(x, dwords);
    y.store_2d_cached::<WriteBack, WriteBack, _>(64, 8, 64, 12, 1, &sum);
}

/// The first elements of blocks in every form.
#[function]
fn loaded<L1: cache::LoadCaching<L3>, L3>(x: &Buffer<u16>, dwords: &Buffer<u32>) -> Vector<u32, 4> {
    let plain = x.load_2d_as::<8, 16, Plain<1>, L1, L3>(64, 32, 64, 0, 0);
    let two = x.load_2d_as::<16, 16, Plain<2>, L1, L3>(64, 32, 64, 0, 1);
    let four = x.load_2d_as::<16, 8, Plain<4>, L1, L3>(64, 32, 64, 0, 2);
    let packed = x.load_2d_as::<8, 32, Pack<1>, L1, L3>(64, 32, 64, 0, 3);
    let packed_two = x.load_2d_as::<8, 32, Pack<2>, L1, L3>(64, 32, 64, 0, 4);
    let packed_four = x.load_2d_as::<8, 16, Pack<4>, L1, L3>(64, 32, 64, 0, 5);
    let transposed = dwords.load_2d_as::<8, 8, Transpose, L1, L3>(64, 32, 64, 0, 6);
    let words = plain.row(0).select::<4, 1>(0)
        + two.row(8).select::<4, 1>(0)
        + four.row(12).select::<4, 1>(0)
        + packed.row(1).select::<4, 1>(0)
        + packed_two.row(5).select::<4, 1>(0)
        + packed_four.row(6).select::<4, 1>(0);
    (words + transposed.row(1).select::<4, 1>(0)).convert()
}
