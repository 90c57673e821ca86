//! Reads and replaces bytes and words at distances for which the hardware has no regions: in rows of all lengths, from
//! all columns, between other elements, and overlapping.

use cm::prelude::*;
use cm_test_support::emulator::Emulator;

use super::compared::{SURFACES, assert_same, kernel_of};
use super::{HEIGHT, same_bytes_of};

/// Runs kernels whose first constant is the number of rows of a thread on the CPU and as machine code.
macro_rules! same {
    ($($kernel:ident<$rows:literal $(, $number:literal)*>;)*) => {
        let Some(emulator) = Emulator::newest_or_installed() else { return };
        $(same_bytes_of!(emulator, $kernel<$rows $(, $number)*> by (1, HEIGHT / 2 / $rows));)*
    };
}

/// Reverses the channels of `R` rows; the first `SOME` of them, then the first one again.
#[kernel]
fn channels<const R: usize, const C: usize, const STEP: usize, const W: usize, const SOME: usize>(
    input: &Surface2D,
    output: &mut Surface2D,
) {
    let y = thread_origin_y() * R;
    let block = input.read::<u8, R, W>(4, y);
    let mut out = input.read::<u8, R, W>(8, y);
    for channel in 0..SOME {
        let other = block.select::<R, 1, C, STEP>(0, STEP - 1 - channel);
        out.select_mut::<R, 1, C, STEP>(0, channel).assign(other * 3 + channel as u32);
    }
    output.write(0, y, &out);
    out.select_mut::<R, 1, C, STEP>(0, 0).assign(block.select::<R, 1, C, STEP>(0, 0));
    out.select_mut::<1, 1, C, STEP>(R - 1, 1).assign(block.select::<1, 1, C, STEP>(R - 1, 2));
    output.write(0, y + HEIGHT / 2, &out);
}

#[test]
fn channels_of_bytes_give_the_bytes_of_the_cpu() {
    same! {
        channels<4, 16, 3, 48, 3>;
        channels<4, 16, 3, 48, 2>;
        channels<1, 16, 3, 48, 3>;
        channels<6, 8, 3, 24, 3>;
        channels<3, 20, 3, 60, 3>;
        channels<4, 8, 5, 40, 5>;
        channels<4, 8, 5, 40, 4>;
        channels<2, 8, 6, 48, 6>;
        channels<4, 8, 7, 56, 7>;
    }
}

macro_rules! longer_channels {
    ($($name:ident: $t:ident;)*) => {$(
        /// Reverses the channels of `R` rows of longer elements; the first `SOME` of them, then the first one again.
        #[kernel]
        fn $name<const R: usize, const C: usize, const STEP: usize, const W: usize, const SOME: usize>(
            input: &Surface2D,
            output: &mut Surface2D,
        ) {
            let y = thread_origin_y() * R;
            let bytes: Matrix<$t, R, W> = input.read_block::<u8, R, W>(4, y).convert();
            let other: Matrix<$t, R, W> = input.read_block::<u8, R, W>(9, y).convert();
            let block: Matrix<$t, R, W> = (bytes * 251 - other * 3).convert();
            let mut out: Matrix<$t, R, W> = (other * 200).convert();
            for channel in 0..SOME {
                let other = block.select::<R, 1, C, STEP>(0, STEP - 1 - channel);
                out.select_mut::<R, 1, C, STEP>(0, channel).assign(other * 3 + channel as u32);
            }
            let wide: Matrix<i32, R, W> = out.convert();
            output.write_block(0, y, &wide.convert::<u8>());
            let read: Matrix<i32, R, C> = block.select::<R, 1, C, STEP>(0, 1).convert();
            let product = read * block.select::<R, 1, C, STEP>(0, 0) + 77;
            out.select_mut::<R, 1, C, STEP>(0, 0).assign(block.select::<R, 1, C, STEP>(0, 0));
            out.select_mut::<1, 1, C, STEP>(R - 1, 1).assign(block.select::<1, 1, C, STEP>(R - 1, 2));
            let wide: Matrix<i32, R, W> = out.convert();
            output.write_block(0, y + HEIGHT / 2, &(wide >> 4).convert::<u8>());
            output.write_block(64, y + HEIGHT / 2, &product.convert::<u8>());
        }
    )*};
}

longer_channels! {
    channels_i16: i16;
    channels_u16: u16;
    channels_f16: f16;
    channels_u32: u32;
}

#[test]
fn channels_of_longer_elements_give_the_bytes_of_the_cpu() {
    same! {
        channels_i16<4, 16, 3, 48, 3>;
        channels_u16<4, 16, 3, 48, 3>;
        channels_u16<1, 16, 3, 48, 2>;
        channels_u16<6, 8, 5, 40, 5>;
        channels_i16<2, 8, 7, 56, 7>;
        channels_f16<4, 16, 3, 48, 3>;
        channels_u32<4, 16, 3, 48, 3>;
    }
}

/// Sums of three bytes of each texel of `STEP` bytes, with weights, and the third byte of other sums.
#[kernel]
fn weighted<const R: usize, const C: usize, const STEP: usize, const W: usize>(
    input: &Surface2D,
    output: &mut Surface2D,
) {
    let y = thread_origin_y() * R;
    let block = input.read::<u8, R, W>(4, y);
    let (a, b) = (block.select::<R, 1, C, STEP>(0, 0), block.select::<R, 1, C, STEP>(0, 1));
    let c = block.select::<R, 1, C, STEP>(0, 2);
    let sum = a * 77 + b * 150 + c * 29 + 128;
    output.write(0, y, &(sum >> 8).convert::<u8>());
    let other: Matrix<i32, R, C> = c * 255 + b * 3 + a * 255 + sum * 40000;
    output.write(64, y, &(other >> 16).convert::<u8>());
    output.write(0, y + HEIGHT / 2, &(other >> 24).convert::<u8>());
}

#[test]
fn weighted_sums_of_bytes_give_the_bytes_of_the_cpu() {
    same! {
        weighted<4, 16, 3, 48>;
        weighted<1, 16, 3, 48>;
        weighted<4, 8, 3, 24>;
        weighted<3, 20, 3, 60>;
        weighted<4, 8, 4, 32>;
        weighted<4, 8, 5, 40>;
        weighted<2, 8, 6, 48>;
    }
}

/// As `f64`, of which Intel's compiler converts picked numbers one by one, in one part or in several.
#[test]
fn channels_are_converted_to_doubles() {
    let kernel = |elem: &str, rows: usize, row: usize| {
        let (all, count) = (format!("{elem}<{rows}x{}>", row * 3), format!("{rows}x{row}"));
        let lines = format!(
            "%0: i32 = constant 0; %1: {all} = read #0 %0, %0; %2: {elem}<{count}> = region %1[1| {}, {row}, 3];
             %3: f64<{count}> = convert %2; %4: f64<{}x8> = format %3; write #1 %0, %0, %4: f64<{}x8>;",
            row * 3,
            rows * row / 8,
            rows * row / 8
        );
        kernel_of(SURFACES, &lines)
    };
    let shapes = [("u8", 1, 16), ("i8", 2, 16), ("u8", 4, 8), ("u16", 1, 8), ("i16", 3, 8), ("u16", 4, 8)];
    let kernels = shapes.map(|(elem, rows, row)| kernel(elem, rows, row));
    assert_same(&kernels);
}
