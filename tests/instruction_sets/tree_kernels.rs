//! Kernels with trees of operators and loops, which the CPU computes in other steps for one thread and for two side by side.

use cm::prelude::*;

/// The results of operators have a name, and regions of them are operands.
#[kernel]
pub fn two_passes(input: &Surface2D, output: &mut Surface2D, factor: u8) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let m = input.read_block::<u8, 6, 12>(x.convert::<i32>() - 2, y.convert::<i32>() - 1);
    let sums: Matrix<u16, 4, 12> = (m.select::<4, 1, 12, 1>(0, 0)
        + m.select::<4, 1, 12, 1>(1, 0) * factor
        + m.select::<4, 1, 12, 1>(2, 0))
    .convert();
    let all =
        sums.select::<4, 1, 8, 1>(0, 0) + sums.select::<4, 1, 8, 1>(0, 4) + sums.select::<4, 1, 8, 1>(0, 2);
    output.write(x, y, &(all >> 4).convert::<u8>());
}

/// Trees of operators that are large enough for loops over rows: on regions of registers and of the surface, with
/// staged offsets and numbers, on every second row, and on rows as short as vectors.
#[kernel]
pub fn trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 20, y * 8);
    let m: Matrix<u8, 8, 32> = (input.read::<u8, 8, 32>(x * 20 + 1, y * 8) ^ 85).convert();
    let mut sum: Matrix<i16, 8, 20> =
        (block.select::<8, 1, 20, 1>(0, 0) - block.select::<8, 1, 20, 1>(0, 5) * (x % 3) + 7).convert();
    sum += (3 * m.select::<8, 1, 20, 1>(0, x % 13) - block.select::<8, 1, 20, 1>(0, 2)) >> (y % 4);
    sum -= sum.select::<8, 1, 20, 1>(0, 0) / 4 + y;
    let mut out: Matrix<u8, 8, 20> = (sum + 255 - m.select::<8, 1, 20, 1>(0, 12)).saturate();
    let short = (m.select::<8, 1, 12, 1>(0, x % 9) + 1) * 2 - block.select::<8, 1, 12, 1>(0, 20);
    out.select_mut::<8, 1, 12, 1>(0, 4).assign(out.select::<8, 1, 12, 1>(0, 1) ^ short);
    let odd = (block.select::<4, 2, 20, 1>(1, 11) | m.select::<4, 2, 20, 1>(0, 0)) & 0x5a;
    out.select_mut::<4, 2, 20, 1>(0, 0) += odd;
    let bright: Matrix<u8, 8, 20> =
        (m.select::<8, 1, 20, 1>(0, 1) * 0.25f32 + block.select::<8, 1, 20, 1>(0, x % 2) * 0.5f32).convert();
    let rows: Vector<u8, 32> = (m.row(x % 8) * 3 + block.row((x + y) % 8)).convert();
    out.row_mut(3).select_mut::<20, 1>(0).assign(rows.select::<20, 1>(7));
    let whole: Matrix<u8, 3, 32> =
        (m.select::<3, 1, 32, 1>(x % 6, 0) - m.select::<3, 1, 32, 1>(2, 0) * 2).convert();
    out.select_mut::<3, 1, 16, 1>(5, 4).assign(whole.select::<3, 1, 16, 1>(0, 16));
    let line = m.format::<u8>();
    let shifted: Vector<u8, 160> = (line.select::<160, 1>(y % 64) * 5 + line.select::<160, 1>(95)).convert();
    output.write(x * 20, y * 8, &(out ^ bright ^ shifted.format_matrix::<u8, 8, 20>()).convert::<u8>());
}

/// Comparisons in trees: of regions, bytes beside longer numbers, negative numbers and floats; as masks of bytes, words and
/// floats, as numbers, with a name, and of registers that change afterwards.
#[kernel]
pub fn masks_of_trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 16, y * 8);
    let m: Matrix<i16, 8, 32> = (input.read::<u8, 8, 32>(x * 16 + 1, y * 8) - 85).convert();
    let mid = block.select::<8, 1, 16, 1>(0, 4);
    let peak =
        (mid > block.select::<8, 1, 16, 1>(0, 3)) & (mid >= block.select::<8, 1, 16, 1>(0, 5)) | (x >= mid);
    let mut out = Matrix::<u8, 8, 16>::splat(3);
    out.merge(mid, peak);
    out.merge(out + 1, (m.select::<8, 1, 16, 1>(0, 2) < -20) ^ (mid == 7));
    let mut words: Matrix<i16, 8, 16> = (m.select::<8, 1, 16, 1>(0, x % 9) * 2).convert();
    words.merge(-1, &(words - m.select::<8, 1, 16, 1>(0, 1) > y));
    words.merge_else(words, 5, (words != -1) & (300 > mid) & (block.select::<8, 1, 16, 1>(0, 9) <= 200));
    let mut bits = Matrix::<u16, 8, 16>::splat(0);
    for i in 0..5 {
        bits |= (block.select::<8, 1, 16, 1>(0, i * 2) < mid).convert::<u16>() << i;
    }
    let halves: Matrix<f32, 8, 16> = (m.select::<8, 1, 16, 1>(0, 3) * 0.5f32).convert();
    let mut light = halves;
    light.merge(1.5f32, (halves < 0.0f32) | (halves * 3.0f32 >= 90.0f32));
    let low = words.row(2) < m.row(x % 8).select::<16, 1>(0);
    words.row_mut(2).merge(9, low);
    out.row_mut(1).merge(77, low & (bits.row(1) > 3));
    output.write(x * 16, y * 8, &(out + words + bits + light.convert::<i16>()).convert::<u8>());
}

/// Trees with names that are used once, twice in a tree and in loops, whose operands change afterwards, and
/// that another name hides; and trees that are converted by an assignment.
#[kernel]
pub fn named_trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 16, y * 8);
    let m: Matrix<i16, 8, 32> = (input.read::<u8, 8, 32>(x * 16 + 1, y * 8) ^ 85).convert();
    let sum = block.select::<8, 1, 16, 1>(0, 1) * 3 + m.select::<8, 1, 16, 1>(0, 2) * x;
    let mut out: Matrix<i16, 8, 16> = ((sum + 128) >> 2).convert();
    let mean = (block.select::<8, 1, 16, 1>(0, 3) + out) / 2;
    let squared: Matrix<i16, 8, 16> = (mean * mean - mean).convert();
    let before = out + 1;
    out += squared;
    let twice = out.select::<8, 1, 16, 1>(0, 0) * 2 - 1;
    out -= before;
    out += twice;
    let low = m.select::<8, 1, 16, 1>(0, x % 7) & 15;
    for i in 0..3 {
        let factor = if i == 1 { 3 } else { i + 1 };
        let step = low * factor;
        out += step + i;
    }
    let value = out ^ squared;
    let value = (value + 5).saturate::<u8>();
    let mut bytes = Matrix::<u8, 8, 16>::splat(7);
    let across = m.row(2).select::<16, 1>(3) * 2 + block.row(5).select::<16, 1>(y % 8);
    bytes.row_mut(1).assign(across);
    bytes.row_mut(2).assign(bytes.row(1) + 3);
    bytes
        .select_mut::<2, 2, 16, 1>(4, 0)
        .assign(m.select::<2, 1, 16, 1>(1, 4) - low.select::<2, 1, 16, 1>(6, 0));
    let light = block.select::<8, 1, 16, 1>(0, x % 3) * 0.5f32 + 0.25f32;
    let mut halves = Matrix::<i16, 8, 16>::splat(0);
    halves.assign(light * 3.0f32);
    let difference = m.select::<8, 1, 16, 1>(0, 9) - block.select::<8, 1, 16, 1>(0, 3);
    let apart = math::abs::<u8, _>(difference);
    let far = math::max::<i16, _>(m.select::<8, 1, 16, 1>(0, 1) * 2 - out, block.select::<8, 1, 16, 1>(0, 0));
    let near = math::min_sat::<u8, _>(far - 3, 77);
    let root = math::sqrt(light * light + 2.0f32);
    let other = math::abs::<i16, _>(out - squared) - math::abs::<i16, _>(squared - 1);
    let wide: Matrix<i16, 8, 16> = block.select::<8, 1, 16, 1>(0, 2).convert();
    let apart_by_four: Matrix<f32, 8, 4> = block.select::<8, 1, 4, 4>(0, 5).convert();
    let kept: Matrix<i32, 8, 16> = out.convert();
    out += wide * 3;
    for i in 0..2 {
        out += (wide - 300) * i;
    }
    let quarters = (apart_by_four * 0.25f32 + apart_by_four.select::<8, 1, 4, 1>(0, 0)).convert::<i16>();
    out.select_mut::<8, 1, 4, 1>(0, 6).assign(quarters + block.select::<8, 1, 4, 1>(0, 5));
    let bits = value ^ bytes ^ halves ^ apart ^ far ^ near ^ other ^ root.convert::<u8>() ^ (kept - out);
    output.write(x * 16, y * 8, &bits.convert::<u8>());
}

/// Trees that are converted where they are declared: to fewer bits, signed ones, floats and back, and then used once, also in
/// a difference that is limited; and columns of blocks that begin in those of the thread before.
#[kernel]
pub fn converted_names(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 12, 20>(x, y);
    let sums: Matrix<u16, 8, 20> =
        (block.select::<8, 1, 20, 1>(0, 0) + block.select::<8, 1, 20, 1>(4, 0) * 3).convert();
    let near = sums.select::<8, 1, 16, 1>(0, 0) + sums.select::<8, 1, 16, 1>(0, 4);
    let cut: Matrix<u8, 8, 16> = (near * 3 - 700).convert();
    let signed: Matrix<i8, 8, 16> = (block.select::<8, 1, 16, 1>(1, 2) * 2 - 5).convert();
    let mixed = (cut * 5 - signed * 9).convert::<i16>();
    let light: Matrix<f32, 8, 16> = (mixed * 3).convert();
    let halves: Matrix<i16, 8, 16> = (light * 0.5f32 + 0.25f32).convert();
    let shifted: Matrix<u16, 8, 16> = (halves << 5).convert();
    let mut out = ((shifted >> 3) - 20).convert::<u8>();
    let high: Matrix<i16, 8, 16> = (block.select::<8, 1, 16, 1>(2, 1) * 257).convert();
    let low = (block.select::<8, 1, 16, 1>(0, 4) * -129).convert::<i16>();
    out ^= (high - low).saturate::<i8>();
    let words = input.read_block::<u16, 10, 12>(x, y);
    let products: Matrix<u32, 8, 12> =
        (words.select::<8, 1, 12, 1>(0, 0) * 7 + words.select::<8, 1, 12, 1>(2, 0)).convert();
    let both = products.select::<8, 1, 8, 1>(0, 0) + products.select::<8, 1, 8, 1>(0, 4);
    out.select_mut::<8, 1, 8, 1>(0, 8).assign(out.select::<8, 1, 8, 1>(0, 8) ^ (both >> 5));
    output.write(x, y, &out);
}

/// Functions of trees whose numbers 16 bits hold, just hold, and do not hold.
#[kernel]
pub fn functions_of_trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let (a, b) = (block.select::<8, 1, 16, 1>(0, 0), block.select::<8, 1, 16, 1>(0, 1));
    let inside = math::abs::<i32, _>(a * 64 - b * 64);
    let highest = math::abs::<i32, _>(a * 128 - b + 127);
    let too_high = math::abs::<i32, _>(a * 128 - b + 128);
    let lowest = math::abs::<i32, _>(b * -128 - a + 127);
    let too_low = math::abs::<i32, _>(b * -128 - a + 126);
    let ones = math::cbit(a * 3u32 - b);
    let short = math::abs_sat::<u8, _>(a - b * 3);
    let out = inside ^ highest * 3 ^ too_high * 5 ^ lowest * 7 ^ too_low * 9 ^ ones * 11 ^ short;
    output.write(x, y, &(out ^ (out >> 8)).convert::<u8>());
}

/// Rows of threads one beside the other, apart, and the same for all. Limited sums that 16 bits hold, just hold, and do not
/// hold.
#[kernel]
pub fn sides(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read_block::<u8, 6, 36>(x, y);
    let apart = input.read_block::<u8, 4, 32>(x * 2, y);
    let same = input.read_block::<u8, 4, 32>(7, y);
    let weights: Matrix<i16, 4, 32> = (apart ^ 85).convert();
    let (a, b) = (block.select::<4, 1, 32, 1>(0, 0), block.select::<4, 1, 32, 1>(1, 3));
    let held = (a * 128 - b + 127).saturate::<u8>();
    let not_held = (a * 128 - b + 128).saturate::<i16>();
    let low_held = (b * -128 - a + 127).saturate::<i8>();
    let low_not_held = (b * -128 - a + 126).saturate::<i16>();
    let beside = (block.select::<4, 1, 32, 1>(2, 1) + apart * 2 - same).saturate::<u8>();
    let all_beside =
        (block.select::<4, 1, 32, 1>(0, 1) - block.select::<4, 1, 32, 1>(1, 2) * 3).saturate::<i8>();
    let mixed =
        (block.select::<4, 1, 32, 1>(2, 4) * weights + block.select::<4, 1, 32, 1>(0, 2)).convert::<u16>();
    let floats =
        (block.select::<4, 1, 32, 1>(1, 1) * 0.5f32 + block.select::<4, 1, 32, 1>(0, 3)).saturate::<u8>();
    let numbers =
        (block.select::<4, 1, 32, 1>(1, 4) + x - block.select::<4, 1, 32, 1>(2, 0)).convert::<u16>();
    let words =
        not_held ^ low_not_held ^ (not_held >> 8) ^ (low_not_held >> 8) ^ mixed ^ (mixed >> 8) ^ numbers;
    let bytes = held ^ low_held ^ beside ^ all_beside ^ floats;
    output.write(x, y, &(words ^ bytes).convert::<u8>());
}

/// Loops that change one register, which are computed in strips of one row.
#[kernel]
pub fn loops(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 8, 40>(x, y);
    let m: Matrix<u8, 8, 40> = (input.read_block::<u8, 8, 40>(x + 3, y) ^ 85).convert();
    let mut a: Matrix<f32, 6, 32> = m.select::<6, 1, 32, 1>(1, 2).convert();
    for i in 0..3 {
        for j in 0..3 {
            a += block.select::<6, 1, 32, 1>(i, j) * 0.5f32;
            a *= m.select::<6, 1, 32, 1>(i, 2 * j) & 3;
        }
    }
    let mut b: Matrix<i32, 7, 20> = m.select::<7, 1, 20, 1>(0, 1).convert();
    for i in 0..2 {
        b -= block.select::<7, 1, 20, 1>(i, 4) * 3;
        b ^= m.select::<7, 1, 20, 1>(i, 7);
    }
    let bits = a.select::<4, 1, 16, 1>(0, 3).convert::<i32>() ^ b.select::<4, 1, 16, 1>(3, 4);
    output.write(x, y, &(bits ^ (bits >> 8)).convert::<u8>());
}

/// The same in strips of several rows, and of parts of a row.
#[kernel]
pub fn long_loops(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 8, 40>(x, y);
    let m: Matrix<u8, 8, 40> = (input.read_block::<u8, 8, 40>(x + 3, y) ^ 85).convert();
    let mut c: Matrix<u64, 6, 8> = m.select::<6, 1, 8, 1>(2, 9).convert();
    for k in 1..4u64 {
        c *= m.select::<6, 1, 8, 1>(0, 3) + k;
        c += block.select::<6, 1, 8, 1>(1, 5);
    }
    let mut d: Matrix<i32, 8, 16> = m.select::<8, 1, 16, 1>(0, 20).convert();
    for k in 1..4 {
        d *= m.select::<8, 1, 16, 1>(0, 5) + k;
        d += block.select::<8, 1, 16, 1>(0, 6);
    }
    let rows: Matrix<i32, 4, 40> = m.select::<4, 1, 40, 1>(2, 0).convert();
    let line = rows.format::<i32>();
    let mut e = line;
    for k in 0..3i32 {
        e -= line * k;
        e |= line;
    }
    let mid = block.select::<4, 1, 16, 1>(2, 3);
    let mut census = Matrix::<u32, 4, 16>::splat(0);
    for i in 0..4 {
        for j in 0..6 {
            if i != 2 || j != 3 {
                census <<= 1;
                census |= block.select::<4, 1, 16, 1>(i, j) < mid;
            }
        }
        census >>= i;
    }
    let mut bits: Matrix<i32, 4, 16> =
        (e.format::<i32, 4, 40>().select::<4, 1, 16, 1>(0, 20) ^ d.select::<4, 1, 16, 1>(3, 0)).convert();
    bits.select_mut::<4, 1, 8, 1>(0, 2)
        .assign(bits.select::<4, 1, 8, 1>(0, 2) ^ c.select::<4, 1, 8, 1>(2, 0));
    let bits = bits ^ (bits >> 8) ^ census ^ (census >> 8) ^ (census >> 16);
    output.write(x, y, &bits.convert::<u8>());
}

/// Factors of `several`.
const FACTORS: [[i16; 3]; 2] = [[4, -22, 58], [88, 3, -7]];

/// Several statements that change one register, without and with a loop, and one alone; factors from an array of the host.
#[kernel]
pub fn several(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 9, 32>(x, y);
    let mut a = Matrix::<i32, 8, 16>::splat(128);
    a += block.select::<8, 1, 16, 1>(0, 0) * 4;
    a ^= block.select::<8, 1, 16, 1>(0, 1);
    a -= block.select::<8, 1, 16, 1>(0, 2) * FACTORS[1][0];
    let mut b = Matrix::<i32, 8, 16>::splat(-5);
    for i in 0..2 {
        for j in 0..3 {
            b += block.select::<8, 1, 16, 1>(i, j) * FACTORS[i][j];
            b *= FACTORS[1 - i][j] as i32;
        }
    }
    let mut c: Matrix<i32, 8, 16> = block.select::<8, 1, 16, 1>(0, 3).convert();
    for factors in FACTORS {
        let factor = factors[0];
        c -= block.select::<8, 1, 16, 1>(1, 5) * factor;
    }
    let bits = a ^ b ^ c;
    output.write(x, y, &(bits ^ (bits >> 8)).convert::<u8>());
}

/// Sums that are shifted to the right and divided: those that 16 bits hold, just hold, and do not hold, with signs and without.
#[kernel]
pub fn shifted(input: &Surface2D, output: &mut Surface2D, step: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let (a, b) = (block.select::<8, 1, 16, 1>(0, 0), block.select::<8, 1, 16, 1>(0, 1));
    let mut bits: Matrix<i32, 8, 16> = ((a * 128 + b * 128 + 255) >> 8).convert();
    bits ^= ((a * 128 + b * 128 + 256) >> 8) * 3;
    bits ^= ((a * 64 - b * 128 - 128) >> 5) * 5;
    bits ^= ((a * 64 - b * 128 - 129) >> 5) * 7;
    bits ^= ((a * 256 - b) >> 3) * 9;
    let unsigned: Matrix<u32, 8, 16> = ((a * 3u32 - b) >> 9).convert();
    bits ^= unsigned * 11;
    let ninths: Matrix<i32, 8, 16> = ((a * 257) / 9).convert();
    bits ^= ninths * 13;
    let sevenths: Matrix<i32, 8, 16> = ((a - b * 128) / 7).convert();
    bits ^= sevenths * 15;
    let by_number: Matrix<i32, 8, 16> = ((a * step - b) >> 4).convert();
    bits ^= by_number * 17;
    bits ^= ((a * 255 + b + 127) >> 8).saturate::<u8>();
    let turned: Matrix<i32, 8, 16> = ((a * 128 + b) >> 33).convert();
    bits ^= turned * 19;
    output.write(x, y, &(bits ^ (bits >> 8) ^ (bits >> 16)).convert::<u8>());
}

/// Shifts to the left by numbers that differ between threads, are the same, and are constant, up to the number of bits and
/// beyond; most of the results are cut to 8 or 16 bits.
#[kernel]
pub fn shifted_left(input: &Surface2D, output: &mut Surface2D, step: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let (a, b) = (block.select::<8, 1, 16, 1>(0, 0), block.select::<8, 1, 16, 1>(0, 1));
    let own = thread_origin_x().convert::<i32>() * 3 - 5;
    let mut words = Matrix::<u16, 8, 16>::splat(1);
    let mut bytes = Matrix::<u8, 8, 16>::splat(3);
    let mut bit = 0;
    for _i in 0..4 {
        for _j in 0..3 {
            words ^= ((a * 3 - b) << bit) - (b << own) * 5;
            bytes ^= (((a < b) << bit) + (a ^ 7)) & ((b | a) << step);
            bit += 3;
        }
    }
    let bits: Matrix<u8, 8, 16> = ((a < b) | ((a == b) << 1) ^ ((b >= 9) << 7) & (a << 2)).convert();
    let long: Matrix<i32, 8, 16> = (((a - b) << bit) + ((a * 5) << own)).convert();
    let all = long ^ (long >> 8) ^ (long >> 16) ^ (long >> 24) ^ words ^ (words >> 8) ^ bytes ^ bits;
    output.write(x, y, &all.convert::<u8>());
}

/// Matrices with names of which only regions are used: sums of words that two threads share in part, signed ones with gaps
/// between columns and a row of their own, floats, and one that is declared first. One of them changes afterwards.
#[kernel]
pub fn stack_slots(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let m = input.read_block::<u8, 10, 24>(x, y);
    let sums: Matrix<u16, 8, 24> =
        (m.select::<8, 1, 24, 1>(0, 0) * 257 + m.select::<8, 1, 24, 1>(1, 0)).convert();
    let smooth = sums.select::<8, 1, 16, 1>(0, 0)
        + sums.select::<8, 1, 16, 1>(0, 4) * 2
        + sums.select::<8, 1, 16, 1>(0, 8);
    let v: Matrix<i16, 8, 24> =
        (m.select::<8, 1, 24, 1>(2, 0) * 3 - m.select::<8, 1, 24, 1>(0, 0) * 100).convert();
    let third = v.row(2);
    let mut out: Matrix<i32, 8, 16> = (smooth >> 2).convert();
    out += v.select::<8, 1, 16, 1>(0, 7) - v.select::<8, 1, 16, 1>(0, 1) * 3;
    let gaps: Matrix<i32, 8, 8> = (v.select::<8, 1, 8, 2>(0, 3) + 1).convert();
    out.select_mut::<8, 1, 8, 2>(0, 0) += gaps;
    out.row_mut(1).assign(third.select::<16, 1>(thread_origin_x() % 9) + out.row(1));
    let halves = m.select::<8, 1, 24, 1>(0, 0) * 0.5f32 + m.select::<8, 1, 24, 1>(2, 0) * 0.25f32;
    let floats = halves.select::<8, 1, 16, 1>(0, 5) * 4.0f32 - halves.select::<8, 1, 16, 1>(0, 0);
    out += floats.convert::<i32>();
    let mut declared = Matrix::<i16, 8, 24>::splat(0);
    declared.assign((m.select::<8, 1, 24, 1>(0, 0) + m.select::<8, 1, 24, 1>(1, 0) * 7 + 8) >> 4);
    out += declared.select::<8, 1, 16, 1>(0, 2) * 5 + declared.select::<8, 1, 16, 1>(0, 6);
    let mut changed = Matrix::<i16, 8, 24>::splat(1);
    changed.assign(m.select::<8, 1, 24, 1>(1, 0) - m.select::<8, 1, 24, 1>(2, 0));
    changed += m.select::<8, 1, 24, 1>(0, 0) * 2;
    out ^= changed.select::<8, 1, 16, 1>(0, 1);
    let limited: Matrix<u8, 8, 24> =
        (m.select::<8, 1, 24, 1>(0, 0) * 2 - m.select::<8, 1, 24, 1>(1, 0)).saturate();
    out += limited.select::<8, 1, 16, 1>(0, 3) * limited.select::<8, 1, 16, 1>(0, 1);
    output.write(x, y, &(out ^ (out >> 8)).convert::<u8>());
}

/// Trees with names that one `let` declares: one of them reads a register that changes before it is used, and the values of
/// others name what the statement declares. Then elements that the kernel counts.
#[kernel]
pub fn tuples(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 16, y * 8);
    let m: Matrix<i16, 8, 16> = (block.select::<8, 1, 16, 1>(0, 1) - 85).convert();
    let mut out: Matrix<i32, 8, 16> = m.convert();
    let (low, high) = (m - block.select::<8, 1, 16, 1>(0, 3), m + x * 2);
    out += low * low + high * low;
    let (before, twice) = (out + 1, out * 2);
    out -= 7;
    out ^= before + twice;
    let (low, high) = (high - low, low + 3);
    out += low ^ (high * 5);
    let mut counts = Vector::<i16, 24>::splat(0);
    for c in 0..12 {
        counts.get_mut(block.get(y % 8, c) % 24) += c + 1;
    }
    out.row_mut(3).assign(out.row(3) + counts.select::<16, 1>(4));
    output.write(x * 16, y * 8, &(out ^ (out >> 8)).convert::<u8>());
}

/// Bytes and words of dwords that stay in the surface: rows of several vectors. The words are stored, the bytes are converted from
/// words and put in every second place.
#[kernel]
pub fn dwords(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 64, thread_origin_y() * 4);
    let m = input.read::<u32, 4, 16>(x, y);
    let words: Matrix<u16, 4, 16> = ((m >> 9) ^ 0x5a5a).convert();
    let mut bytes = Matrix::<u8, 4, 32>::splat(0);
    bytes.select_mut::<4, 1, 16, 2>(0, 0).assign((m >> 3) & 255);
    bytes.select_mut::<4, 1, 16, 2>(0, 1).assign((m.select::<4, 1, 16, 1>(0, 0) >> 24) + 5);
    let low = bytes.format::<u16, 4, 16>();
    output.write(x, y, &(low + words * 65_536u32).convert::<u32>());
}
