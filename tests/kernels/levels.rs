//! Kernels that quantise and scale rows of numbers, look levels up in tables, filter channels, and take packed numbers apart.

use cm::prelude::*;

/// Rows of 128 floats to signed bytes, with a scale for each row.
#[kernel]
pub fn quantised(x: &Buffer<f32>, y: &mut Buffer<i8>, scales: &mut Buffer<f32>) {
    let first = thread_origin_x() * 4;
    let mut all = Vector::<f32, 4>::splat(0.0);
    for row in 0..4 {
        let v = x.read_linear::<128>((first + row) * 512);
        let most = math::reduced_max::<f32, _>(math::abs::<f32, _>(v));
        all.get_mut(row).assign(most * (1.0f32 / 127.0));
        let levels = math::rnde::<f32, _>(v * (127.0f32 / most));
        y.write_linear((first + row) * 128, &levels.convert::<i8>());
    }
    scales.write(first * 4, &all);
}

/// Pairs of levels of four bits to halves, with a scale for 32.
#[kernel]
pub fn scaled_nibbles(x: &Buffer<u8>, scales: &Buffer<f16>, y: &mut Buffer<f16>) {
    let first = thread_origin_x() * 256;
    let pairs = x.read_linear::<128>(first / 2);
    let scale = scales.read_linear::<8>(first / 16);
    let mut all = Vector::<f16, 256>::splat(0.0);
    for group in 0..8 {
        let own = pairs.select::<16, 1>(group * 16);
        let low: Vector<i8, 16> = ((own & 15).convert::<i16>() - 8).convert();
        let high: Vector<i8, 16> = ((own >> 4).convert::<i16>() - 8).convert();
        all.select_mut::<16, 2>(group * 32).assign(low.convert::<f16>() * scale.get(group));
        all.select_mut::<16, 2>(group * 32 + 1).assign(high.convert::<f16>() * scale.get(group));
    }
    y.write_linear(first * 2, &all);
}

/// A curve of straight lines between 32 numbers of a table; beyond its ends, the lines go on.
#[kernel]
pub fn curve(x: &Buffer<f32>, table: &Buffer<f32>, y: &mut Buffer<f32>) {
    let offset = thread_origin_x() * 256;
    let t = table.read_linear::<32>(0);
    let v = x.read_linear::<64>(offset) * 31.0f32;
    let whole = math::min::<f32, _>(math::max::<f32, _>(math::rndd::<f32, _>(v), 0.0f32), 30.0f32);
    let at: Vector<u16, 64> = whole.convert();
    let (a, b) = (t.iselect(at), t.iselect((at + 1).convert::<u16>()));
    y.write_linear(offset, &(a + (b - a) * (v - whole)));
}

/// Second-order filters in fixed point over 16 channels of words: a row is computed from the two rows before it.
#[kernel]
pub fn second_order(x: &Surface2D, y: &mut Surface2D, a: i16, b: i16, c: i16, d: i16, e: i16) {
    let (column, row) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let v = x.read_block::<i16, 18, 16>(column * 2, row);
    let (mut last, mut before) = (Vector::<i16, 16>::splat(0), Vector::<i16, 16>::splat(0));
    let mut all = Matrix::<i16, 16, 16>::splat(0);
    for i in 0..16 {
        let now = v.row(i + 2) * a + v.row(i + 1) * b + v.row(i) * c - last * d - before * e;
        before = last;
        last = ((now + 8192) >> 14).saturate::<i16>();
        all.row_mut(i).assign(last);
    }
    y.write_block(column * 2, row, &all);
}

/// Numbers of 12 bits, two in three bytes: their upper bits, then the lower four bits of both.
#[kernel]
pub fn unpacked12(x: &Buffer<u8>, y: &mut Buffer<u16>) {
    let first = thread_origin_x() * 64;
    let v = x.read_linear::<96>(first / 2 * 3);
    let (a, b, low) = (v.select::<32, 3>(0), v.select::<32, 3>(1), v.select::<32, 3>(2));
    let mut all = Vector::<u16, 64>::splat(0);
    all.select_mut::<32, 2>(0).assign((a << 4) | (low & 15));
    all.select_mut::<32, 2>(1).assign((b << 4) | (low >> 4));
    y.write_linear(first * 2, &all);
}

/// Packed RGB to three planes of floats, below each other, each scaled and moved.
#[kernel]
pub fn planes(x: &Surface2D, y: &mut Surface2D, scale: f32, offset: f32, height: u32) {
    let (column, row) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let texels = x.read_block::<u8, 4, 48>(column * 3, row);
    for channel in 0..3 {
        let plane: Matrix<f32, 4, 16> = texels.select::<4, 1, 16, 3>(0, channel) * scale + offset;
        y.write_block(column * 4, row + height * channel as u32, &plane);
    }
}
