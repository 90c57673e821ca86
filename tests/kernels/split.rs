//! Blocks of sizes that no message carries.

use cm::prelude::*;

/// A copy of one block.
macro_rules! copies {
    ($($name:ident: $t:ident, $rows:literal x $columns:literal;)*) => {$(
        #[doc = "A copy of one block."]
        #[kernel]
        pub fn $name(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
            output.write_block(4, 3, &input.read_block::<$t, $rows, $columns>(x, y));
        }
    )*};
}

copies! {
    block_of_bytes: u8, 20 x 96;
    block_of_odd_rows: u8, 7 x 44;
    block_of_one_row: u8, 1 x 100;
    block_of_words: i16, 33 x 6;
    block_of_floats: f32, 9 x 19;
    block_of_qwords: u64, 5 x 11;
    block_of_one_message: u8, 8 x 32;
}

/// Rows that are not whole dwords can be read.
#[kernel]
pub fn block_of_three_columns(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    let read = input.read_block::<u8, 70, 3>(x, y);
    let mut written = Matrix::<u8, 70, 4>::splat(0);
    written.select_mut::<70, 1, 3, 1>(0, 0).assign(read);
    output.write_block(4, 3, &written);
}

/// A copy of consecutive elements.
macro_rules! linear_copies {
    ($($name:ident: $t:ident, $count:literal;)*) => {$(
        #[doc = "A copy of consecutive elements for each thread."]
        #[kernel]
        pub fn $name(input: &Buffer<$t>, output: &mut Buffer<$t>) {
            const BYTES: u32 = ($count * size_of::<$t>()) as u32;
            let offset = thread_origin_x() * BYTES;
            output.write_linear(offset, &input.read_linear::<$count>(offset));
        }
    )*};
}

linear_copies! {
    linear_bytes: u8, 240;
    linear_words: u16, 8;
    linear_floats: f32, 100;
    linear_qwords: i64, 22;
}
