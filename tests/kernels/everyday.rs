//! More kernels of the classes that media programs have, in the form that a user would write first: pixels of
//! three bytes, words, tables, planes, sums of blocks, and interpolation.

use cm::prelude::*;

/// Packed RGB to grey, with integers.
#[kernel]
pub fn grey(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 48>(x * 3, y);
    let sum = block.select::<4, 1, 16, 3>(0, 0) * 77
        + block.select::<4, 1, 16, 3>(0, 1) * 150
        + block.select::<4, 1, 16, 3>(0, 2) * 29
        + 128;
    output.write(x, y, &(sum >> 8).convert::<u8>());
}

/// The minimum of 3 x 3 words (erosion).
#[kernel]
pub fn erode(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u16, 10, 18>(x.convert::<i32>() * 2 - 2, y.convert::<i32>() - 1);
    let rows = math::min::<u16, _>(block.select::<10, 1, 16, 1>(0, 0), block.select::<10, 1, 16, 1>(0, 1));
    let rows = math::min::<u16, _>(rows, block.select::<10, 1, 16, 1>(0, 2));
    let low = math::min::<u16, _>(rows.select::<8, 1, 16, 1>(0, 0), rows.select::<8, 1, 16, 1>(1, 0));
    output.write(x * 2, y, &math::min::<u16, _>(low, rows.select::<8, 1, 16, 1>(2, 0)));
}

/// Maps each byte by a table, 128 bytes per thread.
#[kernel]
pub fn gamma(table: &Buffer<u8>, input: &Buffer<u8>, output: &mut Buffer<u8>) {
    let offset = thread_origin_x() * 128;
    let values = input.read::<128>(offset);
    let mut out = values;
    for part in 0..8 {
        let at: Vector<u32, 16> = values.select::<16, 1>(part * 16).convert();
        out.select_mut::<16, 1>(part * 16).assign(table.read_scattered(0, &at));
    }
    output.write(offset, &out);
}

/// Blends a plane over another one, with a plane of opacities.
#[kernel]
pub fn compose(front: &Surface2D, opacity: &Surface2D, back: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let (over, under) = (front.read::<u8, 4, 32>(x, y), back.read::<u8, 4, 32>(x, y));
    let alpha = opacity.read::<u8, 4, 32>(x, y);
    let sum = over * alpha + under * (255 - alpha) + 128;
    output.write(x, y, &((sum + (sum >> 8)) >> 8).convert::<u8>());
}

/// The sums of absolute differences of four blocks of 8 x 8 bytes.
#[kernel]
pub fn block_differences(current: &Surface2D, other: &Surface2D, sums: &mut Buffer<u32>, width: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let (a, b) = (current.read::<u8, 8, 32>(x, y), other.read::<u8, 8, 32>(x, y));
    let mut columns = Vector::<u16, 32>::splat(0);
    for row in 0..8 {
        columns += math::abs::<u16, _>(a.row(row) - b.row(row));
    }
    let mut blocks = Vector::<u32, 4>::splat(0);
    for block in 0..4 {
        let columns = columns.select::<8, 1>(block * 8);
        blocks.get_mut(block).assign(math::sum::<u32, _>(columns));
    }
    sums.write((thread_origin_y() * width + thread_origin_x()) * 16, &blocks);
}

/// Halves width and height of pixels of four bytes: means of four pixels, a channel after the other.
#[kernel]
pub fn halve_rgba(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read_block::<u8, 8, 64>(x * 2, y * 2);
    let rows: Matrix<u16, 4, 64> =
        (block.select::<4, 2, 64, 1>(0, 0) + block.select::<4, 2, 64, 1>(1, 0)).convert();
    let mut out = Matrix::<u8, 4, 32>::splat(0);
    for c in 0..4 {
        let sum = rows.select::<4, 1, 8, 8>(0, c) + rows.select::<4, 1, 8, 8>(0, c + 4);
        out.select_mut::<4, 1, 8, 4>(0, c).assign((sum + 2) >> 2);
    }
    output.write(x, y, &out);
}

/// Doubles width and height: means of the nearest two or four texels.
#[kernel]
pub fn upscale(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 5, 32>(x, y);
    let (a, b) = (block.select::<4, 1, 16, 1>(0, 0), block.select::<4, 1, 16, 1>(0, 1));
    let (c, d) = (block.select::<4, 1, 16, 1>(1, 0), block.select::<4, 1, 16, 1>(1, 1));
    let mut out = Matrix::<u8, 8, 32>::splat(0);
    out.select_mut::<4, 2, 16, 2>(0, 0).assign(a);
    out.select_mut::<4, 2, 16, 2>(0, 1).assign((a + b + 1) >> 1);
    out.select_mut::<4, 2, 16, 2>(1, 0).assign((a + c + 1) >> 1);
    out.select_mut::<4, 2, 16, 2>(1, 1).assign((a + b + c + d + 2) >> 2);
    output.write(x * 2, y * 2, &out);
}

/// The number of iterations for which complex numbers stay small (Mandelbrot), for `N` numbers of a row.
#[kernel]
pub fn escape<const N: usize>(output: &mut Surface2D, step: f32, rounds: u32) {
    let (column, row) = (thread_origin_x() * N, thread_origin_y());
    let mut columns = Vector::<u32, N>::splat(0);
    columns.vector_assign(column, 1);
    let x: Vector<f32, N> = columns * step - 2.0f32;
    let y = row * step - 1.0f32;
    let (mut re, mut im) = (x, Vector::<f32, N>::splat(y));
    let mut count = Vector::<u16, N>::splat(0);
    let mut inside = Vector::<u16, N>::splat(1);
    let mut round = 0u32;
    while round < rounds && inside.any() {
        let (re2, im2) = (re * re, im * im);
        inside &= re2 + im2 < 4.0f32;
        count += inside;
        im.assign(re * im * 2.0f32 + y);
        re.assign(re2 - im2 + x);
        round += 1;
    }
    output.write(column * 2, row, &count);
}

#[function]
fn low(a: Matrix<u8, 8, 16>, b: Matrix<u8, 8, 16>) -> Matrix<u8, 8, 16> {
    math::min::<u8, _>(a, b)
}

#[function]
fn high(a: Matrix<u8, 8, 16>, b: Matrix<u8, 8, 16>) -> Matrix<u8, 8, 16> {
    math::max::<u8, _>(a, b)
}

/// The median of a byte and its four neighbours.
#[kernel]
pub fn cross_median(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 10, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let (up, down) = (block.select::<8, 1, 16, 1>(0, 1), block.select::<8, 1, 16, 1>(2, 1));
    let (left, right) = (block.select::<8, 1, 16, 1>(1, 0), block.select::<8, 1, 16, 1>(1, 2));
    let (a, b) = (low(up, down), high(up, down));
    let (c, d) = (low(left, right), high(left, right));
    let (a, b) = (high(a, c), low(b, d));
    let (a, b) = (low(a, b), high(a, b));
    output.write(x, y, &high(a, low(b, block.select::<8, 1, 16, 1>(1, 1))));
}

/// The lengths of the gradients of 3 x 3 bytes (Sobel).
#[kernel]
pub fn slopes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 10, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let across = block.select::<8, 1, 16, 1>(0, 2) - block.select::<8, 1, 16, 1>(0, 0)
        + (block.select::<8, 1, 16, 1>(1, 2) - block.select::<8, 1, 16, 1>(1, 0)) * 2
        + block.select::<8, 1, 16, 1>(2, 2)
        - block.select::<8, 1, 16, 1>(2, 0);
    let down = block.select::<8, 1, 16, 1>(2, 0) - block.select::<8, 1, 16, 1>(0, 0)
        + (block.select::<8, 1, 16, 1>(2, 1) - block.select::<8, 1, 16, 1>(0, 1)) * 2
        + block.select::<8, 1, 16, 1>(2, 2)
        - block.select::<8, 1, 16, 1>(0, 2);
    let squares: Matrix<f32, 8, 16> = (across * across + down * down).convert();
    output.write(x, y, &math::sqrt(squares).saturate::<u8>());
}

/// A filter of 3 x 3 bytes that keeps edges (bilateral): similar neighbours count more.
#[kernel]
pub fn bilateral(input: &Surface2D, output: &mut Surface2D, sharpness: f32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 6, 18>(x.convert::<i32>() - 1, y.convert::<i32>() - 1);
    let centre: Matrix<f32, 4, 16> = block.select::<4, 1, 16, 1>(1, 1).convert();
    let mut sum = Matrix::<f32, 4, 16>::splat(0.0);
    let mut weights = Matrix::<f32, 4, 16>::splat(0.0);
    for row in 0..3 {
        for column in 0..3 {
            let value: Matrix<f32, 4, 16> = block.select::<4, 1, 16, 1>(row, column).convert();
            let difference = value - centre;
            let weight = math::inv(difference * difference * sharpness + 1.0f32);
            sum += value * weight;
            weights += weight;
        }
    }
    output.write(x, y, &(sum * math::inv(weights) + 0.5f32).convert::<u8>());
}

/// Premultiplied colours over others, with saturation.
#[kernel]
pub fn premultiplied(front: &Surface2D, back: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let (over, under) = (front.read::<u8, 4, 32>(x, y), back.read::<u8, 4, 32>(x, y));
    let mut out = Matrix::<u8, 4, 32>::splat(0);
    for channel in 0..4 {
        let rest = 255 - over.select::<4, 1, 8, 4>(0, 3);
        let part = (under.select::<4, 1, 8, 4>(0, channel) * rest + 128) >> 8;
        out.select_mut::<4, 1, 8, 4>(0, channel)
            .assign(math::add_sat::<u8, _>(over.select::<4, 1, 8, 4>(0, channel), part));
    }
    output.write(x, y, &out);
}

/// The sums of absolute differences of 16 x 16 bytes at 4 x 8 positions (motion search).
#[kernel]
pub fn positions(current: &Surface2D, other: &Surface2D, sums: &mut Buffer<u16>, width: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let block = current.read::<u8, 16, 16>(x, y);
    let window = other.read_block::<u8, 19, 24>(x.convert::<i32>() - 4, y.convert::<i32>() - 2);
    let mut all = Vector::<u16, 32>::splat(0);
    for down in 0..4 {
        for across in 0..8 {
            let differences = math::abs::<u16, _>(window.select::<16, 1, 16, 1>(down, across) - block);
            all.get_mut(down * 8 + across).assign(math::sum::<u16, _>(differences));
        }
    }
    sums.write((thread_origin_y() * width + thread_origin_x()) * 64, &all);
}

/// The softmax of rows of 64 halves.
#[kernel]
pub fn softmax(input: &Buffer<f16>, output: &mut Buffer<f16>) {
    let offset = thread_origin_x() * 128;
    let values: Vector<f32, 64> = input.read::<64>(offset).convert();
    let powers = math::exp((values - math::reduced_max::<f32, _>(values)) * std::f32::consts::LOG2_E);
    let total = math::sum::<f32, _>(powers);
    output.write(offset, &(powers * math::inv(total)).convert::<f16>());
}

/// Which bytes are above a limit, as bits.
#[kernel]
pub fn thresholds(input: &Surface2D, output: &mut Buffer<u32>, limit: u32, width: u32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let mut bits = Vector::<u32, 8>::splat(0);
    for row in 0..8 {
        let above: Vector<u16, 32> = block.row(row) > limit;
        bits.get_mut(row).assign(math::pack_mask(above));
    }
    output.write((thread_origin_y() * width + thread_origin_x()) * 32, &bits);
}

/// Replaces pixels near a colour by those of another picture.
#[kernel]
pub fn chroma_key(front: &Surface2D, back: &Surface2D, output: &mut Surface2D, limit: i32) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let (over, under) = (front.read::<u8, 4, 32>(x, y), back.read::<u8, 4, 32>(x, y));
    let distance = math::abs::<i32, _>(over.select::<4, 1, 8, 4>(0, 0) - 20)
        + math::abs::<i32, _>(over.select::<4, 1, 8, 4>(0, 1) - 200)
        + math::abs::<i32, _>(over.select::<4, 1, 8, 4>(0, 2) - 30);
    let near = distance < limit;
    let mut out: Matrix<u32, 4, 8> = over.format_matrix::<u32, 4, 8>();
    out.merge(under.format_matrix::<u32, 4, 8>(), &near);
    output.write(x, y, &out);
}

/// A matrix of bytes times a vector: 16 rows of 64.
#[kernel]
pub fn rows_of_bytes(matrix: &Buffer<i8>, vector: &Buffer<i8>, sums: &mut Buffer<i32>, columns: u32) {
    let first = thread_origin_x() * 16;
    let mut all = Vector::<i32, 16>::splat(0);
    let vector = vector.read::<64>(0);
    for row in 0..16 {
        let products = matrix.read::<64>((first + row) * columns) * vector;
        all.get_mut(row).assign(math::sum::<i32, _>(products));
    }
    sums.write(first * 4, &all);
}

/// A filter of 5 x 5 bytes, first down the columns of a block with its neighbours on both sides, then along the rows.
#[kernel]
pub fn smooth(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 12, 20>(x.convert::<i32>() - 2, y.convert::<i32>() - 2);
    let down: Matrix<u16, 8, 20> = (block.select::<8, 1, 20, 1>(0, 0)
        + block.select::<8, 1, 20, 1>(4, 0)
        + (block.select::<8, 1, 20, 1>(1, 0) + block.select::<8, 1, 20, 1>(3, 0)) * 4
        + block.select::<8, 1, 20, 1>(2, 0) * 6)
        .convert();
    let along = down.select::<8, 1, 16, 1>(0, 0)
        + down.select::<8, 1, 16, 1>(0, 4)
        + (down.select::<8, 1, 16, 1>(0, 1) + down.select::<8, 1, 16, 1>(0, 3)) * 4
        + down.select::<8, 1, 16, 1>(0, 2) * 6;
    output.write(x, y, &((along + 128) >> 8).convert::<u8>());
}

/// How much texels are corners: products of gradients, summed over 3 x 3 texels (Harris).
#[kernel]
pub fn corners(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read_block::<u8, 8, 12>(x.convert::<i32>() - 2, y.convert::<i32>() - 2);
    let across = block.select::<6, 1, 10, 1>(1, 2) - block.select::<6, 1, 10, 1>(1, 0);
    let down = block.select::<6, 1, 10, 1>(2, 1) - block.select::<6, 1, 10, 1>(0, 1);
    let (across, down): (Matrix<f32, 6, 10>, Matrix<f32, 6, 10>) = (across.convert(), down.convert());
    let products = [across * across, down * down, across * down];
    let mut sums = [Matrix::<f32, 4, 8>::splat(0.0f32); 3];
    for n in 0..3 {
        for row in 0..3 {
            for column in 0..3 {
                sums[n] += products[n].select::<4, 1, 8, 1>(row, column);
            }
        }
    }
    let trace = sums[0] + sums[1];
    let found = sums[0] * sums[1] - sums[2] * sums[2] - trace * trace * 0.0625f32;
    output.write(x * 4, y, &found);
}
