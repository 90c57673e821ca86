//! Functions of `math` as operands of trees, which the CPU computes in as few bits as hold their numbers: the results are those
//! of registers, and the same on all devices.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Numbers of all sizes, and those at the ends of types.
fn numbers(seed: u64) -> impl Iterator<Item = i64> {
    let ends = [i32::MIN.into(), i32::MAX.into(), -32_768, 32_767, 65_535, -128, 127, 128, 255, 256, 0, -1];
    (0..64u64).map(move |k| {
        let mixed = (k * 2 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        if k % 3 == seed % 3 { ends[mixed as usize % ends.len()] } else { mixed as i32 as i64 >> (k % 28) }
    })
}

/// Kernels of elements `$a` and `$b`, and of functions whose results are `$u`. They write each result of a tree, and after it
/// the result of the same operators and functions on registers: a region of a result is one.
macro_rules! functions {
    ($($name:ident: $a:ident, $b:ident, $u:ident;)*) => {
        $(
            #[kernel]
            fn $name(first: &Buffer<$a>, second: &Buffer<$b>, n: u32, output: &mut Buffer<i32>) {
                let (a, b) = (first.read_linear::<64>(0), second.read_linear::<64>(0));
                let apart = (a - b).select::<64, 1>(0);
                let other = (b - a).select::<64, 1>(0);

                let larger = math::max::<$u, _>(a - b, 3);
                output.write_linear(0, &(larger * 2 + math::abs::<$u, _>(b - a)).convert::<i32>());
                let larger = math::max::<$u, _>(apart, 3).select::<64, 1>(0);
                let size = math::abs::<$u, _>(other).select::<64, 1>(0);
                output.write_linear(256, &(larger * 2 + size).convert::<i32>());

                let between = math::min::<$u, _>(math::max::<$u, _>(a + b - 7, b), a) - 1;
                output.write_linear(512, &between.convert::<i32>());
                let sum = (a + b - 7).select::<64, 1>(0);
                let larger = math::max::<$u, _>(sum, b).select::<64, 1>(0);
                let between = math::min::<$u, _>(larger, a).select::<64, 1>(0);
                output.write_linear(768, &(between - 1).convert::<i32>());

                output.write_linear(1024, &math::abs_sat::<$u, _>(a - b).convert::<i32>());
                let size = math::abs_sat::<$u, _>(apart).select::<64, 1>(0);
                output.write_linear(1280, &size.convert::<i32>());

                output.write_linear(1536, &math::max_sat::<$u, _>(b - a, b).saturate::<i8>().convert::<i32>());
                let larger = math::max_sat::<$u, _>(other, b).select::<64, 1>(0);
                output.write_linear(1792, &larger.saturate::<i8>().convert::<i32>());

                let near = math::min_sat::<$u, _>(a.select::<32, 1>(3), b.select::<32, 1>(n)) + 1;
                output.write_linear(2048, &near.convert::<i32>());
                let (c, d) = (a.select::<32, 2>(0), b.select::<32, 2>(0));
                output.write_linear(2176, &(math::min_sat::<$u, _>(c, d) + 1).convert::<i32>());
                let near = math::min_sat::<$u, _>(a, b.select::<64, 1>(0)).select::<64, 1>(0);
                let near = (near + 1).select::<32, 2>(0);
                output.write_linear(2304, &near.convert::<i32>());

                let apart = a.convert::<$u>() * 3 - b.select::<64, 1>(0).saturate::<$u>() - 1;
                output.write_linear(3072, &(apart >> 1).convert::<i32>());
                let first = a.convert::<$u>().select::<64, 1>(0);
                let second = b.saturate::<$u>().select::<64, 1>(0);
                let apart = (first * 3 - second - 1).select::<64, 1>(0);
                output.write_linear(3328, &(apart >> 1).convert::<i32>());

                let shifted = (math::abs::<$u, _>(a - b) - 8) >> 2;
                output.write_linear(3584, &shifted.convert::<i16>().convert::<i32>());
                let apart = (math::abs::<$u, _>(a - b) - 8).select::<64, 1>(0);
                let places = (b - b + 2).select::<64, 1>(0);
                output.write_linear(3840, &(apart >> places).convert::<i16>().convert::<i32>());

                let mut sum = Vector::<i32, 64>::splat(5);
                for k in 0..3 {
                    sum += math::abs::<$u, _>(a - b * k);
                    sum -= math::min::<$u, _>(b, 100);
                }
                output.write_linear(2560, &sum);
                let mut sum = Vector::<i32, 64>::splat(5);
                for k in 0..3 {
                    let apart = (a - b * k).select::<64, 1>(0);
                    sum += math::abs::<$u, _>(apart).select::<64, 1>(0);
                    sum -= math::min::<$u, _>(b, 100).select::<64, 1>(0);
                }
                output.write_linear(2816, &sum);
            }
        )*

        #[test]
        fn functions_in_trees_have_the_results_of_registers() -> cm::Result<()> {
            $(
                let (mut results, all) = (Vec::new(), devices(1));
                for device in &all {
                    let a: Vec<$a> = numbers(1).map(|x| x as $a).collect();
                    let b: Vec<$b> = numbers(2).map(|x| x as $b).collect();
                    let (first, second) = (Buffer::from_slice(device, &a)?, Buffer::from_slice(device, &b)?);
                    let mut output = Buffer::new(device, 1024)?;
                    $name::launch(device, ThreadSpace::new(1, 1)?, &first, &second, 17, &mut output)?;
                    let found = output.to_vec()?;
                    for (number, of) in found[..512].chunks(128).enumerate() {
                        let (trees, registers) = of.split_at(64);
                        assert_eq!(trees, registers, "{} {number} {}", stringify!($name), device.name());
                    }
                    assert_eq!(found[544..576], found[576..608], "{} {}", stringify!($name), device.name());
                    for (number, of) in found[640..].chunks(128).enumerate() {
                        let (trees, registers) = of.split_at(64);
                        assert_eq!(trees, registers, "{} {number} {}", stringify!($name), device.name());
                    }
                    results.push((found, device.name()));
                }
                let (first, of) = &results[0];
                for (found, device) in &results {
                    assert_eq!(found, first, "{} {device} {of}", stringify!($name));
                }
            )*
            Ok(())
        }
    };
}

functions! {
    bytes: u8, u8, u8;
    bytes_as_words: u8, u8, i16;
    words_and_bytes: i16, u8, i32;
    signed_bytes: i8, i8, u16;
    words: u16, i16, i16;
    words_as_signed_bytes: i16, i16, i8;
    long_words: u16, u16, u32;
    numbers_as_bytes: i32, u8, u8;
    unsigned_numbers: u32, u16, i32;
}

/// Single numbers, which are no trees.
#[kernel]
fn numbers_beside_registers(input: &Buffer<u8>, output: &mut Buffer<i32>) {
    let v = input.read::<16>(0);
    let m: Vector<i32, 16> = v.convert();
    let first = v.get(0).convert::<i32>() + 3;
    let larger = math::max::<i32, _>(m.get(1) - 100, 7) * 2 - math::abs::<i32, _>(m.get(2) - m.get(3));
    let sum = (m + math::min::<i32, _>(m.get(4) + 5, 60) * 3).convert::<i32>();
    output.write(0, &(sum + first * larger));
}

#[test]
fn functions_of_numbers_are_no_trees() -> cm::Result<()> {
    for device in &devices(1) {
        for seed in 0..4u8 {
            let bytes: Vec<u8> = (0..16u8).map(|n| n.wrapping_mul(57).wrapping_add(seed * 61)).collect();
            let x = |n: usize| i32::from(bytes[n]);
            let (input, mut output) = (Buffer::from_slice(device, &bytes)?, Buffer::<i32>::new(device, 16)?);
            numbers_beside_registers::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
            let larger = (x(1) - 100).max(7) * 2 - (x(2) - x(3)).abs();
            let expected: Vec<i32> =
                (0..16).map(|n| x(n) + (x(4) + 5).min(60) * 3 + (x(0) + 3) * larger).collect();
            assert_eq!(output.to_vec()?, expected, "{} {seed}", device.name());
        }
    }
    Ok(())
}
