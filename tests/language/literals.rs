//! Literals beside staged numbers and registers: in the arms of an `if`, as operands, as elements and as arguments of closures; against
//! scalar code, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

#[kernel]
fn literals(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32, x: f32) {
    let at = Vector::from_array([0u32, 3, 1, 2, 7, 6, 5, 4]);
    let found = input.read_scattered(0, &at);
    let bits = 15 - found;
    let mut out: Vector<u32, 8> = (bits * 32 + at).convert();
    output.write(0, &out);

    let first = if n > 3 { n } else { 0 };
    let second = if n > 3 { 0 } else { n };
    let third = if n > 4 {
        0xffff_ffff
    } else if n > 3 {
        n
    } else {
        7
    };
    let float = if n > 3 { x } else { 0.5 };
    let whole = if n > 3 { 2 } else { x };
    out.get_mut(0).assign(first + 1);
    out.get_mut(1).assign(second + 1);
    out.get_mut(2).assign(third);
    out.get_mut(3).assign(float * 8);
    out.get_mut(4).assign(whole * 8);
    output.write(32, &out);

    let mut sums = Vector::<u32, 8>::splat(0);
    for i in 0..40 {
        sums += 4 * (i as u32 / 16);
    }
    for i in 0..n {
        sums += 4 * (i as u32 / 2) + 1;
    }
    let sum = |a: u32, b: i16, c: f32| a + b * 2 + c.convert::<u32>();
    sums.get_mut(0).assign(sum(4, -1, 2.5));
    sums.get_mut(1).assign(sum(0xffff_fff0, 3, x));
    sums.get_mut(2).assign(sum(n, 1, 3.0));
    output.write(64, &sums);
}

#[function]
fn plus_one(x: i32) -> i32 {
    x + 1
}

/// Converted operators of scalars.
#[kernel]
fn converted(output: &mut Buffer<i32>, n: i32, x: f32) {
    let mut out = Vector::<i32, 8>::splat(0);
    out.get_mut(0).assign((thread_origin_x() * 3).convert::<u8>());
    out.get_mut(1).assign((300 - (plus_one(n) * 2 - 1)).convert::<u8>());
    out.get_mut(2).assign((x * 2.5).saturate::<u8>());
    out.get_mut(3).assign((-1 - n).saturate::<u16>());
    out.get_mut(4).assign(((thread_origin_x() + 70_000) << 1).convert::<i16>());
    output.write(thread_origin_x() * 32, &out);
}

#[test]
fn literals_beside_scalars_are_i32_or_f64() {
    for (n, x) in [(3, 1.5f32), (-400, 200.0), (70_000, -1.0)] {
        let thread = |t: i32| {
            [
                i32::from((t * 3) as u8),
                i32::from((300 - ((n + 1) * 2 - 1)) as u8),
                i32::from((x * 2.5) as u8),
                (-1 - n).clamp(0, 0xffff),
                i32::from(((t + 70_000) << 1) as i16),
                0,
                0,
                0,
            ]
        };
        let expected: Vec<i32> = (0..200).flat_map(thread).collect();
        for device in devices(1) {
            let mut output = Buffer::new(&device, expected.len()).unwrap();
            converted::launch(&device, ThreadSpace::new(200, 1).unwrap(), &mut output, n, x).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{n} {x} {}", device.name());
        }
    }
}

/// Literals on the left of what built-in functions return, whose methods are called.
#[kernel]
fn beside_functions(buffer: &mut Buffer<f32>) {
    let x = buffer.read::<8>(0);
    let least = math::max::<f32, _>(math::abs::<f32, _>(x), 1);
    let sum = 1 + 4 * (least + least);
    let part = 8 / sum;
    let half = 0.5 * math::rnde::<i32, _>(sum);
    let sign = 1 - 2 * math::min::<i16, _>(x, 0).convert::<i32>();
    let out = part * part.get(1) + sign.get(2);
    buffer.write(0, &(out + half).convert::<f32>());
}

#[test]
fn literals_on_the_left_of_functions() {
    let data = [-7.0f32, 0.5, -2.0, 3.0, 1.0, -1.0, 0.0, 9.0];
    let sum = |x: f32| 1.0 + 4.0 * (x.abs().max(1.0) * 2.0);
    let part = |x: f32| 8.0 / sum(x);
    let sign = (1 - 2 * (data[2].min(0.0) as i32)) as f32;
    let expected = data.map(|x| {
        let out = part(x) * part(data[1]) + sign;
        (f64::from(out) + 0.5 * f64::from(sum(x))) as f32
    });
    for device in devices(1) {
        let mut buffer = Buffer::from_slice(&device, &data).unwrap();
        beside_functions::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut buffer).unwrap();
        let found = buffer.to_vec().unwrap();
        for (found, expected) in found.iter().zip(expected) {
            // GPUs divide by the reciprocal.
            assert!(
                (found - expected).abs() <= expected.abs() * 1e-6,
                "{}: {found} {expected}",
                device.name()
            );
        }
    }
}

/// Literals on the left of staged numbers: the operators that follow need the type at once.
#[kernel]
fn beside_scalars(output: &mut Buffer<i32>, n: u32, x: i16) {
    let (group, thread) = (linear_group_id(), linear_local_id());
    let start = 8 * thread;
    let last = 2 + (3 * -x);
    let bits = !(1 << (group & 3)) as i32;
    let lanes = Vector::from_array([0i32, 1, 2, 3, 4, 5, 6, 7]);
    let mut out: Vector<i32, 8> = (start + lanes * 2).convert();
    out += (last - lanes).convert::<i16>();
    out = (7 * n as i32 + out + bits).convert();
    output.write(linear_global_id() * 32, &out);
}

#[test]
fn literals_on_the_left_of_scalars() -> cm::Result<()> {
    for (n, x) in [(3, 5), (100_000, -3)] {
        let row = |t: i32| {
            (0..8).map(move |lane| {
                let last = 2 + 3 * -i32::from(x);
                7 * n as i32 + 8 * (t % 4) + lane * 2 + (last - lane) + !(1 << ((t / 4) & 3))
            })
        };
        let expected: Vec<i32> = (0..12).flat_map(row).collect();
        for device in &devices(1) {
            let mut output = Buffer::new(device, expected.len())?;
            beside_scalars::launch(device, ThreadGroups::new([3, 1, 1], [4, 1, 1])?, &mut output, n, x)?;
            assert_eq!(output.to_vec()?, expected, "{n} {x} {}", device.name());
        }
    }
    Ok(())
}

const WIDTH: usize = 24;

/// `usize` on the left of staged numbers and registers, where it is an `i32` as on the right.
#[kernel]
fn sizes<const N: usize>(output: &mut Buffer<i32>, n: u8) {
    let v = Vector::from_array([1u8, 2, 3, 4, 5, 6, 7, 200]);
    let mut out: Vector<i32, 8> = (WIDTH * v).convert();
    out += (N - v).convert::<i32>();
    out.get_mut(0).assign(WIDTH * n + N / n);
    out.get_mut(1).assign(N << (n & 3));
    out.get_mut(2).assign(N % n);
    if WIDTH > n {
        out.get_mut(3).assign(N ^ n);
    }
    out.merge(-1, N <= v);
    for i in 0..2 {
        out.get_mut(4 + i).assign(i * thread_origin_x() + i - n);
    }
    output.write(N * thread_origin_x(), &out);
}

#[test]
fn sizes_on_the_left() -> cm::Result<()> {
    for n in [3u8, 30, 255] {
        let (w, size, n32) = (WIDTH as i32, 32, i32::from(n));
        let row = |t: i32| {
            let mut out = [1, 2, 3, 4, 5, 6, 7, 200].map(|v| w * v + size - v);
            out[..3].copy_from_slice(&[w * n32 + size / n32, size << (n & 3), size % n32]);
            out[3] = if w > n32 { size ^ n32 } else { out[3] };
            out[7] = -1;
            out[4] = -n32;
            out[5] = t + 1 - n32;
            out
        };
        let expected: Vec<i32> = (0..5).flat_map(row).collect();
        for device in &devices(1) {
            let mut output = Buffer::new(device, expected.len())?;
            sizes::<32>::launch(device, ThreadSpace::new(5, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{n} {}", device.name());
        }
    }
    Ok(())
}

/// Conditions as numbers of all types.
#[kernel]
fn truths<const N: usize>(output: &mut Buffer<i32>, a: i32, x: f32) {
    let v = Vector::<i32, 8>::splat(a);
    let mut out = Vector::<i32, 8>::splat(0);
    out.get_mut(0).assign((a < 0) as i32);
    out.get_mut(1).assign(10 - (a < 0 || x > 1.0) as u8);
    out.get_mut(2).assign(((a >= 0 && x > 1.0) as i16) << 4);
    out.get_mut(3).assign((!(a == 5)) as f32 * 2.5);
    out.get_mut(4).assign((v == 5).any() as u64 + ((v > 0).all() as u64));
    out.get_mut(5).assign((N == 4) as i32 + 1);
    let sign = 1 - 2 * (x < 0.0) as i32;
    out.get_mut(6).assign(sign * a);
    out.get_mut(7).assign((x < 1.0) as f16 + (x < 0.0) as f16);
    output.write(0, &out);
}

#[test]
fn conditions_are_numbers_after_as() -> cm::Result<()> {
    for (a, x) in [(5, 0.5f32), (-7, -3.0), (9, 2.0)] {
        let one = |c: bool| i32::from(c);
        let expected = [
            one(a < 0),
            10 - one(a < 0 || x > 1.0),
            one(a >= 0 && x > 1.0) << 4,
            (f64::from(one(a != 5)) * 2.5) as i32,
            one(a == 5) + one(a > 0),
            2,
            (1 - 2 * one(x < 0.0)) * a,
            one(x < 1.0) + one(x < 0.0),
        ];
        for device in &devices(1) {
            let mut output = Buffer::new(device, 8)?;
            truths::<4>::launch(device, ThreadSpace::new(1, 1)?, &mut output, a, x)?;
            assert_eq!(output.to_vec()?, expected, "{a} {x} {}", device.name());
        }
    }
    Ok(())
}

#[test]
fn literals_take_the_types_beside_them() {
    let data: Vec<u32> = (0..8).map(|n| n * n).collect();
    for (n, x) in [(3u32, 1.5f32), (4, 2.25), (9, 3.0)] {
        let at = [0u32, 3, 1, 2, 7, 6, 5, 4];
        let first = at.map(|at| 15u32.wrapping_sub(data[at as usize]).wrapping_mul(32).wrapping_add(at));
        let mut second = first;
        second[0] = if n > 3 { n + 1 } else { 1 };
        second[1] = if n > 3 { 1 } else { n + 1 };
        second[2] = [7, 4, u32::MAX][(n > 3) as usize + (n > 4) as usize];
        second[3] = (if n > 3 { x } else { 0.5 } * 8.0) as u32;
        second[4] = (if n > 3 { 2.0 } else { x } * 8.0) as u32;
        let sum = (0..40).map(|i| 4 * (i / 16)).sum::<u32>() + (0..n).map(|i| 4 * (i / 2) + 1).sum::<u32>();
        let mut third = [sum; 8];
        third[0] = 4;
        third[1] = 0xffff_fff6u32.wrapping_add(x as u32);
        third[2] = n + 5;
        for device in devices(1) {
            let input = Buffer::from_slice(&device, &data).unwrap();
            let mut output = Buffer::<u32>::new(&device, 24).unwrap();
            literals::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut output, n, x).unwrap();
            let found = output.to_vec().unwrap();
            assert_eq!(found, [first, second, third].concat(), "{} {n} {x}", device.name());
        }
    }
}

/// Arms of the type of an argument, with a number.
macro_rules! arms {
    ($($name:ident $elem:ident [$($number:tt)*];)*) => {$(
        #[kernel]
        fn $name(output: &mut Buffer<f64>, a: $elem) {
            let chosen = if a < 3 { a } else { $($number)* };
            output.write(0, &Vector::<f64, 2>::splat(chosen.convert::<f64>()));
        }
    )*};
}

arms! {
    too_large u8 [300];
    negative u32 [-1];
    too_small i16 [-32769];
    largest u8 [255];
    smallest i8 [-128];
    of_longs i64 [-3_000_000_000];
    of_floats f32 [300];
}

#[kernel]
fn of_match(output: &mut Buffer<u32>, a: u8) {
    let chosen = match a {
        0 => 256,
        _ => a,
    };
    output.write(0, &Vector::<u32, 4>::splat(chosen.convert::<u32>()));
}

#[kernel]
fn of_host<const N: usize>(output: &mut Buffer<u32>) {
    let chosen = if N > 3 { N } else { -1 };
    output.write(0, &Vector::<u32, 4>::splat(chosen as u32));
}

#[test]
fn literals_in_arms_are_numbers_of_the_type() {
    for (ir, number, numbers) in [
        (too_large::ir(), "300", "0 to 255"),
        (negative::ir(), "-1", "0 to 4294967295"),
        (too_small::ir(), "-32769", "-32768 to 32767"),
        (of_match::ir(), "256", "0 to 255"),
        (of_host::<2>::ir(), "-1", "0 to 18446744073709551615"),
    ] {
        let error = ir.unwrap_err().to_string();
        assert!(error.contains(&format!("number {number} ")) && error.contains(numbers), "{error}");
        assert!(error.contains("literals.rs:"), "{error}");
    }
    let all = [largest::ir(), smallest::ir(), of_longs::ir(), of_floats::ir(), of_host::<4>::ir()];
    assert!(all.iter().all(Result::is_ok), "{all:?}");
}

/// Patterns of more than 32 bits and a sign.
#[kernel]
fn long_patterns(output: &mut Buffer<i64>, a: i64) {
    let chosen: i64 = match a {
        -3_000_000_000 => 1,
        -9_223_372_036_854_775_808..=-5_000_000_000 => 2,
        3_000_000_000 => 3,
        _ => 4,
    };
    output.write(0, &Vector::<i64, 2>::splat(chosen));
}

#[test]
fn negative_patterns_have_64_bits() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i64>::new(device, 2)?;
        for (a, chosen) in
            [(-3_000_000_000, 1), (i64::MIN, 2), (-5_000_000_000, 2), (3_000_000_000, 3), (1_294_967_296, 4)]
        {
            long_patterns::launch(device, ThreadSpace::new(1, 1)?, &mut output, a)?;
            assert_eq!(output.to_vec()?, [chosen; 2], "{a} on {device:?}");
        }
    }
    Ok(())
}

/// A name that only the arm uses, and one that only the guard uses.
#[kernel]
#[deny(unused_variables)]
fn names_of_guards(output: &mut Buffer<i32>, a: i32, b: i32, c: i32) {
    let chosen = match (a, b, c) {
        (mut p, ..=9, q) if p > 2 => {
            p += 1;
            p * 100 + q
        }
        (p, q, r) if q > r => p,
        _ => -1,
    };
    output.write(0, &Vector::<i32, 4>::splat(chosen));
}

#[test]
fn names_are_used_in_guards_or_arms() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 4)?;
        for ((a, b, c), chosen) in [((3, 9, 5), 405), ((3, 10, 5), 3), ((2, 9, 5), 2), ((2, 4, 5), -1)] {
            names_of_guards::launch(device, ThreadSpace::new(1, 1)?, &mut output, a, b, c)?;
            assert_eq!(output.to_vec()?, [chosen; 4], "{a} {b} {c} on {device:?}");
        }
    }
    Ok(())
}

/// Vectors of staged numbers, host numbers and literals; literals beside elements of registers.
#[kernel]
fn elements<const N: i32>(input: &Buffer<u8>, output: &mut Buffer<i32>, n: i32) {
    let bytes = input.read::<16>(0);
    let mut last = n;
    last += 1;
    let listed: Vector<i32, 4> = Vector::from_array([-last, N, 7, (last)]);
    let swapped: u8 = ((bytes.get(0) << 4) + (bytes.get(0) >> 4)).convert();
    let other = (bytes.get(1) << 4) | (bytes.get(1) >> 4);
    output.write(0, &listed);
    output.write(16, &Vector::<i32, 4>::from_array([swapped as i32, other.convert::<u8>() as i32, last, -1]));
    output.write(32, &of_three(n, 4));
}

type Four = Vector<u32, 4>;

#[function]
fn of_three(n: i32, most: u32) -> Vector<i32, 4> {
    let numbers = Four::from_array([most, 0xffff_ffffu32, n as u32, 1]);
    numbers.convert()
}

#[test]
fn elements_of_staged_numbers() -> cm::Result<()> {
    let data: Vec<u8> = (0..16).map(|n| 0x12 + 0x0d * n).collect();
    let n = 20;
    let expected =
        [-21, 9, 7, 21, data[0].rotate_left(4).into(), data[1].rotate_left(4).into(), 21, -1, 4, -1, 20, 1];
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &data)?;
        let mut output = Buffer::<i32>::new(device, 12)?;
        elements::<9>::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

#[function]
fn ends(n: i32) -> (i32, i32) {
    (n - 1, n + 1)
}

#[function]
fn squared(n: i32) -> i32 {
    n * n
}

fn half(x: i32) -> i32 {
    x / 2
}

/// Numbers of which syntax does not show whether they are staged.
#[kernel]
fn elements_of_functions(output: &mut Buffer<i32>, n: i32) {
    let (first, last) = ends(n);
    let whole = half(70);
    let all = Vector::from_array([first, last, squared(last), 2 * squared(n)]);
    let words: Vector<u16, 4> = Vector::from_array([last as u16, 5, squared(n) as u16, 9]);
    output.write(0, &(all * words));
    output.write(16, &Vector::from_array([whole, half(9), whole + 1, -whole]));
}

#[test]
fn elements_that_may_be_staged() -> cm::Result<()> {
    let n = 6;
    let expected = [(n - 1) * (n + 1), (n + 1) * 5, (n + 1) * (n + 1) * n * n, 2 * n * n * 9, 35, 4, 36, -35];
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 8)?;
        elements_of_functions::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

#[function]
fn lighter(v: Vector<u8, 16>, by: u8) -> Vector<u8, 16> {
    (v + by).convert()
}

#[function]
fn masked(v: Vector<u8, 16>, mask: u32) -> Vector<u8, 16> {
    (v & mask).convert()
}

#[registers]
struct Level {
    level: u8,
}

#[kernel]
fn too_large_argument(output: &mut Buffer<u8>) {
    output.write(0, &lighter(Vector::<u8, 16>::splat(1), 300));
}

#[kernel]
fn too_large_field(output: &mut Buffer<u8>) {
    let level = Level { level: 300 };
    output.write(0, &Vector::<u8, 16>::splat(level.level));
}

#[kernel]
fn all_bits(output: &mut Buffer<u8>) {
    let level = Level { level: -1 };
    let v = masked(lighter(Vector::<u8, 16>::splat(1), 255), !0);
    output.write(0, &(v + level.level).convert::<u8>());
}

#[test]
fn literals_fit_in_arguments_and_fields() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<u8>::new(device, 16)?;
        let one = ThreadSpace::new(1, 1)?;
        for error in [
            too_large_argument::launch(device, one, &mut output).map(drop),
            too_large_field::launch(device, one, &mut output).map(drop),
        ] {
            let text = error.unwrap_err().to_string();
            assert!(text.contains("300") && text.contains("255"), "{text}");
        }
        all_bits::launch(device, one, &mut output)?;
        assert_eq!(output.to_vec()?, [255; 16], "{device:?}");
    }
    Ok(())
}

/// Arrays of host numbers and numbers of the kernel.
#[kernel]
fn arrays_of_both(output: &mut Buffer<u32>, n: u32) {
    let steps = [1, n * 2, 7];
    let mut sum = Vector::<u32, 4>::splat(0);
    for y in [0, n, 3] {
        for step in steps {
            sum += step * (y + 1);
        }
    }
    output.write(0, &sum);
}

#[test]
fn literals_in_arrays_of_staged_numbers() -> cm::Result<()> {
    let n = 5;
    let expected = (1 + n * 2 + 7) * (1 + (n + 1) + 4);
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 4)?;
        arrays_of_both::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
        assert_eq!(output.to_vec()?, [expected; 4], "{}", device.name());
    }
    Ok(())
}

/// Literals of floats, which are `f64`, for registers of other elements.
#[kernel]
fn converted_literals(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    let mut v = input.read::<8>(0);
    v.merge(-1e30, v < 2.0f32);
    v.get_mut(7).assign(0.3);
    let mut m = Matrix::<u8, 2, 4>::splat(0);
    m.row_mut(1).assign(300.5);
    m.row_mut(0).merge_else(0.5, 7.9, 0b0101u8);
    output.write(0, &v);
    output.write(32, &m.convert::<f32>().format::<f32>());
}

#[test]
fn literals_of_floats_need_no_f64() -> cm::Result<()> {
    assert!(!converted_literals::ir()?.to_string().contains("f64"), "{}", converted_literals::ir()?);
    let data: Vec<f32> = (0..8).map(|n| n as f32).collect();
    let expected =
        [-1e30, -1e30, 2.0, 3.0, 4.0, 5.0, 6.0, 0.3, 0.0, 7.0, 0.0, 7.0, 255.0, 255.0, 255.0, 255.0];
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &data)?;
        let mut output = Buffer::<f32>::new(device, 16)?;
        converted_literals::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

#[function]
fn scaled(v: Vector<f32, 8>, by: f32) -> Vector<f32, 8> {
    v * by
}

#[registers]
struct Bias {
    bias: f32,
}

/// The same for arguments and fields.
#[kernel]
fn passed_literals(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    let bias = Bias { bias: 0.25 };
    output.write(0, &(scaled(input.read::<8>(0), 0.5) + bias.bias));
}

#[test]
fn passed_literals_of_floats_need_no_f64() -> cm::Result<()> {
    assert!(!passed_literals::ir()?.to_string().contains("f64"), "{}", passed_literals::ir()?);
    let data: Vec<f32> = (0..8).map(|n| n as f32).collect();
    for device in &devices(1) {
        let (input, mut output) = (Buffer::from_slice(device, &data)?, Buffer::<f32>::new(device, 8)?);
        passed_literals::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        let expected: Vec<f32> = data.iter().map(|x| x * 0.5 + 0.25).collect();
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// Literals that are `f64`, beside `f32`.
#[kernel]
fn doubles(buffer: &mut Buffer<f32>) {
    let x = buffer.read::<8>(0);
    let mut out = x;
    out *= 0.5;
    out.merge(out * 4.0f32, x < 0.1);
    out.merge(-1.5, 2.7 <= x);
    if x.get(0) >= 16777217.0 || (x > 0.3).all() {
        out += 0.25;
    }
    buffer.write(0, &out);
}

/// GPUs without `f64` run what gives the same bits in `f32`.
#[test]
fn comparisons_with_doubles() -> cm::Result<()> {
    for target in Target::ALL {
        assert!(doubles::spirv_for(*target).is_ok(), "{target}");
    }
    let inputs = [0.1f32, 0.099_999_99, -0.0, 2.7, 2.700_000_3, f32::NAN, 1e-40, 5.0];
    for first in [0.1f32, 16_777_216.0, 16_777_218.0] {
        let mut data = inputs;
        data[0] = first;
        let all = f64::from(first) >= 16_777_217.0 || data.iter().all(|x| f64::from(*x) > 0.3);
        let of = |x: f32| {
            let mut out = if f64::from(x) < 0.1 { x * 0.5 * 4.0 } else { x * 0.5 };
            out = if 2.7 <= f64::from(x) { -1.5 } else { out };
            if all { out + 0.25 } else { out }
        };
        let bits = |x: &f32| if x.is_nan() { 0 } else { x.to_bits() };
        let expected: Vec<u32> = data.map(of).iter().map(bits).collect();
        for device in &devices(1) {
            let mut buffer = Buffer::from_slice(device, &data)?;
            doubles::launch(device, ThreadSpace::new(1, 1)?, &mut buffer)?;
            let found: Vec<u32> = buffer.to_vec()?.iter().map(bits).collect();
            assert_eq!(found, expected, "{first} {}", device.name());
        }
    }
    Ok(())
}

/// Functions of `math` whose operands have elements of one type.
#[kernel]
fn literals_of_operands(
    floats: &Buffer<f32>,
    dwords: &Buffer<u32>,
    output: &mut Buffer<f32>,
    halves: &mut Buffer<f16>,
    words: &mut Buffer<u32>,
) {
    let (v, d) = (floats.read::<8>(0), dwords.read::<8>(0));
    let m = v.format::<f32, 2, 4>();
    output.write(0, &math::fma(v, 2.0, -1.5));
    output.write(32, &math::mad(m, 0.1, v.get(1)));
    output.write(64, &math::lrp(v, 1.0, v));
    output.write(96, &math::atan2(v, 2.0));
    output.write(128, &math::pow(v, 2.0));
    output.write(160, &Vector::<f32, 8>::splat(math::fma(v.get(3), 0.5, 4.0)));
    halves.write(0, &math::fma(v.convert::<f16>(), 0.5, 3.0));
    let (high, low) = math::imul(d, 0x9e37_79b9);
    let (sum, carry) = math::addc(low, 7);
    let (difference, borrow) = math::subb(d, -1);
    let words_of = [high, low, sum, carry, difference, borrow];
    for (i, x) in words_of.iter().enumerate() {
        words.write((i * 32) as u32, x);
    }
}

#[test]
fn literals_among_operands() -> cm::Result<()> {
    let v: [f32; 8] = std::array::from_fn(|i| i as f32 * 0.75 + 0.25);
    let d: [u32; 8] = std::array::from_fn(|i| (i as u32 * 0x1357_9bdf) ^ 0x8000_0001);
    let product = |x: u32| u64::from(x) * 0x9e37_79b9;
    let mut words = Vec::new();
    words.extend(d.map(|x| (product(x) >> 32) as u32));
    words.extend(d.map(|x| product(x) as u32));
    words.extend(d.map(|x| (product(x) as u32).wrapping_add(7)));
    words.extend(d.map(|x| u32::from((product(x) as u32).checked_add(7).is_none())));
    words.extend(d.map(|x| x.wrapping_sub(u32::MAX)));
    words.extend(d.map(|x| u32::from(x < u32::MAX)));
    for device in &devices(1) {
        let (floats, dwords) = (Buffer::from_slice(device, &v)?, Buffer::from_slice(device, &d)?);
        let mut output = Buffer::<f32>::new(device, 48)?;
        let (mut halves, mut of_words) = (Buffer::<f16>::new(device, 8)?, Buffer::<u32>::new(device, 48)?);
        let space = ThreadSpace::new(1, 1)?;
        literals_of_operands::launch(
            device,
            space,
            &floats,
            &dwords,
            &mut output,
            &mut halves,
            &mut of_words,
        )?;
        let output = output.to_vec()?;
        for (i, &x) in v.iter().enumerate() {
            assert_eq!(output[i], x.mul_add(2.0, -1.5), "{}", device.name());
            assert_eq!(output[8 + i], x * 0.1 + v[1]);
            assert_eq!(output[16 + i], x + x * (1.0 - x));
            assert!((output[24 + i] - x.atan2(2.0)).abs() < 1e-6);
            assert!((output[32 + i] / (x * x) - 1.0).abs() < 1e-4);
            assert_eq!(output[40 + i], v[3].mul_add(0.5, 4.0));
        }
        assert_eq!(halves.to_vec()?, v.map(|x| f16::from_f32(x * 0.5 + 3.0)), "{}", device.name());
        assert_eq!(of_words.to_vec()?, words, "{}", device.name());
    }
    Ok(())
}
