//! Matrices that are transposed, mirrored and rotated.

use cm::prelude::*;

/// Calls a macro with each kernel, its elements, its rows and its columns.
#[macro_export]
macro_rules! for_each_transform {
    ($callback:ident) => {
        $callback! {
            bytes_8_8: u8 8 x 8;
            bytes_16_16: u8 16 x 16;
            bytes_4_8: i8 4 x 8;
            bytes_4_16: u8 4 x 16;
            bytes_3_16: u8 3 x 16;
            bytes_8_24: u8 8 x 24;
            words_8_8: i16 8 x 8;
            words_16_16: u16 16 x 16;
            words_8_12: i16 8 x 12;
            halves_4_6: f16 4 x 6;
            dwords_8_8: u32 8 x 8;
            dwords_8_4: i32 8 x 4;
            words_4_16: i16 4 x 16;
            floats_8_16: f32 8 x 16;
            floats_16_8: f32 16 x 8;
            qwords_4_4: u64 4 x 4;
            qwords_2_8: i64 2 x 8;
            bytes_1_16: u8 1 x 16;
            bytes_16_1: u8 16 x 1;
            bytes_16_5: i8 16 x 5;
            words_3_8: u16 3 x 8;
            halves_8_5: f16 8 x 5;
            dwords_1_8: u32 1 x 8;
            dwords_4_3: i32 4 x 3;
            floats_12_1: f32 12 x 1;
            qwords_3_4: u64 3 x 4;
            qwords_6_1: i64 6 x 1;
        }
    };
}

macro_rules! kernels {
    ($($name:ident: $t:ident $rows:literal x $columns:literal;)*) => {$(
        /// All of them, one after the other.
        #[kernel]
        pub fn $name(input: &Buffer<$t>, output: &mut Buffer<$t>) {
            const COUNT: usize = $rows * $columns;
            const BYTES: u32 = (COUNT * size_of::<$t>()) as u32;
            let read = input.read_linear::<COUNT>(thread_origin_x() * BYTES);
            let m: Matrix<$t, $rows, $columns> = read.format_matrix::<$t, $rows, $columns>();
            let first = thread_origin_x() * (BYTES * 7);
            output.write_linear(first, &m.transpose().format::<$t>());
            output.write_linear(first + BYTES, &m.reverse_transpose().format::<$t>());
            output.write_linear(first + BYTES * 2, &m.mirror_vertical().format::<$t>());
            output.write_linear(first + BYTES * 3, &m.mirror_horizontal().format::<$t>());
            output.write_linear(first + BYTES * 4, &m.rotate90().format::<$t>());
            output.write_linear(first + BYTES * 5, &m.rotate180().format::<$t>());
            output.write_linear(first + BYTES * 6, &m.rotate270().format::<$t>());
        }
    )*};
}
for_each_transform!(kernels);

/// One of them, between two blocks of surfaces.
macro_rules! single {
    ($($name:ident: $t:ident $size:literal |$m:ident| $result:expr;)*) => {$(
        /// One of them.
        #[kernel]
        pub fn $name(input: &Surface2D, output: &mut Surface2D) {
            let (x, y) = (thread_origin_x() * ($size * size_of::<$t>() as u32), thread_origin_y() * $size);
            let $m = input.read_block::<$t, $size, $size>(x, y);
            output.write_block(x, y, &$result);
        }
    )*};
}

single! {
    copied_16: u8 16 |m| m;
    transposed_16: u8 16 |m| m.transpose();
    reverse_transposed_16: u8 16 |m| m.reverse_transpose();
    mirrored_vertically_16: u8 16 |m| m.mirror_vertical();
    mirrored_horizontally_16: u8 16 |m| m.mirror_horizontal();
    rotated_by_90_16: u8 16 |m| m.rotate90();
    rotated_by_180_16: u8 16 |m| m.rotate180();
    rotated_by_270_16: u8 16 |m| m.rotate270();
    copied_8: u8 8 |m| m;
    transposed_8: u8 8 |m| m.transpose();
    copied_words_16: u16 16 |m| m;
    transposed_words_16: u16 16 |m| m.transpose();
    copied_dwords_8: u32 8 |m| m;
    transposed_dwords_8: u32 8 |m| m.transpose();
    mirrored_dwords_8: u32 8 |m| m.mirror_horizontal();
}
