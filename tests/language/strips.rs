//! Assignments in loops that change one register, which the CPU does strip by strip, against scalar code.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::noise;

const WEIGHTS: [i32; 3] = [3, -5, 2];

/// Registers larger than the vector registers of two threads: an odd number of rows, columns that are no multiple of a
/// vector, elements of 8 bytes, one long row. The sums depend on the order.
#[kernel]
fn changed_in_loops(input: &Surface2D, output: &mut Surface2D, count: i32) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read_block::<u8, 9, 28>(x * 20, y * 7);
    let m: Matrix<i32, 9, 28> = (input.read_block::<u8, 9, 28>(x * 20 + 3, y * 7) ^ 85).convert();
    let base = m.select::<7, 1, 20, 1>(1, 2);
    let mut a: Matrix<i32, 7, 20> = base.convert();
    for i in 0..3 {
        for j in 0..3 {
            let weight = WEIGHTS[j];
            a += block.select::<7, 1, 20, 1>(i, j + 1) * weight;
            a ^= m.select::<7, 1, 20, 1>(i, 2 * j);
        }
        a -= base;
    }
    a *= 3;
    for n in 0..count {
        a += base * n;
        a <<= 1;
    }
    let mut b = Matrix::<f32, 7, 20>::splat(0.5);
    for i in 0..2 {
        b += block.select::<7, 1, 20, 1>(i, 4) * 0.25f32;
        b *= m.select::<7, 1, 20, 1>(i, 0) & 3;
    }
    let wide: Matrix<u64, 7, 10> = m.select::<7, 1, 10, 1>(0, 5).convert();
    let mut c: Matrix<u64, 7, 10> = (wide * 3).convert();
    for k in 1..5u64 {
        c += wide * k;
        c ^= wide;
    }
    let first: Matrix<i32, 7, 20> = base.convert();
    let line = first.format::<i32>();
    let mut d = line;
    for k in 0..3i32 {
        d -= line * k;
        d |= line;
    }
    a ^= d.format::<i32, 7, 20>();
    a += b;
    a.select_mut::<7, 1, 10, 1>(0, 10).assign(a.select::<7, 1, 10, 1>(0, 10) ^ c);
    output.write_block(x * 80, y * 7, &a);
}

/// Sums that 16 bits hold, just hold, and do not hold; others between them; rounds of loops that numbers of the host leave out.
#[kernel]
fn sums_of_words(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read_block::<u8, 10, 28>(x * 16, y * 8);
    let mut a = Matrix::<i32, 8, 16>::splat(100_000);
    a += block.select::<8, 1, 16, 1>(0, 0) * 64;
    a += block.select::<8, 1, 16, 1>(1, 1) * 64;
    a += block.select::<8, 1, 16, 1>(0, 2);
    a -= block.select::<8, 1, 16, 1>(2, 0) * 64;
    a -= block.select::<8, 1, 16, 1>(2, 3) * 64;
    a -= block.select::<8, 1, 16, 1>(1, 2) * 64;
    a -= block.select::<8, 1, 16, 1>(1, 0) * 1000;
    a += block.select::<8, 1, 16, 1>(0, 4);
    a *= 3;
    a += block.select::<8, 1, 16, 1>(2, 4) * -63;
    a ^= block.select::<8, 1, 16, 1>(2, 2);
    let mut b = Matrix::<u32, 8, 16>::splat(7);
    for i in 0..3 {
        for j in 0..3 {
            if i == 1 && j != 0 {
                continue;
            }
            b -= block.select::<8, 1, 16, 1>(i, j) * 50;
            if j > i {
                b += block.select::<8, 1, 16, 1>(j, 4 + i);
            }
        }
    }
    for k in 0..12 {
        b += block.select::<8, 1, 16, 1>(k % 3, k) * 20;
    }
    a ^= b;
    output.write_block(x * 64, y * 8, &a);
}

#[test]
fn sums_in_words_have_all_their_bits() {
    let (width, height) = (16 * 3 + 12, 8 * 2 + 2);
    // Bytes of all sizes, and the largest ones beside each other.
    let mut bytes = noise::bytes(width * height, 0);
    bytes[..width * 9].fill(255);
    for device in devices(2) {
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 16 * 3, 8 * 2).unwrap();
        let space = ThreadSpace::new(3, 2).unwrap();
        sums_of_words::launch(&device, space, &input, &mut output).unwrap();
        for (n, found) in output.to_vec().unwrap().chunks(4).enumerate() {
            let (x, y) = (n % 48, n / 48);
            let at = |r: usize, c: usize| i32::from(bytes[(y + r) * width + x + c]);
            let mut a = 100_000 + at(0, 0) * 64 + at(1, 1) * 64 + at(0, 2);
            a -= (at(2, 0) + at(2, 3) + at(1, 2)) * 64 + at(1, 0) * 1000;
            a = (a + at(0, 4)) * 3 + at(2, 4) * -63;
            a ^= at(2, 2);
            let mut b = 7;
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                if i == 1 && j != 0 {
                    continue;
                }
                b -= at(i, j) * 50;
                if j > i {
                    b += at(j, 4 + i);
                }
            }
            for k in 0..12 {
                b += at(k % 3, k) * 20;
            }
            a ^= b;
            assert_eq!(i32::from_le_bytes(found.try_into().unwrap()), a, "column {x}, row {y}");
        }
    }
}

/// Bits of comparisons with the middle of 5 x 5 texels, one after the other. The rows are several strips.
#[kernel]
fn compared_in_order(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read_block::<u8, 12, 20>(x * 16, y * 8);
    let mid = block.select::<8, 1, 16, 1>(2, 2);
    let own = x & 1;
    let mut bits = Matrix::<u32, 8, 16>::splat(0);
    for i in 0..5 {
        for j in 0..5 {
            if i != 2 || j != 2 {
                bits <<= 1;
                bits |= block.select::<8, 1, 16, 1>(i, j) < mid;
            }
        }
        bits >>= i;
        bits <<= own;
        bits ^= (mid >= 9) & (block.select::<8, 1, 16, 1>(i, 4) != 7);
    }
    output.write_block(x * 64, y * 8, &bits);
}

#[test]
fn bits_are_shifted_and_compared_in_order() {
    let width = 16 * 3 + 4;
    let bytes = noise::bytes(width * (8 * 2 + 4), 0);
    let cpu = |engine: &CpuEngine| Device::cpu_with_threads(1).unwrap().with_cpu_engine(*engine);
    for device in devices(2).into_iter().chain(CpuEngine::ALL.iter().map(cpu)) {
        let input = Surface2D::from_bytes(&device, Format::R8, width, 8 * 2 + 4, &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 16 * 3, 8 * 2).unwrap();
        compared_in_order::launch(&device, ThreadSpace::new(3, 2).unwrap(), &input, &mut output).unwrap();
        for (n, found) in output.to_vec().unwrap().chunks(4).enumerate() {
            let (x, y) = (n % 48, n / 48);
            let at = |r: usize, c: usize| bytes[(y + r) * width + x + c];
            let mid = at(2, 2);
            let mut bits = 0;
            for i in 0..5 {
                for j in (0..5).filter(|j| i != 2 || *j != 2) {
                    bits = bits << 1 | u32::from(at(i, j) < mid);
                }
                bits = bits >> i << (x / 16 % 2) ^ u32::from(mid >= 9 && at(i, 4) != 7);
            }
            assert_eq!(u32::from_le_bytes(found.try_into().unwrap()), bits, "column {x}, row {y}");
        }
    }
}

mod bits {
    pub(super) const STEP: i32 = 1;
}

/// A name of a module is not that of the variable.
#[kernel]
fn shifted_by_a_constant(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read_block::<u8, 12, 16>(x * 16, y * 8);
    let mid = block.select::<8, 1, 16, 1>(2, 0);
    let mut bits = Matrix::<u32, 8, 16>::splat(1);
    for i in 0..5 {
        bits <<= bits::STEP;
        bits |= block.select::<8, 1, 16, 1>(i, 0) < mid;
    }
    output.write_block(x * 64, y * 8, &bits);
}

#[test]
fn shifts_by_constants_of_modules_are_once_each() {
    let bytes = noise::bytes(32 * 20, 3);
    let cpu = |engine: &CpuEngine| Device::cpu_with_threads(1).unwrap().with_cpu_engine(*engine);
    for device in devices(2).into_iter().chain(CpuEngine::ALL.iter().map(cpu)) {
        let input = Surface2D::from_bytes(&device, Format::R8, 32, 20, &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 32, 16).unwrap();
        shifted_by_a_constant::launch(&device, ThreadSpace::new(2, 2).unwrap(), &input, &mut output).unwrap();
        for (n, found) in output.to_vec().unwrap().chunks(4).enumerate() {
            let at = |r: usize| bytes[(n / 32 + r) * 32 + n % 32];
            let bits = (0..5).fold(1, |bits, i| bits << 1 | u32::from(at(i) < at(2)));
            assert_eq!(u32::from_le_bytes(found.try_into().unwrap()), bits, "{n} on {device:?}");
        }
    }
}

/// What a thread writes; `at` gives bytes of its blocks.
fn expected(at: impl Fn(usize, usize) -> i32, count: i32) -> [[i32; 20]; 7] {
    let m = |r: usize, c: usize| at(r, c + 3) ^ 85;
    let mut out = [[0; 20]; 7];
    for (r, c) in (0..7).flat_map(|r| (0..20).map(move |c| (r, c))) {
        let base = m(r + 1, c + 2);
        let mut a = base;
        for i in 0..3 {
            for (j, weight) in WEIGHTS.into_iter().enumerate() {
                a += at(r + i, c + j + 1) * weight;
                a ^= m(r + i, c + 2 * j);
            }
            a -= base;
        }
        a *= 3;
        for n in 0..count {
            a = a.wrapping_add(base * n) << 1;
        }
        let mut b = 0.5f32;
        for i in 0..2 {
            b += at(r + i, c + 4) as f32 * 0.25;
            b *= (m(r + i, c) & 3) as f32;
        }
        let mut d = base;
        for k in 0..3 {
            d = (d - base * k) | base;
        }
        a = ((a ^ d) as f32 + b) as i32;
        if c >= 10 {
            let wide = m(r, c - 5) as u64;
            let mut long = wide * 3;
            for k in 1..5 {
                long = (long + wide * k) ^ wide;
            }
            a ^= long as i32;
        }
        out[r][c] = a;
    }
    out
}

#[test]
fn changes_in_loops_are_made_in_order() {
    let (width, height, across, down) = (127usize, 45, 5, 6);
    let data = noise::bytes(width * height, 0);
    for device in devices(2) {
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, across * 20, down * 7).unwrap();
        let space = ThreadSpace::new(across, down).unwrap();
        changed_in_loops::launch(&device, space, &input, &mut output, 3).unwrap();
        let found: Vec<i32> = bytemuck::pod_collect_to_vec(&output.to_vec().unwrap());
        for (x, y) in (0..across).flat_map(|x| (0..down).map(move |y| (x, y))) {
            let at = |r: usize, c: usize| {
                let (x, y) = ((x * 20 + c).min(width - 1), (y * 7 + r).min(height - 1));
                i32::from(data[y * width + x])
            };
            for (r, row) in expected(at, 3).iter().enumerate() {
                let start = ((y * 7 + r) * across + x) * 20;
                assert_eq!(
                    found[start..start + 20],
                    row[..],
                    "{}: thread ({x}, {y}), row {r}",
                    device.name()
                );
            }
        }
    }
}
