//! Kernels of signals in buffers: packed samples, sums of rows, and resampling by a table.

use cm::prelude::*;

/// Packs three numbers of 10 bits in each dword.
#[kernel]
pub fn pack10(x: &Buffer<u16>, y: &mut Buffer<u32>) {
    let n = thread_origin_x();
    let v = x.read_linear::<96>(n * 192);
    let a: Vector<u32, 32> = v.select::<32, 3>(0).convert();
    let b: Vector<u32, 32> = v.select::<32, 3>(1).convert();
    let c: Vector<u32, 32> = v.select::<32, 3>(2).convert();
    y.write_linear(n * 128, &(a | (b << 10) | (c << 20)));
}

/// Unpacks them.
#[kernel]
pub fn unpack10(x: &Buffer<u32>, y: &mut Buffer<u16>) {
    let n = thread_origin_x();
    let v = x.read_linear::<32>(n * 128);
    let mut out = Vector::<u16, 96>::splat(0);
    out.select_mut::<32, 3>(0).assign(v & 1023);
    out.select_mut::<32, 3>(1).assign((v >> 10) & 1023);
    out.select_mut::<32, 3>(2).assign((v >> 20) & 1023);
    y.write_linear(n * 192, &out);
}

/// The reciprocal norms of rows of 64 floats.
#[kernel]
pub fn norms(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let first = thread_origin_x() * 8;
    let mut out = Vector::<f32, 8>::splat(0.0);
    for r in 0..8 {
        let v = x.read_linear::<64>((first + r) * 256);
        out.get_mut(r).assign(math::rsqrt(math::sum::<f32, _>(v * v)));
    }
    y.write(first * 4, &out);
}

/// The sums, and the sums of the squares, of tiles of 16 x 16 bytes.
#[kernel]
pub fn moments(input: &Surface2D, output: &mut Buffer<u32>, width: u32) {
    let b = input.read::<u8, 16, 16>(thread_origin_x() * 16, thread_origin_y() * 16);
    let mut out = Vector::<u32, 4>::splat(0);
    out.get_mut(0).assign(math::sum::<u32, _>(b));
    out.get_mut(1).assign(math::sum::<u32, _>(b * b));
    output.write((thread_origin_y() * width + thread_origin_x()) * 16, &out);
}

/// `y = a * x + y` of halves.
#[kernel]
pub fn half_axpy(a: f16, x: &Buffer<f16>, y: &mut Buffer<f16>) {
    let offset = thread_origin_x() * 256;
    let sum = x.read_linear::<128>(offset) * a + y.read_linear::<128>(offset);
    y.write_linear(offset, &sum);
}

/// Resamples a row of bytes by a table of four weights for each of 16 phases.
#[kernel]
pub fn resample(input: &Buffer<u8>, weights: &Buffer<f32>, output: &mut Buffer<f32>, step: f32) {
    let first = thread_origin_x() * 32;
    let mut at = Vector::<u32, 32>::splat(0);
    at.vector_assign(first, 1);
    let place: Vector<f32, 32> = at * step;
    let whole: Vector<u32, 32> = place.convert();
    let phase: Vector<u32, 32> = ((place - whole) * 16.0f32).convert();
    let mut sum = Vector::<f32, 32>::splat(0.0);
    for k in 0..4 {
        let v: Vector<u8, 32> = input.read_scattered(0, &(whole + k as u32));
        let w: Vector<f32, 32> = weights.read_scattered(0, &(phase * 4 + k as u32).convert::<u32>());
        sum += v * w;
    }
    output.write_linear(first * 4, &sum);
}

/// Multiplies 16 vectors by a matrix.
#[kernel]
pub fn transformed(matrix: Matrix<f32, 4, 4>, x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let offset = thread_origin_x() * 256;
    let vectors = x.read_linear::<64>(offset);
    let mut out = Vector::<f32, 64>::splat(0.0f32);
    for row in 0..4 {
        let mut sum = vectors.select::<16, 4>(0) * matrix.get(row, 0);
        for column in 1..4 {
            sum += vectors.select::<16, 4>(column) * matrix.get(row, column);
        }
        out.select_mut::<16, 4>(row).assign(sum);
    }
    y.write_linear(offset, &out);
}
