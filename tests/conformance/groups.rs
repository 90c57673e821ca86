//! The operations on groups: one row for each operation of the table, with all types.

use cm::compiler::ops::GroupKind;
use cm::ir::Op;
use cm::prelude::*;
use cm_test_support::devices::devices;

use super::rows::rows;

/// The meaning on the elements of one group.
fn of_groups<N>(model: impl Fn(&[N], &[N]) -> N) -> impl Fn(&[N], &[N]) -> N {
    model
}

fn distances(x: &[i128], y: &[i128]) -> i128 {
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).sum()
}

fn products(x: &[i128], y: &[i128]) -> i128 {
    x.iter().zip(y).map(|(x, y)| x.wrapping_mul(*y)).fold(0, i128::wrapping_add)
}

/// Rounded to `f32` after each operation.
fn rounded_products(x: &[f64], y: &[f64]) -> f64 {
    let product = |k: usize| x[k] as f32 * y[k] as f32;
    ((product(0) + product(1)) + (product(2) + product(3))).into()
}

fn half_product(x: &[f64], y: &[f64], k: usize) -> f16 {
    f16::from_f64(x[k] * y[k])
}

/// The sum, rounded to `f16` after each operation, neighbours first.
fn rounded_halves(x: &[f16]) -> f64 {
    let add = |x: f16, y: f16| f16::from_f64(x.to_f64() + y.to_f64());
    let first = add(x[0], x[1]);
    match x[2..] {
        [] => first,
        [c] => add(first, c),
        _ => add(first, add(x[2], x[3])),
    }
    .to_f64()
}

rows! {
    Group(GroupKind), GroupKind::width, of_groups;
    Sad2 sums_of_distances {
        of_u8(u8, u8; i32) -> u16 { |a, b| math::sad2::<u16, _>(a, b) } = |x, y| distances(x, y);
        of_i8(i8, i8; i32) -> u16 { |a, b| math::sad2::<u16, _>(a, b) } = |x, y| distances(x, y);
        of_u16(u16, u16; i32) -> u32 { |a, b| math::sad2::<u32, _>(a, b) } = |x, y| distances(x, y);
        of_i16(i16, i16; i32) -> i16 { |a, b| math::sad2::<i16, _>(a, b) } = |x, y| distances(x, y);
        of_u32(u32, u32; u32) -> u32 { |a, b| math::sad2::<u32, _>(a, b) } = |x, y| distances(x, y);
        of_i32(i32, i32; i32) -> i32 { |a, b| math::sad2::<i32, _>(a, b) } = |x, y| distances(x, y);
        of_u64(u64, u64; u64) -> u64 { |a, b| math::sad2::<u64, _>(a, b) } = |x, y| distances(x, y);
        of_i64(i64, i64; i64) -> i64 { |a, b| math::sad2::<i64, _>(a, b) } = |x, y| distances(x, y);
        of_bytes(u8, i8; i32) -> i32 { |a, b| math::sad2::<i32, _>(a, b) } = |x, y| distances(x, y);
        of_signs(i8, u32; u32) -> u32 { |a, b| math::sad2::<u32, _>(a, b) } = |x, y| distances(x, y);
        of_sizes(i16, i64; i64) -> u64 { |a, b| math::sad2::<u64, _>(a, b) } = |x, y| distances(x, y);
        to_u8(u8, u8; i32) -> u8 {
            |a, b| math::sad2_sat::<u8, _>(a, b)
        } = |x, y| distances(x, y).clamp(0, 255);
        to_i16(u16, i8; i32) -> i16 {
            |a, b| math::sad2_sat::<i16, _>(a, b)
        } = |x, y| distances(x, y).clamp(-32768, 32767);
        to_u32(u64, u64; u64) -> u32 {
            |a, b| math::sad2_sat::<u32, _>(a, b)
        } = |x, y| i128::from(distances(x, y) as u64).clamp(0, u32::MAX.into());
    }
    Dp2 sums_of_two_products {
        of_u8(u8, i8; i32) -> i32 {
            |a, b| math::dp2::<i32, _>(a, b)
        } = |x, y| products(&x[..2], &y[..2]);
        of_floats(f32, f32; f32) -> f32 {
            |a, b| math::dp2::<f32, _>(a, b)
        } = |x, y| (x[0] as f32 * y[0] as f32 + x[1] as f32 * y[1] as f32).into();
        of_halves(f16, f16; f16) -> f16 {
            |a, b| math::dp2::<f16, _>(a, b)
        } = |x, y| rounded_halves(&[half_product(x, y, 0), half_product(x, y, 1)]);
    }
    Dp3 sums_of_three_products {
        of_i16(i16, i16; i32) -> i32 {
            |a, b| math::dp3::<i32, _>(a, b)
        } = |x, y| products(&x[..3], &y[..3]);
        of_floats(f32, f32; f32) -> f32 {
            |a, b| math::dp3::<f32, _>(a, b)
        } = |x, y| {
            let product = |k: usize| x[k] as f32 * y[k] as f32;
            ((product(0) + product(1)) + product(2)).into()
        };
        of_halves(f16, f16; f16) -> f16 {
            |a, b| math::dp3::<f16, _>(a, b)
        } = |x, y| rounded_halves(&[half_product(x, y, 0), half_product(x, y, 1), half_product(x, y, 2)]);
    }
    Dph homogeneous_sums_of_products {
        of_u8(u8, u8; i32) -> u8 {
            |a, b| math::dph_sat::<u8, _>(a, b)
        } = |x, y| (products(&x[..3], &y[..3]) + y[3]).clamp(0, 255);
        of_floats(f32, f32; f32) -> f32 {
            |a, b| math::dph::<f32, _>(a, b)
        } = |x, y| {
            let product = |k: usize| x[k] as f32 * y[k] as f32;
            ((product(0) + product(1)) + (product(2) + y[3] as f32)).into()
        };
        of_halves(f16, f16; f16) -> f16 {
            |a, b| math::dph::<f16, _>(a, b)
        } = |x, y| rounded_halves(&[
            half_product(x, y, 0), half_product(x, y, 1), half_product(x, y, 2), f16::from_f64(y[3]),
        ]);
    }
    Dp4 sums_of_products {
        of_u8(u8, u8; i32) -> u32 { |a, b| math::dp4::<u32, _>(a, b) } = |x, y| products(x, y);
        of_i8(i8, i8; i32) -> i16 { |a, b| math::dp4::<i16, _>(a, b) } = |x, y| products(x, y);
        of_u16(u16, u16; i32) -> u32 { |a, b| math::dp4::<u32, _>(a, b) } = |x, y| products(x, y);
        of_i16(i16, i16; i32) -> i32 { |a, b| math::dp4::<i32, _>(a, b) } = |x, y| products(x, y);
        of_u32(u32, u32; u32) -> u32 { |a, b| math::dp4::<u32, _>(a, b) } = |x, y| products(x, y);
        of_i32(i32, i32; i32) -> i32 { |a, b| math::dp4::<i32, _>(a, b) } = |x, y| products(x, y);
        of_u64(u64, u64; u64) -> u64 { |a, b| math::dp4::<u64, _>(a, b) } = |x, y| products(x, y);
        of_i64(i64, i64; i64) -> i64 { |a, b| math::dp4::<i64, _>(a, b) } = |x, y| products(x, y);
        of_bytes(u8, i8; i32) -> i32 { |a, b| math::dp4::<i32, _>(a, b) } = |x, y| products(x, y);
        of_floats(u8, f32; f32) -> f32 { |a, b| math::dp4::<f32, _>(a, b) } = |x, y| rounded_products(x, y);
        of_halves(f16, f16; f16) -> f16 {
            |a, b| math::dp4::<f16, _>(a, b)
        } = |x, y| rounded_halves(&[0, 1, 2, 3].map(|k| half_product(x, y, k)));
        to_u8(u8, i8; i32) -> u8 {
            |a, b| math::dp4_sat::<u8, _>(a, b)
        } = |x, y| products(x, y).clamp(0, 255);
    }
    ; no functions:
}

/// Rows that are not whole groups, in threads that run side by side: groups continue in the next row of their
/// thread.
#[kernel]
fn across_rows(input: &Surface2D, output: &mut Surface2D) {
    use cm::prelude::math::{dp4, sad2};
    let x = thread_origin_x();
    let a = input.read::<u8, 4, 3>(x * 3, 0);
    let b = input.read::<u8, 4, 3>(x * 5, 4);
    output.write(x * 12, 0, &sad2::<u32, _>(a, b));
    let words = input.read::<u8, 6, 6>(x * 2, 1);
    output.write(x * 12, 4, &dp4::<u16, _>(words, 3u8));
}

#[test]
fn groups_go_on_in_the_next_row() {
    const WIDTH: usize = 64;
    const HEIGHT: usize = 10;
    const THREADS: usize = 5;
    let bytes: Vec<u8> = (0..WIDTH * HEIGHT).map(|n| ((n * 89) ^ (n / 7)) as u8).collect();
    let at = |x: usize, y: usize| bytes[y * WIDTH + x];
    for device in devices(1) {
        let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &bytes).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
        let space = ThreadSpace::new(THREADS, 1).unwrap();
        across_rows::launch(&device, space, &input, &mut output).unwrap();
        let found = output.to_vec().unwrap();
        let rows = |y: usize, count: usize, x: usize| -> Vec<u8> {
            (y..y + count).flat_map(|y| &found[y * WIDTH + x..][..12]).copied().collect()
        };
        for x in 0..THREADS {
            let element =
                |k: usize| -> u32 { at(x * 3 + k % 3, k / 3).abs_diff(at(x * 5 + k % 3, 4 + k / 3)).into() };
            let sums: Vec<u32> = (0..12).map(|k| element(k & !1) + element(k | 1)).collect();
            assert_eq!(
                rows(0, 4, x * 12),
                bytemuck::cast_slice::<u32, u8>(&sums),
                "sad2 on {}",
                device.name()
            );
            let element = |k: usize| u16::from(at(x * 2 + k % 6, 1 + k / 6)) * 3;
            let sums: Vec<u16> = (0..36).map(|k| (k & !3..=k | 3).map(element).sum()).collect();
            assert_eq!(
                rows(4, 6, x * 12),
                bytemuck::cast_slice::<u16, u8>(&sums),
                "dp4 on {}",
                device.name()
            );
        }
    }
}

/// For generic sizes, the number of elements is known when the kernel is recorded.
#[kernel]
fn generic<const C: usize>(output: &mut Surface2D) {
    use cm::math::sad2_any;
    let x = Matrix::<u8, 1, C>::splat(7);
    let sums: Matrix<u8, 1, C> = sad2_any(x, 5);
    output.write(0, 0, &sums.select::<1, 1, 4, 1>(0, 0));
}

#[test]
fn elements_that_are_left_over_are_an_error() {
    generic::<16>::ir().unwrap();
    let error = generic::<15>::ir().unwrap_err().to_string();
    let violation = "groups of 2 elements in an object of 15: the number of elements must be a multiple of 2";
    assert!(error.contains(violation), "{error}");
}

#[test]
#[should_panic = "groups of 4 elements in an object of 6: the number of elements must be a multiple of 4"]
fn elements_that_are_left_over_are_a_panic_in_plain_rust() {
    let x = Vector::<u8, 6>::splat(1);
    let _: Vector<i32, 6> = math::dp4_any(x, x);
}
