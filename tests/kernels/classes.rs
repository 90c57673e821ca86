//! Kernels of the classes that media and arithmetic programs have, in the form that a user would write first.
//! Their instruction counts may only go down.

use cm::prelude::*;

/// Gradients of 3 x 3 bytes (Sobel): the sum of the absolute values, saturated.
#[kernel]
pub fn gradients(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 10, 32>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let mut across = block.select::<8, 1, 16, 1>(0, 2) - block.select::<8, 1, 16, 1>(0, 0);
    across += (block.select::<8, 1, 16, 1>(1, 2) - block.select::<8, 1, 16, 1>(1, 0)) * 2;
    across += block.select::<8, 1, 16, 1>(2, 2) - block.select::<8, 1, 16, 1>(2, 0);
    let mut down = block.select::<8, 1, 16, 1>(2, 0) - block.select::<8, 1, 16, 1>(0, 0);
    down += (block.select::<8, 1, 16, 1>(2, 1) - block.select::<8, 1, 16, 1>(0, 1)) * 2;
    down += block.select::<8, 1, 16, 1>(2, 2) - block.select::<8, 1, 16, 1>(0, 2);
    let size: Matrix<i32, 8, 16> = math::abs::<i32, _>(across) + math::abs::<i32, _>(down);
    output.write(x, y, &size.saturate::<u8>());
}

#[function]
fn smaller(a: Matrix<u8, 8, 16>, b: Matrix<u8, 8, 16>) -> Matrix<u8, 8, 16> {
    math::min::<u8, _>(a, b)
}

#[function]
fn larger(a: Matrix<u8, 8, 16>, b: Matrix<u8, 8, 16>) -> Matrix<u8, 8, 16> {
    math::max::<u8, _>(a, b)
}

/// The median of 3 x 3 bytes, by a sorting network.
#[kernel]
pub fn median(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 10, 32>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let (a, b, c) = (
        block.select::<8, 1, 16, 1>(0, 0),
        block.select::<8, 1, 16, 1>(0, 1),
        block.select::<8, 1, 16, 1>(0, 2),
    );
    let (d, e, f) = (
        block.select::<8, 1, 16, 1>(1, 0),
        block.select::<8, 1, 16, 1>(1, 1),
        block.select::<8, 1, 16, 1>(1, 2),
    );
    let (g, h, i) = (
        block.select::<8, 1, 16, 1>(2, 0),
        block.select::<8, 1, 16, 1>(2, 1),
        block.select::<8, 1, 16, 1>(2, 2),
    );
    let (a, b) = (smaller(a, b), larger(a, b));
    let (b, c) = (smaller(b, c), larger(b, c));
    let (a, b) = (smaller(a, b), larger(a, b));
    let (d, e) = (smaller(d, e), larger(d, e));
    let (e, f) = (smaller(e, f), larger(e, f));
    let (d, e) = (smaller(d, e), larger(d, e));
    let (g, h) = (smaller(g, h), larger(g, h));
    let (h, i) = (smaller(h, i), larger(h, i));
    let (g, h) = (smaller(g, h), larger(g, h));
    let low = larger(larger(a, d), g);
    let high = smaller(smaller(c, f), i);
    let (b, e) = (smaller(b, e), larger(b, e));
    let middle = larger(b, smaller(e, h));
    let (low, middle) = (smaller(low, middle), larger(low, middle));
    let middle = smaller(middle, high);
    output.write(x, y, &larger(low, middle));
}

/// Blends one picture over another, with the fourth byte of each texel, in integers.
#[kernel]
pub fn blend(front: &Surface2D, back: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let (over, under) = (front.read::<u8, 4, 32>(x, y), back.read::<u8, 4, 32>(x, y));
    let alpha: Matrix<u16, 4, 8> = over.select::<4, 1, 8, 4>(0, 3).convert();
    let mut out = over;
    for channel in 0..4 {
        let (a, b) = (over.select::<4, 1, 8, 4>(0, channel), under.select::<4, 1, 8, 4>(0, channel));
        let sum = a * alpha + b * (255 - alpha) + 128;
        out.select_mut::<4, 1, 8, 4>(0, channel).assign((sum + (sum >> 8)) >> 8);
    }
    output.write(x, y, &out);
}

/// A polynomial of halves.
#[kernel]
pub fn half_polynomial(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 64, thread_origin_y() * 4);
    let v = input.read::<f16, 4, 32>(x, y);
    let (a, b, c, d) = (f16::from_f32(0.25), f16::from_f32(-0.5), f16::from_f32(1.5), f16::from_f32(0.125));
    output.write(x, y, &(((v * a + b) * v + c) * v + d));
}

/// NV12 to packed RGBA: two rows of luma share a row of chroma. `W` columns, in `PARTS` parts of 16.
#[kernel]
pub fn nv12<const W: usize, const PARTS: usize>(
    brightness: &Surface2D,
    colours: &Surface2D,
    output: &mut Surface2D,
) {
    let (x, y) = (thread_origin_x() * W as u32, thread_origin_y() * 2);
    let texels = brightness.read::<u8, 2, W>(x, y);
    let pairs = colours.read::<u8, 1, W>(x, thread_origin_y());
    for part in 0..PARTS {
        let mut u = Matrix::<i16, 1, 16>::splat(0);
        let mut v = u;
        for k in 0..2 {
            u.select_mut::<1, 1, 8, 2>(0, k).assign(pairs.select::<1, 1, 8, 2>(0, 16 * part) - 128);
            v.select_mut::<1, 1, 8, 2>(0, k).assign(pairs.select::<1, 1, 8, 2>(0, 16 * part + 1) - 128);
        }
        for row in 0..2 {
            let bright = (texels.select::<1, 1, 16, 1>(row, 16 * part) - 16) * 298 + 128;
            let mut out = Matrix::<u8, 1, 64>::splat(255);
            out.select_mut::<1, 1, 16, 4>(0, 0).assign(((bright + v * 409) >> 8).saturate::<u8>());
            out.select_mut::<1, 1, 16, 4>(0, 1).assign(((bright - u * 100 - v * 208) >> 8).saturate::<u8>());
            out.select_mut::<1, 1, 16, 4>(0, 2).assign(((bright + u * 516) >> 8).saturate::<u8>());
            output.write((x + 16 * part as u32) * 4, y + row as u32, &out);
        }
    }
}

/// Halves width and height: means of four texels.
#[kernel]
pub fn downsample(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read::<u8, 8, 32>(x * 2, y * 2);
    let sum = block.select::<4, 2, 16, 2>(0, 0)
        + block.select::<4, 2, 16, 2>(0, 1)
        + block.select::<4, 2, 16, 2>(1, 0)
        + block.select::<4, 2, 16, 2>(1, 1);
    output.write(x, y, &((sum + 2) >> 2).convert::<u8>());
}

/// A binomial filter of 5 x 5 floats, rows first, then columns.
#[kernel]
pub fn blur5(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let block = input.read_block::<f32, 12, 12>(x.convert::<i32>() - 8, y.convert::<i32>() - 2);
    let rows = (block.select::<12, 1, 8, 1>(0, 0) + block.select::<12, 1, 8, 1>(0, 4)) * 0.0625f32
        + (block.select::<12, 1, 8, 1>(0, 1) + block.select::<12, 1, 8, 1>(0, 3)) * 0.25f32
        + block.select::<12, 1, 8, 1>(0, 2) * 0.375f32;
    let sum = (rows.select::<8, 1, 8, 1>(0, 0) + rows.select::<8, 1, 8, 1>(4, 0)) * 0.0625f32
        + (rows.select::<8, 1, 8, 1>(1, 0) + rows.select::<8, 1, 8, 1>(3, 0)) * 0.25f32
        + rows.select::<8, 1, 8, 1>(2, 0) * 0.375f32;
    output.write(x, y, &sum);
}

/// `y = a * x + y`, four blocks of 32 elements per thread.
#[kernel]
pub fn saxpy(a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>) {
    for block in 0..4 {
        let offset = thread_origin_x() * 512 + block * 128;
        let sum = x.read::<32>(offset) * a + y.read::<32>(offset);
        y.write(offset, &sum);
    }
}
