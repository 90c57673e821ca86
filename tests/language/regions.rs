//! Regions that are used after the last use of their register, repeated elements, regions with gaps that change, and sums
//! of all elements.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_kernels::instruction_sets::gaps;
use cm_test_support::numbers::elements;

/// Regions outlive their registers; some overlap, and one is converted twice.
#[kernel]
fn late_regions(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let m: Matrix<u8, 4, 16> = input.read(x, y);
    let (a, b, c) =
        (m.select::<4, 1, 8, 1>(0, 0), m.select::<4, 1, 8, 1>(0, 3), m.select::<4, 1, 8, 1>(0, 8));
    let m: Matrix<u8, 4, 16> = input.read(x + 16, y);
    let d = m.select::<4, 1, 8, 1>(0, 5);
    let sum = a * 1000 + b * 2000 - c * 3000;
    output.write(x * 4, y, &(sum + d * 4000 - d * 5));
}

#[test]
fn regions_outlive_registers() {
    let (width, height) = (64, 12);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n * 37) as u8).collect();
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 32, height).unwrap();
        late_regions::launch(&device, ThreadSpace::new(4, 3).unwrap(), &input, &mut output).unwrap();
        let found: Vec<i32> = elements(&output.to_vec().unwrap());
        for (x, y) in (0..32).flat_map(|x| (0..height).map(move |y| (x, y))) {
            let byte = |c: usize| i32::from(data[y * width + x + c]);
            let expected = byte(0) * 1000 + byte(3) * 2000 - byte(8) * 3000 + byte(21) * 3995;
            assert_eq!(found[y * 32 + x], expected, "{engine:?} {x} {y}");
        }
    }
}

/// Neighbouring elements, each several times, of bytes, words and dwords.
#[kernel]
fn repeated(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let m = input.read::<u8, 4, 32>(x, y);
    let words = m.format::<u16, 4, 16>();
    let dwords = m.format::<u32, 4, 8>();
    let row = m.row(1);
    let mut out = Matrix::<u8, 6, 64>::splat(0);
    out.row_mut(0).assign(row.replicate::<32, 1, 2, 0>(0));
    out.row_mut(1).assign(row.replicate::<16, 1, 4, 0>(9));
    out.row_mut(2).assign(m.replicate::<8, 1, 8, 0>(2, 5));
    out.row_mut(3).assign(words.replicate::<16, 1, 2, 0>(3, 0).format::<u8>());
    out.row_mut(4).assign(words.replicate::<8, 1, 4, 0>(2, 7).format::<u8>());
    out.row_mut(5).assign(dwords.replicate::<8, 1, 2, 0>(3, 0).format::<u8>());
    output.write(x * 2, y / 4 * 6, &out.select::<6, 1, 32, 1>(0, 0));
    output.write(x * 2 + 32, y / 4 * 6, &out.select::<6, 1, 32, 1>(0, 32));
}

#[test]
fn elements_are_repeated() {
    let (width, height) = (128, 12);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n * 37) as u8).collect();
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, 256, 18).unwrap();
        repeated::launch(&device, ThreadSpace::new(4, 3).unwrap(), &input, &mut output).unwrap();
        let found = output.to_vec().unwrap();
        for (x, y) in (0..4).flat_map(|x| (0..3).map(move |y| (x, y))) {
            let byte = |r: usize, c: usize| data[(y * 4 + r) * width + x * 32 + c];
            for c in 0..64 {
                let expected = [
                    byte(1, c / 2),
                    byte(1, 9 + c / 4),
                    byte(2, 5 + c / 8),
                    byte(3, c / 4 * 2 + c % 2),
                    byte(2, 14 + c / 8 * 2 + c % 2),
                    byte(3, c / 8 * 4 + c % 4),
                ];
                for (r, expected) in expected.into_iter().enumerate() {
                    assert_eq!(found[(y * 6 + r) * 256 + x * 64 + c], expected, "{engine:?} {x} {y} {r} {c}");
                }
            }
        }
    }
}

/// What a thread of `gaps` writes.
fn changed(block: [[u8; 32]; 4]) -> [[u8; 32]; 4] {
    let word = |r: usize, c: usize| u16::from_le_bytes([block[r][2 * c], block[r][2 * c + 1]]);
    let dword = |r: usize, c: usize| u32::from(word(r, 2 * c)) | u32::from(word(r, 2 * c + 1)) << 16;
    let mut out = block;
    for (r, k) in (0..4).flat_map(|r| (0..16).map(move |k| (r, k))) {
        out[r][1 + 2 * k] = out[r][1 + 2 * k].wrapping_add(block[r][9 + k]);
        if block[r][3 + k] > 99 {
            out[r][2 * k] = 200;
        }
    }
    for (r, k) in (0..2).flat_map(|r| (0..7).map(move |k| (r, k))) {
        out[1 + 2 * r][3 + 4 * k] ^= block[r][5 + k];
    }
    for (r, k) in (0..3).flat_map(|r| (0..4).map(move |k| (r, k))) {
        out[1 + r][6 + 8 * k] = out[1 + r][6 + 8 * k].wrapping_sub(block[r][1 + k]);
    }
    for (r, k) in (0..4).flat_map(|r| (0..8).map(move |k| (r, k))) {
        let at: &mut [u8; 2] = (&mut out[r][2 + 4 * k..][..2]).try_into().unwrap();
        *at = u16::from_le_bytes(*at).wrapping_add(word(r, 4 + k)).to_le_bytes();
    }
    for (r, k) in (0..2).flat_map(|r| (0..4).map(move |k| (r, k))) {
        let at: &mut [u8; 2] = (&mut out[2 + r][4 + 8 * k..][..2]).try_into().unwrap();
        *at = (u16::from_le_bytes(*at) ^ word(r, 7 + k)).to_le_bytes();
    }
    for (r, k) in (0..4).flat_map(|r| (0..4).map(move |k| (r, k))) {
        let at: &mut [u8; 4] = (&mut out[r][4 + 8 * k..][..4]).try_into().unwrap();
        *at = u32::from_le_bytes(*at).wrapping_add(dword(r, 2 + k)).to_le_bytes();
    }
    out
}

#[test]
fn regions_with_gaps_change() {
    let (width, height) = (128, 12);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n * 37) as u8).collect();
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, width, height).unwrap();
        gaps::launch(&device, ThreadSpace::new(4, 3).unwrap(), &input, &mut output).unwrap();
        let found = output.to_vec().unwrap();
        for (x, y) in (0..4).flat_map(|x| (0..3).map(move |y| (x, y))) {
            let row = |r: usize| (y * 4 + r) * width + x * 32..(y * 4 + r) * width + x * 32 + 32;
            let expected = changed(std::array::from_fn(|r| data[row(r)].try_into().unwrap()));
            for (r, expected) in expected.iter().enumerate() {
                assert_eq!(found[row(r)], *expected, "{engine:?} {x} {y} {r}");
            }
        }
    }
}

/// Sums of registers of all narrow integers.
#[kernel]
fn sums(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 16);
    let m = input.read_block::<u8, 16, 32>(x, y);
    let (signed, words) = (m.format::<i8, 16, 32>(), m.format::<u16, 16, 16>());
    let signed_words = m.format::<i16, 16, 16>();
    let mut out = Matrix::<i32, 1, 8>::splat(0);
    out.get_mut(0, 0).assign(math::sum::<i32, _>(m));
    out.get_mut(0, 1).assign(math::sum::<i32, _>(signed));
    out.get_mut(0, 2).assign(math::sum::<u32, _>(words));
    out.get_mut(0, 3).assign(math::sum::<i32, _>(signed_words));
    out.get_mut(0, 4).assign(math::sum_sat::<u8, _>(m));
    out.get_mut(0, 5).assign(math::sum::<i16, _>(signed.row(3)));
    out.get_mut(0, 6).assign(math::sum::<i32, _>(m.select::<4, 1, 24, 1>(1, 2)));
    output.write(x, y / 16, &out);
}

#[test]
fn all_elements_are_summed() {
    let (width, height) = (128, 48);
    for fill in [None, Some(0), Some(0x7f), Some(0x80), Some(0xff)] {
        let data: Vec<u8> = (0..width * height).map(|n| fill.unwrap_or((n * n / 5 + n * 37) as u8)).collect();
        for &engine in CpuEngine::ALL {
            let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
            let input = Surface2D::from_bytes(&device, Format::R8, width, height, &data).unwrap();
            let mut output = Surface2D::new(&device, Format::R32, 32, 3).unwrap();
            sums::launch(&device, ThreadSpace::new(4, 3).unwrap(), &input, &mut output).unwrap();
            let found: Vec<i32> = elements(&output.to_vec().unwrap());
            for (x, y) in (0..4).flat_map(|x| (0..3).map(move |y| (x, y))) {
                let row = |r: usize| &data[(y * 16 + r) * width + x * 32..][..32];
                let bytes = || (0..16).flat_map(row).map(|byte| i32::from(*byte));
                let words =
                    || (0..16).flat_map(|r| row(r).chunks(2)).map(|w| u16::from_le_bytes([w[0], w[1]]));
                let expected = [
                    bytes().sum(),
                    bytes().map(|byte| i32::from(byte as i8)).sum(),
                    words().map(i32::from).sum(),
                    words().map(|word| i32::from(word as i16)).sum(),
                    bytes().sum::<i32>().min(255),
                    row(3).iter().map(|byte| i32::from(*byte as i8)).sum(),
                    (1..5).flat_map(|r| &row(r)[2..26]).map(|byte| i32::from(*byte)).sum(),
                    0,
                ];
                assert_eq!(found[y * 32 + x * 8..][..8], expected, "{fill:?} {engine:?} {x} {y}");
            }
        }
    }
}
