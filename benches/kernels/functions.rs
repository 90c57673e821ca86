//! Kernels of built-in functions, one for each family.

use cm::math;
use cm::prelude::*;

/// Sums, differences, products and shifts, saturated to bytes and words.
#[kernel]
pub fn limited(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let a = input.read::<u8, 4, 32>(x, y);
    let b = input.read::<u8, 4, 32>(x, y + 1);
    let sum = math::add_sat::<u8, _>(a, b);
    let difference = math::sub_sat::<u8, _>(sum, 40u8);
    let words = a.convert::<i16>() << 7;
    let product =
        math::add_sat::<i16, _>(words.convert::<i16>(), (b.convert::<i16>() * 100).convert::<i16>());
    let bytes: Matrix<u8, 4, 32> = (math::sub_sat::<i16, _>(product, 9000i16) >> 6).saturate();
    output.write(x, y, &math::max::<u8, _>(difference, bytes));
}

/// Minima, maxima, absolute values and averages of bytes and words.
#[kernel]
pub fn ordered(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let a = input.read::<u8, 4, 32>(x, y);
    let b = input.read::<u8, 4, 32>(x, y + 1);
    let c = input.read::<u8, 4, 32>(x, y + 2);
    let middle =
        math::max::<u8, _>(math::min::<u8, _>(a, b), math::min::<u8, _>(math::max::<u8, _>(a, b), c));
    let size: Matrix<u8, 4, 32> = math::abs::<u8, _>((b - c).convert::<i16>());
    output.write(x, y, &math::avg::<u8, _>(middle, size));
}

/// Absolute differences of neighbours, summed.
#[kernel]
pub fn distances(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let a = input.read::<u8, 4, 32>(x, y);
    let b = input.read::<u8, 4, 32>(x, y + 1);
    let c = input.read::<u8, 4, 32>(x, y + 2);
    let two = math::sad2::<u16, _>(a, b);
    let sums: Matrix<u8, 4, 32> = (math::sada2::<u16, _>(b, c, two) >> 2).convert();
    output.write(x, y, &sums);
}

/// The sum, the minimum and the maximum of a block.
#[kernel]
pub fn reduced(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 32, y * 8);
    let mut results = Vector::<u8, 4>::splat(0);
    results.get_mut(0).assign(math::sum::<u32, _>(block) >> 8);
    results.get_mut(1).assign(math::reduced_min::<u8, _>(block));
    results.get_mut(2).assign(math::reduced_max::<u8, _>(block));
    results.get_mut(3).assign(math::sum::<i32, _>(block.row(3).convert::<i16>()) >> 5);
    output.write(x * 4, y, &results);
}

/// Masks as bits, and bits as masks.
#[kernel]
pub fn packed_masks(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let a = input.read::<u8, 4, 32>(x, y);
    let mut out = a;
    for i in 0..4 {
        let bits = math::pack_mask(a.row(i) > 100);
        let mask = math::unpack_mask::<32>(bits ^ (bits << 1));
        out.row_mut(i).merge(255u8, &mask);
    }
    output.write(x, y, &out);
}

/// Counted, reversed, rotated and extracted bits.
#[kernel]
pub fn bits(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let words = input.read::<u8, 4, 32>(x, y).format::<u32, 4, 8>();
    let counted = math::cbit(words) + math::lzd(words | 1u32);
    let reversed = math::bf_reverse(words) ^ math::rol(words, 5);
    let field = math::bf_extract(9, 7, words) + (math::fbl(words) & 31u32);
    let all = reversed + counted * 0x0101_0101u32 + field;
    output.write(x, y, &all.format::<u8, 4, 32>());
}

/// Sums of products of neighbours and of bytes of dwords.
#[kernel]
pub fn dots(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let a = input.read::<u8, 4, 32>(x, y);
    let b = input.read::<u8, 4, 32>(x, y + 1);
    let four = math::dp4::<i32, _>(a, b).select::<4, 1, 8, 4>(0, 0);
    let (p, q) = (a.format::<u32, 4, 8>(), b.format::<u32, 4, 8>());
    let bytes = math::dp4a::<i32, _>(four, p, q);
    output.write(x, y, &bytes.format::<u8, 4, 32>());
}

/// Floats rounded in each direction, and the fractions.
#[kernel]
pub fn rounding(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let v = input.read::<f32, 4, 8>(x, y) * 37.5f32;
    let nearest = math::rnde::<f32, _>(v) + math::rndd::<f32, _>(v * 0.5f32);
    let others = math::rndu::<f32, _>(v * 0.25f32) - math::rndz::<f32, _>(v * 0.125f32);
    output.write(x, y, &(nearest * others + math::frc(v)));
}

/// Functions of floats.
#[kernel]
pub fn curves(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let v = input.read::<f32, 4, 8>(x, y);
    let size = math::abs::<f32, _>(v) + 0.125f32;
    let powers = math::exp(math::log(size) * 0.45f32) + math::pow(size, 1.2f32);
    let roots = math::sqrt(size) + math::rsqrt(size) + math::inv(size);
    let waves = math::sin(v) * math::cos(size);
    output.write(x, y, &(powers * roots + waves));
}

/// Inverse functions, which are composed of operators.
#[kernel]
pub fn angles(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let v = input.read::<f32, 4, 8>(x, y);
    output.write(x, y, &(math::atan2(v, 0.75f32) + math::tanh(v)));
}

/// Lanes that diverge.
#[kernel]
pub fn lanes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 32>(x, y);
    let mut out = block;
    for i in 0..4 {
        let mut v: Vector<i16, 32> = block.row(i).convert();
        simd_if! { v > 200 => {
            v -= 100;
        } else (v < 50) => {
            v *= 3;
        } else {
            v += 7;
        } }
        out.row_mut(i).assign(v);
    }
    output.write(x, y, &out);
}

/// A loop whose end depends on data, and a choice of one of several paths for each number.
#[kernel]
pub fn choices(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let mut block = input.read::<u8, 4, 32>(x, y);
    let mut round = 0u32;
    while round < 4u32 {
        let row = block.row(round);
        match row.get(0) & 3 {
            0 => block.row_mut(round).assign(row >> 1),
            1 => block.row_mut(round).assign(math::avg::<u8, _>(row, 255u8)),
            2 => break,
            _ => block.row_mut(round).assign(255 - row),
        }
        round += 1;
    }
    output.write(x, y, &block);
}

/// Floats as `f16` and `bf16`, and back.
#[kernel]
pub fn short_floats(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let v = input.read::<f32, 4, 8>(x, y);
    let (half, brain) = (v.convert::<f16>(), v.convert::<bf16>());
    output.write(x, y, &(half.convert::<f32>() + brain.convert::<f32>()));
}
