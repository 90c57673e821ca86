//! `for` over ranges of host and staged numbers, in steps, against scalar code, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Each loop adds its numbers to one element; the factors make the order matter.
#[kernel]
fn loops(output: &mut Buffer<i32>, first: i32, end: i32, step: i32) {
    let mut sums = Vector::<i32, 16>::splat(0);
    for n in first..16 {
        sums.get_mut(0).assign(sums.get(0) * 3 + n);
    }
    for n in 2..end {
        sums.get_mut(1).assign(sums.get(1) * 3 + n % 4);
    }
    for n in (0..end).step_by(4) {
        sums.get_mut(2).assign(sums.get(2) * 3 + n / 2);
    }
    for n in (first..end).step_by(step) {
        sums.get_mut(3).assign(sums.get(3) * 3 + n);
    }
    for n in (first..20).step_by(step) {
        if n == 9 {
            continue;
        }
        if n > 14 {
            break;
        }
        sums.get_mut(4).assign(sums.get(4) * 3 + n);
    }
    for n in (3..20).step_by(5) {
        sums.get_mut(5).assign(sums.get(5) * 3 + n);
        // A host number: an element that is known now.
        sums.get_mut(6 + n / 5).assign(n);
    }
    for n in (end..end).step_by(step) {
        sums.assign(n);
    }
    output.write(thread_origin_x() * 64, &sums);
}

fn folded(numbers: impl Iterator<Item = i32>) -> i32 {
    numbers.fold(0, |sum: i32, n| sum.wrapping_mul(3).wrapping_add(n))
}

#[test]
fn ranges_of_staged_numbers() {
    for (first, end, step) in [(3, 12, 2), (-2, 17, 11), (16, 1, 3), (0, 0, 1)] {
        let by = step as usize;
        let fourth = (first..20).step_by(by).filter(|&n| n != 9).take_while(|&n| n <= 14);
        let expected = [
            folded(first..16),
            folded((2..end).map(|n| n % 4)),
            folded((0..end).step_by(4).map(|n| n / 2)),
            folded((first..end).step_by(by)),
            folded(fourth),
            folded((3..20).step_by(5)),
            3,
            8,
            13,
            18,
        ];
        for device in devices(1) {
            let mut output = Buffer::<i32>::new(&device, 32).unwrap();
            loops::launch(&device, ThreadSpace::new(2, 1).unwrap(), &mut output, first, end, step).unwrap();
            let found = output.to_vec().unwrap();
            assert_eq!(found[..10], expected, "{} {first} {end} {step}", device.name());
            assert_eq!(found[..16], found[16..]);
        }
    }
}

/// Counts the iterations of a loop whose end is near the end of its type, and folds its last numbers.
macro_rules! near_the_end {
    ($($name:ident $elem:ident;)*) => {$(
        #[kernel]
        fn $name(output: &mut Buffer<i64>, first: $elem, end: $elem, step: $elem) {
            let (mut count, mut last): (i64, i64) = (0, 0);
            for n in (first..end).step_by(step) {
                count += 1;
                last = last * 3 + n.convert::<i64>();
            }
            let mut all = Vector::<i64, 2>::splat(0);
            all.get_mut(0).assign(count);
            all.get_mut(1).assign(last);
            output.write(0, &all);
        }
    )*};
}

near_the_end! { of_u8 u8; of_i8 i8; of_u16 u16; of_i16 i16; of_u32 u32; of_i32 i32; of_u64 u64; of_i64 i64; }

#[test]
fn ranges_end_where_the_next_number_would_wrap() -> cm::Result<()> {
    for device in &devices(1) {
        let (space, mut output) = (ThreadSpace::new(1, 1)?, Buffer::<i64>::new(device, 2)?);
        macro_rules! check {
            ($($name:ident $elem:ident;)*) => {$({
                let (low, high) = ($elem::MIN, $elem::MAX);
                for (first, end, step) in [
                    (high - 70, high, 10),
                    (high - 70, high, 70),
                    (high - 70, high - 1, 69),
                    (high - 5, high, high),
                    (high - 1, high, 1),
                    (low, low + 50, high),
                    (high / 2, high, high / 2 + 1),
                    (high, high, 3),
                ] {
                    $name::launch(device, space, &mut output, first, end, step)?;
                    let numbers: Vec<$elem> = (first..end).step_by(step as usize).collect();
                    let fold = |last: i64, n: &$elem| last.wrapping_mul(3).wrapping_add(*n as i64);
                    let last = numbers.iter().fold(0i64, fold);
                    assert_eq!(output.to_vec()?, [numbers.len() as i64, last], "{first} {end} {step} on {device:?}");
                }
                // Not positive: one iteration.
                $name::launch(device, space, &mut output, 3, 20, 0)?;
                assert_eq!(output.to_vec()?[0], 1, "{device:?}");
                $name::launch(device, space, &mut output, 20, 20, 0)?;
                assert_eq!(output.to_vec()?[0], 0, "{device:?}");
            })*};
        }
        check! { of_u8 u8; of_i8 i8; of_u16 u16; of_i16 i16; of_u32 u32; of_i32 i32; of_u64 u64; of_i64 i64; }
        of_i32::launch(device, space, &mut output, 3, 20, -5)?;
        assert_eq!(output.to_vec()?[0], 1, "{device:?}");
    }
    Ok(())
}

/// A literal step, after which a byte wraps.
#[kernel]
fn hundreds(output: &mut Buffer<u32>, end: u8) {
    let mut count: u32 = 0;
    for _ in (0..end).step_by(100) {
        count += 1;
    }
    output.write(0, &Vector::<u32, 4>::splat(count));
}

#[test]
fn literal_steps_do_not_wrap() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 4)?;
        for end in [0, 1, 100, 101, 200, 201, 255] {
            hundreds::launch(device, ThreadSpace::new(1, 1)?, &mut output, end)?;
            assert_eq!(output.to_vec()?, [(0..end).step_by(100).count() as u32; 4], "{end} on {device:?}");
        }
    }
    Ok(())
}

#[kernel]
fn steps_of_zero(output: &mut Buffer<u32>, end: u32) {
    let mut sum: u32 = 0;
    for n in (0..end).step_by(0) {
        sum += n;
    }
    output.write(0, &Vector::<u32, 4>::splat(sum));
}

#[kernel]
fn host_steps_of_zero<const STEP: usize>(output: &mut Buffer<u32>) {
    let mut sum: u32 = 0;
    for n in (0..20).step_by(STEP) {
        sum += n as u32;
    }
    output.write(0, &Vector::<u32, 4>::splat(sum));
}

#[test]
fn host_steps_are_positive() {
    for error in [steps_of_zero::ir(), host_steps_of_zero::<0>::ir()] {
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("`step_by(0)`: a step is positive") && error.contains("ranges.rs:"),
            "{error}"
        );
    }
    assert!(host_steps_of_zero::<7>::ir().is_ok());
}

/// Numbers that the type of the loop does not have.
macro_rules! out_of_range {
    ($($name:ident $elem:ident ($first:ident) [$($range:tt)*];)*) => {$(
        #[kernel]
        fn $name(output: &mut Buffer<u32>, $first: $elem) {
            let mut count: u32 = 0;
            for _ in $($range)* {
                count += 1;
            }
            output.write(0, &Vector::<u32, 4>::splat(count));
        }
    )*};
}

out_of_range! {
    long_steps u8 (end) [(0..end).step_by(300)];
    long_steps_of_words i16 (end) [(0..end).step_by(32768)];
    late_starts u8 (end) [300..end];
    negative_starts u8 (end) [-1..end];
    negative_starts_in_steps u32 (end) [(-1..end).step_by(2)];
    late_ends u8 (start) [start..256];
    last_ends u8 (start) [start..255];
    longest_steps i8 (end) [(-128..end).step_by(127)];
}

#[kernel]
fn host_starts<const END: usize>(output: &mut Buffer<u32>) {
    let mut count: u32 = 0;
    for _ in -1..END {
        count += 1;
    }
    output.write(0, &Vector::<u32, 4>::splat(count));
}

#[kernel]
fn inclusive_host_starts<const END: usize>(output: &mut Buffer<u32>) {
    let mut count: u32 = 0;
    for _ in -1..=END {
        count += 1;
    }
    output.write(0, &Vector::<u32, 4>::splat(count));
}

#[kernel]
fn long_host_steps<const STEP: usize>(output: &mut Buffer<u32>) {
    let mut count: u32 = 0;
    for _ in (0..20).step_by(STEP) {
        count += 1;
    }
    output.write(0, &Vector::<u32, 4>::splat(count));
}

#[test]
fn bounds_and_steps_are_numbers_of_the_type() {
    for (ir, number, numbers) in [
        (long_steps::ir(), "300", "0 to 255"),
        (long_steps_of_words::ir(), "32768", "-32768 to 32767"),
        (late_starts::ir(), "300", "0 to 255"),
        (negative_starts::ir(), "-1", "0 to 255"),
        (negative_starts_in_steps::ir(), "-1", "0 to 4294967295"),
        (late_ends::ir(), "256", "0 to 255"),
        (host_starts::<4>::ir(), "-1", "0 to 18446744073709551615"),
        (inclusive_host_starts::<4>::ir(), "-1", "0 to 18446744073709551615"),
        (long_host_steps::<0x1_0000_0001>::ir(), "4294967297", "-2147483648 to 2147483647"),
    ] {
        let error = ir.unwrap_err().to_string();
        assert!(error.contains(&format!("number {number} ")) && error.contains(numbers), "{error}");
        assert!(error.contains("ranges.rs:"), "{error}");
    }
    assert!(
        last_ends::ir().is_ok()
            && longest_steps::ir().is_ok()
            && long_host_steps::<0x7fff_ffff>::ir().is_ok()
    );
}

/// Grid-stride loops by `step_by` are proven to write disjoint bytes.
#[kernel]
fn grid_stride(output: &mut Buffer<u32>, end: u32) {
    for n in (thread_origin_x() * 16..end).step_by(64) {
        output.write(n * 4, &Vector::<u32, 16>::splat(n));
    }
}

#[test]
fn loops_in_steps_are_proven() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?;
    let mut output = Buffer::<u32>::new(&cpu, 256)?;
    let event = grid_stride::launch(&cpu, ThreadSpace::new(4, 1)?, &mut output, 256)?;
    assert!(event.ran_one_by_one().is_none(), "{:?}", event.ran_one_by_one());
    let expected: Vec<u32> = (0..256).map(|n| n / 16 * 16).collect();
    assert_eq!(output.to_vec()?, expected);
    Ok(())
}

const LAST: u32 = 5;

/// A loop from a number of the kernel, or from the variable of another loop, to a host number.
#[kernel]
fn host_ends(output: &mut Buffer<u32>, first: u32) {
    let mut sum = Vector::<u32, 4>::splat(0);
    for i in 0..first {
        for j in i..4 {
            sum += i * 10 + j;
        }
        for j in (i..LAST).step_by(2) {
            sum += j * 100;
        }
    }
    for k in first..LAST {
        sum += k * 1000;
    }
    for n in 0..LAST {
        // Host numbers, as in plain Rust.
        for r in n..LAST {
            sum.get_mut(r % 4).assign(sum.get(r % 4) + n);
        }
    }
    output.write(0, &sum);
}

#[test]
fn a_host_end_has_the_type_of_a_staged_start() -> cm::Result<()> {
    for device in &devices(1) {
        for first in [0, 1, 3, 5] {
            let mut expected = [0; 4];
            let mut all = 0;
            for i in 0..first {
                all += (i..4).map(|j| i * 10 + j).sum::<u32>();
                all += (i..LAST).step_by(2).map(|j| j * 100).sum::<u32>();
            }
            all += (first..LAST).map(|k| k * 1000).sum::<u32>();
            for (r, sum) in (0..).zip(&mut expected) {
                let rows = (0..LAST).flat_map(|n| (n..LAST).filter(|m| m % 4 == r).map(move |_| n));
                *sum = all + rows.sum::<u32>();
            }
            let mut output = Buffer::<u32>::new(device, 4)?;
            host_ends::launch(device, ThreadSpace::new(1, 1)?, &mut output, first)?;
            assert_eq!(output.to_vec()?, expected, "from {first}, {}", device.name());
        }
    }
    Ok(())
}

const EIGHT: u32 = 8;

fn six() -> u8 {
    6
}

fn seven() -> u8 {
    7
}

/// Host numbers as starts, whose types syntax does not show. The products need the type of the end.
#[kernel]
fn typed_host_starts(output: &mut Buffer<u32>) {
    let mut sums = Vector::<u32, 4>::splat(0);
    for c in six()..EIGHT as u32 {
        sums.get_mut(0).assign(sums.get(0) + c * 100);
    }
    for i in 0..seven() {
        for j in i..EIGHT {
            sums.get_mut(1).assign(sums.get(1) + j * 100);
        }
    }
    for c in (six()..EIGHT * 2).step_by(3) {
        sums.get_mut(2).assign(sums.get(2) + c * 100);
    }
    for c in six()..9 {
        // A literal has the type of the start, as in plain Rust.
        let byte: u8 = c.rotate_left(4);
        sums.get_mut(3).assign(sums.get(3) + byte);
    }
    output.write(0, &sums);
}

#[test]
fn a_host_start_leaves_the_type_to_the_end() -> cm::Result<()> {
    let expected = [
        (6..8).map(|c| c * 100).sum::<u32>(),
        (0..7).flat_map(|i| (i..8).map(|j| j * 100)).sum(),
        (6..16).step_by(3).map(|c| c * 100).sum(),
        (6..9).map(|c| u32::from((c as u8).rotate_left(4))).sum(),
    ];
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 4)?;
        typed_host_starts::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// From the end to the start: over staged and host numbers, in steps, and where the sum of the ends wraps.
#[kernel]
fn back(output: &mut Buffer<i32>, first: i32, end: i32, step: i32, low: u8, high: u8) {
    const NUMBERS: usize = 4;
    let mut sums = Vector::<i32, 8>::splat(0);
    for n in (first..end).rev() {
        if n == 7 {
            continue;
        }
        sums.get_mut(0).assign(sums.get(0) * 3 + n);
    }
    for n in (0..end).rev().step_by(step) {
        if n < 3 {
            break;
        }
        sums.get_mut(1).assign(sums.get(1) * 3 + n);
    }
    for n in (low..high).rev() {
        sums.get_mut(2).assign(sums.get(2) * 3 + n);
    }
    let mut lanes = Vector::<i32, 8>::splat(first);
    let own = lanes > 0;
    for n in (0..NUMBERS).rev() {
        sums.get_mut(3).assign(sums.get(3) * 3 + n as i32);
        sums.get_mut(4 + n).assign(n);
    }
    simd_if! { own => {
        for n in (0..NUMBERS).rev() {
            lanes = lanes * 3 + n;
        }
    } }
    output.write(0, &sums);
    output.write(32, &lanes);
}

#[test]
fn ranges_from_their_ends() {
    for (first, end, step, low, high) in
        [(3, 12, 2, 250u8, 255u8), (-2, 17, 3, 0, 3), (16, 1, 3, 9, 9), (0, 0, 1, 200, 100)]
    {
        let lanes = if first > 0 { (0..4).rev().fold(first, |sum, n| sum * 3 + n) } else { first };
        let expected = [
            folded((first..end).rev().filter(|n| *n != 7)),
            folded((0..end).rev().step_by(step as usize).take_while(|n| *n >= 3)),
            folded((low..high).rev().map(i32::from)),
            folded((0..4).rev()),
            0,
            1,
            2,
            3,
        ];
        for device in devices(1) {
            let mut output = Buffer::<i32>::new(&device, 16).unwrap();
            let space = ThreadSpace::new(1, 1).unwrap();
            back::launch(&device, space, &mut output, first, end, step, low, high).unwrap();
            let found = output.to_vec().unwrap();
            assert_eq!(found[..8], expected, "{} {first} {end} {step}", device.name());
            assert_eq!(found[8..], [lanes; 8], "{}", device.name());
        }
    }
}

/// A range that contains a number of the kernel, the elements of a register, or a number of the host.
#[kernel]
fn containing(input: &Buffer<i32>, output: &mut Buffer<u16>, n: i32, low: i32) {
    let v = input.read::<16>(0);
    let mut bits: u16 = 0;
    if (low..10).contains(&n) {
        bits += 1;
    }
    if (-3..=low).contains(&(n - 2)) && !(..7).contains(&n) {
        bits += 2;
    }
    let mut k = n;
    while (5..).contains(&k) {
        bits += 4;
        k -= 5;
    }
    for i in 0..4usize {
        let unused = (1..3).contains(&i) || [5, 3].iter().any(|x| (..=2).contains(x));
        bits += if unused { 0u16 } else { 256 };
    }
    let mut inside = Vector::<u16, 16>::splat(bits);
    inside.merge(1000, (low..=n).contains(&v));
    output.write(0, &inside);
}

#[test]
fn ranges_that_contain() -> cm::Result<()> {
    let v: [i32; 16] = std::array::from_fn(|i| i as i32 * 3 - 20);
    for (n, low) in [(9, 4), (-1, -1), (12, 10), (7, 3)] {
        let mut bits = u16::from((low..10).contains(&n));
        bits += 2 * u16::from((-3..=low).contains(&(n - 2)) && !(..7).contains(&n));
        bits += 4 * (n.max(0) / 5) as u16 + 512;
        let expected = v.map(|x| if (low..=n).contains(&x) { 1000 } else { bits });
        for device in &devices(1) {
            let input = Buffer::from_slice(device, &v)?;
            let mut output = Buffer::<u16>::new(device, 16)?;
            containing::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n, low)?;
            assert_eq!(output.to_vec()?, expected, "{n} {low} {}", device.name());
        }
    }
    Ok(())
}

/// Counts its calls.
#[function]
fn next(n: &mut i32) -> (i32, i32) {
    *n += 1;
    (*n, 0)
}

/// The bounds are evaluated before the value, and each of the three once.
#[kernel]
fn effects_in_ranges(output: &mut Buffer<i32>, first: i32) {
    let (mut n, mut found): (i32, i32) = (first, 0);
    if (0..9).contains(&next(&mut n).0) {
        found += 1;
    }
    if (0..next(&mut n).0).contains(&first) {
        found += 2;
    }
    if (next(&mut n).0..=10).contains(&n) {
        found += 4;
    }
    if (..next(&mut n).0).contains(&(n - 1)) {
        found += 8;
    }
    if (next(&mut n).0..next(&mut n).0).contains(&next(&mut n).1) {
        found += 16;
    }
    found += (1..9).contains(&n) as i32 * 32;
    found += if (1..20).contains(&n) { 59 } else { 0 };
    if matches!(next(&mut n).0, 1 | 2 | 4..) {
        found += 128;
    }
    if !matches!(next(&mut n).0, 3..=6) {
        found += 256;
    }
    output.write(0, &Vector::<i32, 4>::from_array([n, found, 0, 0]));
}

#[test]
fn ranges_evaluate_their_parts_once_and_in_order() -> cm::Result<()> {
    let next = |n: &mut i32| {
        *n += 1;
        (*n, 0)
    };
    for first in [-9, -5, -2, -1, 0, 1, 3, 8, 12] {
        let (mut n, mut found) = (first, 0);
        found += i32::from((0..9).contains(&next(&mut n).0));
        found += 2 * i32::from((0..next(&mut n).0).contains(&first));
        let bound = next(&mut n).0;
        found += 4 * i32::from((bound..=10).contains(&n));
        let bound = next(&mut n).0;
        found += 8 * i32::from((..bound).contains(&(n - 1)));
        found += 16 * i32::from((next(&mut n).0..next(&mut n).0).contains(&next(&mut n).1));
        found += 32 * i32::from((1..9).contains(&n)) + 59 * i32::from((1..20).contains(&n));
        found += 128 * i32::from(matches!(next(&mut n).0, 1 | 2 | 4..));
        found += 256 * i32::from(!matches!(next(&mut n).0, 3..=6));
        for device in &devices(1) {
            let mut output = Buffer::<i32>::new(device, 4)?;
            effects_in_ranges::launch(device, ThreadSpace::new(1, 1)?, &mut output, first)?;
            assert_eq!(output.to_vec()?[..2], [n, found], "{first} {}", device.name());
        }
    }
    Ok(())
}

#[registers]
struct Samples {
    line: Vector<i32, 16>,
}

#[registers]
impl Samples {
    fn inside(&self, low: i32) -> Vector<u16, 16> {
        (low..9).contains(&self.line)
    }
}

#[function]
fn thrice(mask: Vector<u16, 16>) -> Vector<u16, 16> {
    (mask * 3).convert()
}

#[function]
fn next_ones(v: Vector<i32, 16>) -> Vector<i32, 16> {
    (v + 1).convert()
}

/// Registers whose types syntax does not show, masks as results and arguments, and SIMD control flow.
#[kernel]
fn masks_of_ranges(input: &Buffer<i32>, output: &mut Buffer<u16>, low: i32) {
    let v = input.read::<16>(0);
    let samples = Samples { line: v };
    let mask: Vector<u16, 16> = (low..=20).contains(&v);
    let taken = (low..9).contains(&v) & (..5).contains(&v);
    output.write(0, &samples.inside(low));
    output.write(32, &mask);
    output.write(64, &thrice((low..9).contains(&v)));
    output.write(96, &thrice((low..9).contains(&v) | (v > 15)));
    let mut all = Vector::<u16, 16>::splat(0);
    all.merge(1, taken);
    let following = next_ones(v);
    all.merge(2, !(low..9).contains(&following));
    output.write(128, &all);
    let mut lanes = Vector::<u16, 16>::splat(0);
    simd_if! { v > 0 => {
        lanes.merge(1, (low..9).contains(&(v + 1)));
        simd_if! { (12..).contains(&(v * 2)) => { lanes += 4; } }
    } }
    simd_if! { (low..9).contains(&v) => { lanes += 8; } }
    for row in [v, following] {
        lanes.merge(100, (30..40).contains(&row));
    }
    output.write(160, &lanes);
    if (low..9).contains(&v).any() && !(low..9).contains(&v).all() {
        output.write(192, &Vector::<u16, 16>::splat(1));
    }
}

#[test]
fn ranges_of_registers_are_masks() -> cm::Result<()> {
    let v: [i32; 16] = std::array::from_fn(|i| i as i32 * 3 - 10);
    let low = 2;
    let bits = |f: &dyn Fn(i32) -> u16| v.map(f);
    let expected = [
        bits(&|x| u16::from((low..9).contains(&x))),
        bits(&|x| u16::from((low..=20).contains(&x))),
        bits(&|x| 3 * u16::from((low..9).contains(&x))),
        bits(&|x| 3 * u16::from((low..9).contains(&x) | (x > 15))),
        bits(&|x| match () {
            () if !(low..9).contains(&(x + 1)) => 2,
            () => u16::from((low..9).contains(&x) & (..5).contains(&x)),
        }),
        bits(&|x| {
            let inside = u16::from(x > 0 && (low..9).contains(&(x + 1)));
            let sum = inside + 4 * u16::from(x > 0 && x * 2 >= 12) + 8 * u16::from((low..9).contains(&x));
            if (30..40).contains(&x) || (30..40).contains(&(x + 1)) { 100 } else { sum }
        }),
        [1; 16],
    ];
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &v)?;
        let mut output = Buffer::<u16>::new(device, 112)?;
        masks_of_ranges::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, low)?;
        assert_eq!(output.to_vec()?, expected.concat(), "{}", device.name());
    }
    Ok(())
}
