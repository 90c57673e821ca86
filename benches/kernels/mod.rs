//! Kernels of other families than the box filters, one for each family.

mod functions;

use cm::prelude::*;

pub use functions::*;

/// Gives a macro the kernels with the format of their input, whose rows have 3840 bytes and which has 2160 rows, the
/// width and height of the output, and the bytes and rows of the input by which threads advance.
#[allow(unused_macros, reason = "for the benches, and the counts of their instructions")]
macro_rules! with_families {
    ($then:ident) => {
        $then! {
            sepia Rgba8 960 2160, 32 4;
            binomial5 R8 3840 2160, 16 4;
            box16 R16 1920 2160, 32 2;
            polynomial R32F 960 2160, 32 4;
            block_sum R8 480 270, 32 8;
            transpose R8 2160 3840, 16 16;
            swizzle R8 3840 2160, 32 4;
            lookup R8 3840 2160, 32 4;
            luma R8 1280 2160, 48 4;
            mix R8 3840 2160, 48 4;
            limited R8 3840 2160, 32 4;
            ordered R8 3840 2160, 32 4;
            distances R8 3840 2160, 32 4;
            reduced R8 480 270, 32 8;
            packed_masks R8 3840 2160, 32 4;
            bits R8 3840 2160, 32 4;
            dots R8 3840 2160, 32 4;
            rounding R32F 960 2160, 32 4;
            curves R32F 960 2160, 32 4;
            angles R32F 960 2160, 32 4;
            lanes R8 3840 2160, 32 4;
            choices R8 3840 2160, 32 4;
            short_floats R32F 960 2160, 32 4;
            census R8 3840 2160, 16 4;
            weighted R8 3840 2160, 16 8;
        }
    };
}

/// A colour matrix: strided selects of channels, floats, saturation.
#[kernel]
pub fn sepia(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let pixels = input.read::<u8, 4, 32>(x, y);
    let (r, g, b) = (
        pixels.select::<4, 1, 8, 4>(0, 0),
        pixels.select::<4, 1, 8, 4>(0, 1),
        pixels.select::<4, 1, 8, 4>(0, 2),
    );
    let mut toned = pixels;
    toned.select_mut::<4, 1, 8, 4>(0, 0).assign(r * 0.393f32 + g * 0.769f32 + b * 0.189f32);
    toned.select_mut::<4, 1, 8, 4>(0, 1).assign(r * 0.349f32 + g * 0.686f32 + b * 0.168f32);
    toned.select_mut::<4, 1, 8, 4>(0, 2).assign(r * 0.272f32 + g * 0.534f32 + b * 0.131f32);
    output.write(x, y, &toned);
}

/// A binomial filter of 5 x 5: integers, shifts, reads beyond the edges.
#[kernel]
pub fn binomial5(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read::<u8, 8, 32>(x.convert::<i32>() - 2, y.convert::<i32>() - 2);
    let mut rows: Matrix<i16, 8, 16> = block.select::<8, 1, 16, 1>(0, 2).convert();
    rows *= 6;
    rows += block.select::<8, 1, 16, 1>(0, 1) * 4;
    rows += block.select::<8, 1, 16, 1>(0, 3) * 4;
    rows += block.select::<8, 1, 16, 1>(0, 0);
    rows += block.select::<8, 1, 16, 1>(0, 4);
    let mut sum: Matrix<i32, 4, 16> = rows.select::<4, 1, 16, 1>(2, 0) * 6;
    sum += rows.select::<4, 1, 16, 1>(1, 0) * 4;
    sum += rows.select::<4, 1, 16, 1>(3, 0) * 4;
    sum += rows.select::<4, 1, 16, 1>(0, 0);
    sum += rows.select::<4, 1, 16, 1>(4, 0);
    let out: Matrix<u8, 4, 16> = ((sum + 128) >> 8).convert();
    output.write(x, y, &out);
}

/// A box filter of 16-bit texels: wide sums, a division.
#[kernel]
pub fn box16(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 2);
    let block = input.read::<u16, 4, 32>(x, y);
    let mut sum: Matrix<u32, 2, 16> = block.select::<2, 1, 16, 1>(0, 0).convert();
    sum += block.select::<2, 1, 16, 1>(0, 1);
    sum += block.select::<2, 1, 16, 1>(1, 0);
    sum += block.select::<2, 1, 16, 1>(1, 1);
    let mean: Matrix<u16, 2, 16> = (sum >> 2).convert();
    output.write(x, y, &mean);
}

/// A polynomial of floats with a lower limit.
#[kernel]
pub fn polynomial(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let v = input.read::<f32, 4, 8>(x, y);
    let mut p = ((v * 0.25f32 - 0.5f32) * v + 1.0f32) * v - 0.125f32;
    p.merge(0.0f32, &(p < 0.0f32));
    output.write(x, y, &p);
}

/// The sum of a block, by repeated halving.
#[kernel]
pub fn block_sum(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 32, y * 8);
    let mut rows: Matrix<u16, 4, 32> =
        (block.select::<4, 1, 32, 1>(0, 0) + block.select::<4, 1, 32, 1>(4, 0)).convert();
    rows.select_mut::<2, 1, 32, 1>(0, 0)
        .assign(rows.select::<2, 1, 32, 1>(0, 0) + rows.select::<2, 1, 32, 1>(2, 0));
    let row: Vector<u16, 32> = (rows.row(0) + rows.row(1)).convert();
    let r16 = row.select::<16, 1>(0) + row.select::<16, 1>(16);
    let r8 = r16.select::<8, 1>(0) + r16.select::<8, 1>(8);
    let r4 = r8.select::<4, 1>(0) + r8.select::<4, 1>(4);
    let r2 = r4.select::<2, 1>(0) + r4.select::<2, 1>(2);
    output.write(x * 4, y, &(r2.select::<1, 1>(0) + r2.select::<1, 1>(1)));
}

/// Turns columns into rows.
#[kernel]
pub fn transpose(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let block = input.read::<u8, 16, 16>(x, y);
    let mut turned = Matrix::<u8, 16, 16>::splat(0);
    for i in 0..16 {
        turned.row_mut(i).assign(block.column(i));
    }
    output.write(y, x, &turned);
}

/// Bytes as words and back, comparisons and merges.
#[kernel]
pub fn swizzle(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 32>(x, y);
    let words = block.format::<u32, 4, 8>();
    let mut swapped = (words << 8) | (words >> 24);
    swapped.merge(words, &((words & 0xff) > 100u32));
    let mut bytes = swapped.format::<u8, 4, 32>();
    bytes.merge_else(255u8 - bytes, bytes, &(block < 16));
    output.write(x, y, &bytes);
}

/// The brightness of packed RGB: every third byte, integers.
#[kernel]
pub fn luma(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 48, thread_origin_y() * 4);
    let pixels = input.read::<u8, 4, 48>(x, y);
    let mut sum = Matrix::<u16, 4, 16>::splat(128);
    sum += pixels.select::<4, 1, 16, 3>(0, 0) * 77;
    sum += pixels.select::<4, 1, 16, 3>(0, 1) * 150;
    sum += pixels.select::<4, 1, 16, 3>(0, 2) * 29;
    let bright: Matrix<u8, 4, 16> = (sum >> 8).convert();
    output.write(thread_origin_x() * 16, y, &bright);
}

/// The channels of packed RGB, each mixed with the next: every third byte, read and written.
#[kernel]
pub fn mix(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 48, thread_origin_y() * 4);
    let pixels = input.read::<u8, 4, 48>(x, y);
    let mut mixed = pixels;
    for i in 0..3 {
        let (channel, next) =
            (pixels.select::<4, 1, 16, 3>(0, i), pixels.select::<4, 1, 16, 3>(0, (i + 1) % 3));
        mixed.select_mut::<4, 1, 16, 3>(0, i).assign((channel * 3 + next) >> 2);
    }
    output.write(x, y, &mixed);
}

/// A table of 16 entries, looked up for every byte.
#[kernel]
pub fn lookup(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let table =
        Vector::from_array([0u8, 40, 70, 95, 116, 134, 150, 164, 177, 189, 200, 211, 222, 233, 244, 255]);
    let block = input.read::<u8, 4, 32>(x, y);
    let mut out = block;
    for i in 0..4 {
        out.row_mut(i).assign(table.iselect(block.row(i) >> 4));
    }
    output.write(x, y, &out);
}

/// The bits of comparisons with 8 neighbours: loops in loops, shifts by a number that they count.
#[kernel]
pub fn census(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 6, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let middle = block.select::<4, 1, 16, 1>(1, 1);
    let mut bits = Matrix::<u8, 4, 16>::splat(0);
    let mut bit = 0;
    for i in 0..3 {
        for j in 0..3 {
            if i != 1 || j != 1 {
                bits |= (block.select::<4, 1, 16, 1>(i, j) < middle).convert::<u8>() << bit;
                bit += 1;
            }
        }
    }
    output.write(x, y, &bits);
}

/// A column of 7 bytes with factors, added up in 32 bits by statements.
#[kernel]
pub fn weighted(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 14, 16>(x, y.convert::<i32>() - 3);
    let mut sum = Matrix::<i32, 8, 16>::splat(64);
    sum += block.select::<8, 1, 16, 1>(0, 0) * 2;
    sum += block.select::<8, 1, 16, 1>(1, 0) * 8;
    sum += block.select::<8, 1, 16, 1>(2, 0) * 24;
    sum += block.select::<8, 1, 16, 1>(3, 0) * 60;
    sum += block.select::<8, 1, 16, 1>(4, 0) * 24;
    sum += block.select::<8, 1, 16, 1>(5, 0) * 8;
    sum += block.select::<8, 1, 16, 1>(6, 0) * 2;
    output.write(x, y, &(sum >> 7).convert::<u8>());
}
