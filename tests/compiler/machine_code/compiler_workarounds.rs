//! Kernels that Intel's compiler would compile incorrectly without the workarounds of the lowering. Their
//! output is checked.

use cm::prelude::*;
use cm::spirv::{LowerError, lower};
use cm_test_support::emulator::{Emulator, Run};

use super::{HEIGHT, WIDTH, image};

/// The machine code of a kernel gives the same output as the CPU.
macro_rules! same {
    ($kernel:ident on $bytes:expr) => {{
        let Some(emulator) = Emulator::newest_or_installed() else { return };
        let device = Device::cpu().unwrap();
        let bytes: &[u8] = &$bytes;
        let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
        $kernel::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output).unwrap();
        for &(device, target) in emulator.devices() {
            let module = match lower(&$kernel::ir().unwrap(), target) {
                Ok(module) => module,
                Err(LowerError::Unsupported { .. }) if !target.has_f64() => continue,
                Err(error) => panic!("{error}"),
            };
            let found = emulator.run(&Run {
                module: &module,
                device,
                kernel: stringify!($kernel),
                input: bytes,
                pitch: WIDTH,
                rows: HEIGHT,
                grid: (1, 1),
                arguments: &[],
            });
            for (row, (found, want)) in
                found.chunks(WIDTH).zip(output.to_vec().unwrap().chunks(WIDTH)).enumerate()
            {
                assert_eq!(found, want, "row {row} on {device}");
            }
        }
    }};
}

/// Extended numbers in unsigned comparisons: the compiler reads them before the extension, with their sign.
#[kernel]
fn limited(input: &Surface2D, output: &mut Surface2D) {
    let x = input.read::<i16, 4, 16>(0, 0).convert::<i32>().convert::<u32>();
    output.write(0, 0, &x.saturate::<u8>());
    output.write(16, 0, &x.saturate::<i8>());
    output.write(32, 0, &x.saturate::<u16>());
    output.write(0, 4, &x.saturate::<i16>());
    output.write(32, 4, &x.saturate::<i32>());
    let bytes = input.read::<i8, 4, 16>(0, 4);
    output.write(0, 8, &bytes.convert::<u32>().saturate::<u8>());
    output.write(16, 8, &bytes.convert::<u16>().saturate::<u8>());
    output.write(32, 8, &bytes.convert::<u16>().saturate::<i8>());
}

#[test]
fn saturation_takes_extended_numbers_as_unsigned_ones() {
    same!(limited on image());
}

/// An extended divisor in a loop, where the compiler sees through regions.
#[kernel]
fn divided(input: &Surface2D, output: &mut Surface2D) {
    let bytes = input.read::<u8, 4, 16>(0, 0).convert::<u32>();
    let mut x = input.read::<i16, 4, 16>(0, 4);
    let mut n = 0i32;
    while n < (input.read::<u8, 4, 16>(0, 0).get(0, 0) & 3) + 1 {
        x.assign(bytes / x.convert::<u32>());
        n += 1;
    }
    output.write(0, 0, &x);
}

#[test]
fn divisors_in_loops_are_unsigned_where_asked_for() {
    let mut bytes = image();
    for (i, x) in (-32i16..32).enumerate() {
        let at = (4 + i / 16) * WIDTH + i % 16 * 2;
        bytes[at..at + 2].copy_from_slice(&x.to_le_bytes());
    }
    for rounds in 0..4 {
        bytes[0] = rounds;
        same!(divided on bytes);
    }
}

/// The compiler moves computations that only the last iteration of the inner loop needs after that loop. They
/// use values before their last change, which it would overwrite first.
#[kernel]
fn late(input: &Surface2D, output: &mut Surface2D) {
    let mut bytes = input.read::<u8, 4, 16>(0, 0);
    let mut small = input.read::<i16, 4, 16>(0, 4);
    let other = input.read::<i16, 4, 16>(0, 8);
    let mut whole = input.read::<u32, 4, 16>(0, 12);
    let mut mixed = input.read::<u32, 4, 16>(0, 16);
    let limit = input.read::<u8, 4, 16>(0, 20).convert::<i32>();
    let mut picked = input.read::<i16, 4, 16>(32, 8).convert::<f32>();
    let rounds = bytes.get(0, 0) % 4 + 1;
    let mut n = 0;
    while n < rounds {
        picked.merge_else(mixed.convert::<i32>(), limit, mixed.simd_gt(limit));
        let inner = picked.get(0, 0).convert::<u8>() % 4 + 1;
        let mut m = 0;
        while m < inner {
            bytes.assign(mixed | whole);
            whole.row_mut(0).assign(small.replicate_vs_w_hs::<4, 3, 4, 2>(0, 10));
            mixed.assign(other | small);
            m += 1;
        }
        small.assign(whole.convert::<u8>());
        n += 1;
    }
    output.write(0, 0, &bytes);
    output.write(0, 4, &small);
    output.write(0, 8, &whole);
    output.write(0, 12, &mixed);
    output.write(0, 16, &picked);
}

#[test]
fn values_that_leave_loops_late_are_those_before_the_change() {
    for rounds in 0..4 {
        for inner in 0..4 {
            let mut bytes = image();
            bytes[0] = rounds;
            bytes[16 * WIDTH..][..4].copy_from_slice(&[inner, 0, 0, 0]);
            bytes[20 * WIDTH] = inner;
            same!(late on bytes);
        }
    }
}

/// Integers converted from floats, divided by 0 and compared with 0: floats below 1 then count as 0.
#[kernel]
fn cut_off(input: &Surface2D, output: &mut Surface2D) {
    let a = input.read::<u8, 4, 16>(0, 0).convert::<i32>();
    let x = input.read::<i16, 4, 16>(0, 4).convert::<f32>() * 0.375f32;
    let b = x.convert::<i32>();
    output.write(0, 0, &(a / b));
    output.write(0, 4, &(a % b));
    output.write(0, 8, &(b == 0));
    output.write(32, 8, &(x.convert::<u8>() == 0));
    output.write(48, 8, &(x.convert::<i8>() > 0));
    output.write(0, 12, &(x.convert::<i16>() != 0));
    output.write(32, 12, &(x.convert::<u16>() == 0));
    output.write(0, 16, &(a / x.convert::<u8>()));
    output.write(64, 12, &(x.convert::<u32>() > 0));
    // The compiler looks through arithmetic, and turns comparisons of floats into integer comparisons.
    output.write(64, 0, &((b + 5) == 5));
    output.write(64, 4, &(x.convert::<u16>().convert::<f32>() == 0f32));
    output.write(64, 20, &(x.convert::<f64>().convert::<i32>() != 0));
    output.write(64, 16, &(x.convert::<f16>().convert::<i16>() != 0));
    let mut count = Matrix::<i32, 4, 16>::splat(0);
    if x.convert::<u8>().any() {
        count += b;
    }
    output.write(0, 20, &count);
}

#[test]
fn integers_made_of_floats_are_0_below_1() {
    let mut bytes = image();
    for (i, x) in (-32i16..32).enumerate() {
        let at = (4 + i / 16) * WIDTH + i % 16 * 2;
        bytes[at..at + 2].copy_from_slice(&if i == 63 { i16::MAX } else { x / 4 }.to_le_bytes());
    }
    same!(cut_off on bytes);
}

/// A sum of f16 in a row that is known only at run time: the compiler computes it in place, in two halves.
#[kernel]
fn summed(input: &Surface2D, output: &mut Surface2D) {
    let row = input.read::<u8, 4, 16>(0, 0).get(0, 0) & 3;
    let read = input.read::<u8, 4, 16>(4, 4);
    let mut m: Matrix<f16, 4, 16> = input.read::<u8, 4, 16>(0, 4).convert();
    m.row_mut(row) += read.row(row);
    m.select_mut::<2, 1, 4, 3>(1, row) -= read.select::<2, 1, 4, 3>(0, 1);
    output.write(0, 0, &m.saturate::<u8>());
}

#[test]
fn sums_of_halves_stay_in_their_places() {
    for row in 0..4 {
        let mut bytes = image();
        bytes[0] = row;
        same!(summed on bytes);
    }
}

/// Selects by a comparison between conversions of the compared numbers: the compiler turns this into the
/// minimum or maximum of the converted numbers.
#[kernel]
fn chosen(input: &Surface2D, output: &mut Surface2D) {
    let (a, b) = (input.read::<i32, 4, 8>(0, 0), input.read::<i32, 4, 8>(32, 0));
    let (ua, ub) = (a.convert::<u32>(), b.convert::<u32>());
    // Converted to a narrower type.
    let mut narrow: Matrix<u8, 4, 8> = a.convert();
    narrow.merge(b.convert::<u8>(), &(a > b));
    output.write(0, 0, &narrow);
    let mut words: Matrix<i16, 4, 8> = ua.convert();
    words.merge(ub.convert::<i16>(), &(ua <= ub));
    output.write(16, 0, &words);
    let mut limited: Matrix<u8, 4, 8> = a.convert();
    limited.merge(255, &(a > 255));
    output.write(32, 0, &limited);
    let mut limited: Matrix<i16, 4, 8> = a.convert();
    limited.merge(-7, &(a < -7));
    output.write(40, 0, &limited);
    // Compared with the other signedness.
    let mut floats: Matrix<f32, 4, 8> = a.convert();
    floats.merge(b.convert::<f32>(), &(ua >= ub));
    output.write(0, 4, &floats);
    let mut floats: Matrix<f32, 4, 8> = ua.convert();
    floats.merge(ub.convert::<f32>(), &(a < b));
    output.write(32, 4, &floats);
}

#[kernel]
fn chosen_floats(input: &Surface2D, output: &mut Surface2D) {
    let (a, b): (Matrix<f32, 4, 8>, Matrix<f32, 4, 8>) = (
        (input.read::<i32, 4, 8>(0, 0).convert::<f32>() * 1e-7f32),
        (input.read::<i32, 4, 8>(32, 0).convert::<f32>() * 1e-7f32),
    );
    let mut bytes: Matrix<u8, 4, 8> = a.convert();
    bytes.merge(b.convert::<u8>(), &(a > b));
    output.write(0, 0, &bytes);
    let mut bytes: Matrix<i16, 4, 8> = a.convert();
    bytes.merge(-100, &(a < -100.0f32));
    output.write(16, 0, &bytes);
    let mut bytes: Matrix<u8, 4, 8> = a.convert();
    bytes.merge(20, &(a > 20.0f32));
    output.write(32, 0, &bytes);
    let mut halves: Matrix<f16, 4, 8> = a.convert();
    halves.merge(b.convert::<f16>(), &(a <= b));
    output.write(48, 0, &halves);
    let mut doubles: Matrix<f64, 4, 4> = a.select::<4, 1, 4, 1>(0, 0).convert();
    doubles.merge(1.0f64, &(a.select::<4, 1, 4, 1>(0, 0) < 1.0f32));
    output.write(0, 4, &doubles);
}

#[kernel]
fn chosen_wide(input: &Surface2D, output: &mut Surface2D) {
    let (a, b) = (input.read::<i16, 4, 16>(0, 0), input.read::<i16, 4, 16>(32, 0));
    let (ua, ub) = (a.convert::<u16>(), b.convert::<u16>());
    let mut wide: Matrix<i32, 4, 16> = a.convert();
    wide.merge(b.convert::<i32>(), &(ua > ub));
    output.write(0, 0, &wide);
    let mut wide: Matrix<u32, 4, 16> = ua.convert();
    wide.merge(ub.convert::<u32>(), &(a > b));
    output.write(0, 4, &wide);
    let mut wide: Matrix<i32, 4, 16> = a.convert();
    wide.merge(5, &(ua < 5));
    output.write(0, 8, &wide);
    let mut wide: Matrix<u32, 4, 16> = ua.convert();
    wide.merge(300, &(a > 300));
    output.write(0, 12, &wide);
    let mut bytes: Matrix<u8, 4, 16> = ua.convert();
    bytes.merge(9, &(ua < 9));
    output.write(0, 16, &bytes);
    let mut bytes: Matrix<u8, 4, 16> = a.convert();
    bytes.merge_else(bytes, 9, &(a < 9));
    output.write(16, 16, &bytes);
}

/// NaNs, limited by comparisons.
#[kernel]
fn not_numbers(input: &Surface2D, output: &mut Surface2D) {
    let x = input.read::<f32, 4, 8>(0, 0);
    let y = input.read::<f32, 4, 8>(0, 4);
    let mut low = x;
    low.merge(0.0f32, &(x < 0.0f32));
    output.write(0, 0, &low);
    let mut high = x;
    high.merge(1.0f32, &(x > 1.0f32));
    output.write(32, 0, &high);
    let mut larger = x;
    larger.merge(y, &(y > x));
    output.write(0, 4, &larger);
    let mut smaller = x;
    smaller.merge_else(x, y, &(x <= y));
    output.write(32, 4, &smaller);
    let mut halves: Matrix<f16, 4, 8> = x.convert();
    halves.merge(0.5f32, &(halves < 0.5f32));
    output.write(0, 8, &halves);
}

#[test]
fn what_is_no_number_is_not_limited() {
    let mut bytes = image();
    for (i, x) in
        [f32::NAN, 2.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, 0.25, f32::NAN, 0.0].into_iter().enumerate()
    {
        for row in 0..4 {
            bytes[row * WIDTH + i * 4..][..4].copy_from_slice(&x.to_le_bytes());
            let other = if i == row { f32::NAN } else { 0.5 };
            bytes[(row + 4) * WIDTH + i * 4..][..4].copy_from_slice(&other.to_le_bytes());
        }
    }
    same!(not_numbers on bytes);
}

#[test]
fn conversions_chosen_by_comparisons_are_not_maxima() {
    same!(chosen on image());
}

#[test]
fn conversions_of_floats_chosen_by_comparisons_are_not_maxima() {
    same!(chosen_floats on image());
}

#[test]
fn widened_numbers_chosen_by_comparisons_are_not_maxima() {
    same!(chosen_wide on image());
}

/// Numbers of two sizes: wide ones, and narrow ones that are extended for the comparison.
macro_rules! two_sizes {
    ($($name:ident: $wide:ident $narrow:ident as $common:ident to $to:ident;)*) => {$(
        #[kernel]
        fn $name(input: &Surface2D, output: &mut Surface2D) {
            let (a, b) = (
                input.read::<u32, 4, 8>(0, 0).convert::<$wide>(),
                input.read::<u8, 4, 32>(32, 0).select::<4, 1, 8, 4>(0, 0).convert::<$narrow>(),
            );
            let (c, d) = (a.convert::<$common>(), b.convert::<$common>());
            let mut first: Matrix<$to, 4, 8> = b.convert();
            first.merge(a.convert::<$to>(), &(c >= d));
            output.write(0, 0, &first);
            let mut second: Matrix<$to, 4, 8> = a.convert();
            second.merge(b.convert::<$to>(), &(c > d));
            output.write(32, 0, &second);
            let mut third: Matrix<$to, 4, 8> = a.convert();
            third.merge(b.convert::<$to>(), &(d > c));
            output.write(0, 4, &third);
            let mut fourth: Matrix<$to, 4, 8> = b.convert();
            fourth.merge(100, &(c < 100));
            output.write(32, 4, &fourth);
            let mut fifth: Matrix<$to, 4, 8> = a.convert();
            fifth.merge(100, &(c < 100));
            output.write(0, 8, &fifth);
            let mut sixth: Matrix<$to, 4, 8> = b.convert();
            sixth.merge(a.convert::<$to>(), &(c == d));
            output.write(32, 8, &sixth);
        }
    )*

        #[test]
        fn numbers_of_two_sizes_chosen_by_comparisons_are_not_maxima() {
            $({
                println!(stringify!($name));
                same!($name on image());
            })*
        }
    };
}

two_sizes! {
    i32_u8_as_u32_to_f32: i32 u8 as u32 to f32;
    i32_u8_as_i32_to_f32: i32 u8 as i32 to f32;
    i32_u8_as_u32_to_u8: i32 u8 as u32 to u8;
    i32_u8_as_i32_to_u8: i32 u8 as i32 to u8;
    i32_i8_as_u32_to_f32: i32 i8 as u32 to f32;
    i32_i8_as_u32_to_i16: i32 i8 as u32 to i16;
    i32_i8_as_i32_to_u16: i32 i8 as i32 to u16;
    i32_i16_as_u32_to_f32: i32 i16 as u32 to f32;
    i32_i16_as_i32_to_i16: i32 i16 as i32 to i16;
    u32_i16_as_i32_to_u8: u32 i16 as i32 to u8;
    i16_u8_as_u16_to_u8: i16 u8 as u16 to u8;
    i16_u8_as_u16_to_f32: i16 u8 as u16 to f32;
    i16_u8_as_i16_to_i32: i16 u8 as i16 to i32;
    u16_i8_as_u32_to_f32: u16 i8 as u32 to f32;
    u32_i8_as_i32_to_f32: u32 i8 as i32 to f32;
    u16_u8_as_i16_to_f16: u16 u8 as i16 to f16;
    i16_u8_as_u16_to_f16: i16 u8 as u16 to f16;
    i16_u8_as_u16_to_f64: i16 u8 as u16 to f64;
    u16_i8_as_i16_to_u32: u16 i8 as i16 to u32;
    f32_u8_as_f32_to_u8: f32 u8 as f32 to u8;
    f32_i16_as_f32_to_i16: f32 i16 as f32 to i16;
    f32_i16_as_i32_to_u8: f32 i16 as i32 to u8;
    f16_u8_as_f32_to_i16: f16 u8 as f32 to i16;
}
