//! `match` on tuples of integers and conditions, against Rust's own `match`, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

const TEN: i32 = 10;

/// Alternatives that bind one name to different numbers: the first one that matches and whose guard holds counts.
#[function]
fn alternatives(a: i32, b: i32) -> i32 {
    let plain: i32 = match (a, b) {
        (1, n) | (n, 1) => n * 2,
        (TEN, mut n) | (mut n, TEN) => {
            n += 5;
            n
        }
        _ => -1,
    };
    let guarded = match (a, b) {
        (2, n) | (n, 2) if n > 3 => n,
        (n, m @ 5..) | (m @ 5.., n) => n - m,
        (n, _) => n,
    };
    plain * 1000 + guarded
}

fn expected_of_alternatives(a: i32, b: i32) -> i32 {
    let plain = match (a, b) {
        (1, n) | (n, 1) => n * 2,
        (TEN, n) | (n, TEN) => n + 5,
        _ => -1,
    };
    let guarded = match (a, b) {
        (2, n) | (n, 2) if n > 3 => n,
        (n, m @ 5..) | (m @ 5.., n) => n - m,
        (n, _) => n,
    };
    plain * 1000 + guarded
}

/// Conditions in tuples: their arms take all there are without `_`.
#[function]
fn conditions(a: i32, b: i32) -> i32 {
    let both = match (a > 3, b < 4) {
        (true, true) => 5,
        (true, false) => 6,
        (false, x) if x => 7,
        (false, true | false) => 8,
    };
    let mixed = match (a == b, a & 3) {
        (true, 1..) => 1,
        (_, 0) => a,
        (false, n) => n + 20,
        (true, _) => 40,
    };
    let single = match a > b {
        true if b > 2 => 100,
        true => 200,
        false => 300,
    };
    let mut compared: i32 = 0;
    if (a > b) == true && (a == 3) != true {
        compared += 1;
    }
    if false == (b < 4) {
        compared += 2;
    }
    ((both * 100 + mixed) * 1000 + single) * 4 + compared
}

fn expected_of_conditions(a: i32, b: i32) -> i32 {
    let both = match (a > 3, b < 4) {
        (true, true) => 5,
        (true, false) => 6,
        (false, x) if x => 7,
        (false, true | false) => 8,
    };
    let mixed = match (a == b, a & 3) {
        (true, 1..) => 1,
        (_, 0) => a,
        (false, n) => n + 20,
        (true, _) => 40,
    };
    let single = match a > b {
        true if b > 2 => 100,
        true => 200,
        false => 300,
    };
    let compared = i32::from(a > b && a != 3) + 2 * i32::from(b >= 4);
    ((both * 100 + mixed) * 1000 + single) * 4 + compared
}

/// Guards alone, tuples by their names, and `..`.
#[function]
fn guards(a: i32, b: i32, x: f32) -> i32 {
    let limited = match a {
        n if n > 5 => 5,
        n if n < b => b,
        n => n,
    };
    let pair = (a, b);
    let of_pair = match pair {
        (1, ..) => 4,
        (.., 5) => 7,
        (n, m) if n > m => n - m,
        (..) => b,
    };
    let mut counted = 0;
    match x {
        y if y > 2.5f32 => counted = 1,
        y if y + 1.0f32 < 0.0f32 => counted += 2,
        _ => {}
    }
    (limited * 100 + of_pair) * 10 + counted
}

fn expected_of_guards(a: i32, b: i32, x: f32) -> i32 {
    let limited = match a {
        n if n > 5 => 5,
        n if n < b => b,
        n => n,
    };
    let of_pair = match (a, b) {
        (1, ..) => 4,
        (.., 5) => 7,
        (n, m) if n > m => n - m,
        (..) => b,
    };
    let counted = match x {
        y if y > 2.5 => 1,
        y if y + 1.0 < 0.0 => 2,
        _ => 0,
    };
    (limited * 100 + of_pair) * 10 + counted
}

#[kernel]
fn matched(a: i32, b: i32, out: &mut Buffer<i32>) {
    let mut found = Vector::<i32, 4>::splat(0);
    found.get_mut(0).assign(alternatives(a, b));
    found.get_mut(1).assign(conditions(a, b));
    found.get_mut(2).assign(guards(a, b, a.convert::<f32>()));
    out.write(0, &found);
}

#[test]
fn staged_values_choose_an_arm() -> cm::Result<()> {
    for device in &devices(2) {
        let mut out = Buffer::<i32>::new(device, 4)?;
        for a in [-4, 0, 1, 2, 3, 5, 7, 10] {
            for b in [0, 1, 2, 4, 5, 10] {
                matched::launch(device, ThreadSpace::new(1, 1)?, a, b, &mut out)?;
                let expected = [
                    expected_of_alternatives(a, b),
                    expected_of_conditions(a, b),
                    expected_of_guards(a, b, a as f32),
                    0,
                ];
                assert_eq!(out.to_vec()?, expected, "{a} and {b} on {device:?}");
            }
        }
    }
    Ok(())
}

/// Host values choose when the kernel is recorded, also by guards, and stay host values: they index arrays.
#[kernel]
fn host<const N: usize>(a: i32, out: &mut Buffer<i32>) {
    let lines = [Vector::<i32, 4>::splat(1), Vector::<i32, 4>::splat(a), Vector::<i32, 4>::splat(3)];
    let chosen = match N {
        n if n > 2 => n - 3,
        n => n,
    };
    let found = match (N > 2, N) {
        (true, 4) => lines[chosen],
        (true, _) => lines[chosen] * 10,
        (false, n) => lines[chosen] + n as i32,
    };
    let first = match (Some(a), N) {
        (Some(x), 0) | (Some(x), 4) => x * 2,
        (Some(_), n) if n == 1 => a - 41,
        (Some(x), _) => x,
        (None, _) => 0,
    };
    out.write(0, &(found + first));
}

#[test]
fn host_values_choose_when_recorded() -> cm::Result<()> {
    let device = Device::cpu()?;
    let mut out = Buffer::<i32>::new(&device, 4)?;
    let space = ThreadSpace::new(1, 1)?;
    let mut found = Vec::new();
    host::<0>::launch(&device, space, 50, &mut out)?;
    found.push(out.to_vec()?[0]);
    host::<1>::launch(&device, space, 50, &mut out)?;
    found.push(out.to_vec()?[0]);
    host::<3>::launch(&device, space, 50, &mut out)?;
    found.push(out.to_vec()?[0]);
    host::<4>::launch(&device, space, 50, &mut out)?;
    found.push(out.to_vec()?[0]);
    assert_eq!(found, [1 + 100, 51 + 9, 10 + 50, 50 + 100]);
    let recorded = host::<4>::ir().expect("the kernel is recorded");
    assert!(!recorded.to_string().contains("if "), "the arms are chosen when recorded:\n{recorded}");
    Ok(())
}

/// Tuples in arms: a number without a type has the type of the other arms at its place.
#[kernel]
fn numbers_in_tuples(output: &mut Buffer<u32>, n: u32, x: f32) {
    let (from, to) = if n & 1 == 0 { (0, n) } else { (n, 7) };
    let (low, scale, all) = match n {
        0 => (1, x, true),
        1..=3 => (n * 2, 1, n > 2),
        _ => {
            if n > 8 {
                (n, 0.5, false)
            } else {
                (2, x * 4.0f32, n == 5)
            }
        }
    };
    let third = if all { scale + 1.0f32 } else { scale };
    output.write(0, &Vector::<u32, 4>::from_array([from, to, low, (third * 8.0f32) as u32]));
}

#[test]
fn numbers_in_tuples_have_the_types_of_other_arms() -> cm::Result<()> {
    let x = 2.25f32;
    for n in 0..11u32 {
        let (from, to) = if n & 1 == 0 { (0, n) } else { (n, 7) };
        let (low, scale, all) = match n {
            0 => (1, x, true),
            1..=3 => (n * 2, 1.0, n > 2),
            4..=8 => (2, x * 4.0, n == 5),
            _ => (n, 0.5, false),
        };
        let third = if all { scale + 1.0 } else { scale };
        for device in &devices(2) {
            let mut output = Buffer::<u32>::new(device, 4)?;
            numbers_in_tuples::launch(device, ThreadSpace::new(1, 1)?, &mut output, n, x)?;
            assert_eq!(output.to_vec()?, [from, to, low, (third * 8.0) as u32], "{n} {}", device.name());
        }
    }
    Ok(())
}

/// Numbers alone at a place, of which one is a float, and tuples in tuples.
#[kernel]
fn places_of_tuples(output: &mut Buffer<f32>, n: u32, x: f32) {
    let (scale, from) = match n {
        0 => (0, n),
        1 => return,
        _ => (1.5, 2),
    };
    let (low, (high, (third, (count, _)))) =
        if n & 1 == 0 { (1, (2, (n, (-3, 0.5)))) } else { (n, (n, (4, (n as i64, x)))) };
    let scale = scale as f32 * 2.0f32;
    output.write(0, &Vector::<f32, 4>::from_array([scale, from as f32, low as f32, high as f32]));
    output.write(16, &Vector::<f32, 4>::from_array([third as f32, count as f32, 0.0, 0.0]));
}

#[test]
fn each_place_of_tuples_counts_for_itself() -> cm::Result<()> {
    for n in 0..4u32 {
        let up = n as f32;
        let (scale, from) = if n == 0 { (0.0, up) } else { (1.5, 2.0) };
        let others = if n & 1 == 0 { [1.0, 2.0, up, -3.0] } else { [up, up, 4.0, up] };
        let expected = match n {
            1 => [0.0; 6].to_vec(),
            _ => [&[scale * 2.0, from][..], &others].concat(),
        };
        for device in &devices(2) {
            let mut output = Buffer::<f32>::from_slice(device, &[0.0; 8])?;
            places_of_tuples::launch(device, ThreadSpace::new(1, 1)?, &mut output, n, 0.25)?;
            assert_eq!(output.to_vec()?[..6], expected, "{n} {}", device.name());
        }
    }
    Ok(())
}

struct Limits;

impl Limits {
    const Q: i32 = 5;
}

const M: i32 = 8;

/// Constants with names of one letter, where a name can be nothing else, and letters.
#[function]
fn letters(a: i32, c: u8) -> i32 {
    let constant = match a {
        Limits::Q => 1,
        6..=M => 2,
        _ => 3,
    };
    let reversed = match a {
        0 | Limits::Q => 10,
        n if n > M => 20,
        _ => 30,
    };
    let class = match c {
        b'a'..=b'z' => 100,
        b'0' | b'9' => 200,
        _ => 300,
    };
    constant + reversed + class
}

#[kernel]
fn of_letters(output: &mut Buffer<i32>, a: i32, c: u8) {
    output.write(0, &Vector::<i32, 4>::splat(letters(a, c)));
}

#[test]
fn constants_of_one_letter_and_letters() -> cm::Result<()> {
    for (a, c, expected) in [(5, b'q', 111), (6, b'0', 232), (8, b'{', 332), (9, b'9', 223), (0, b'a', 113)] {
        assert_eq!(letters(a, c), expected.into());
        for device in &devices(1) {
            let mut output = Buffer::<i32>::new(device, 4)?;
            of_letters::launch(device, ThreadSpace::new(1, 1)?, &mut output, a, c)?;
            assert_eq!(output.to_vec()?, [expected; 4], "{}", device.name());
        }
    }
    Ok(())
}

/// `matches!` of numbers and conditions of the kernel, and of values of the host.
#[kernel]
fn matching(output: &mut Buffer<i32>, n: i32, x: f32) {
    let mut bits = 0;
    if matches!(n, 1 | 3 | 10..=12 | ..-5) {
        bits += 1;
    }
    if !matches!(n % 7, 2 | 4 | 6) && matches!(n, k if k > 2) {
        bits += 2;
    }
    let pair = matches!((n, x > 0.5f32), (3, true) | (_, false));
    bits += if pair { 4 } else { 0 };
    bits += if matches!(x, 0.25..0.75) { 8 } else { 0 };
    for choice in [None, Some(2), Some(7)] {
        if matches!(choice, Some(2 | 3)) || matches!(choice, Some(k) if k > 6) {
            bits += 16;
        }
    }
    for i in (0..8u32).filter(|i| matches!(*i, 2 | 5..)) {
        bits += 64 << i;
    }
    output.write(0, &Vector::<i32, 8>::splat(bits));
}

#[function]
fn is_small(n: i32) -> bool {
    matches!(n, 0..=3)
}

#[kernel]
fn small(output: &mut Buffer<i32>, n: i32) {
    let sizes = if is_small(n) { 1 } else { 2 };
    output.write(0, &Vector::<i32, 8>::splat(sizes));
}

#[test]
fn matches_macros() -> cm::Result<()> {
    for (n, x) in [(3, 0.75), (-6, 0.5), (11, 0.25), (4, 1.0), (0, 0.0)] {
        let mut expected = i32::from(matches!(n, 1 | 3 | 10..=12 | ..-5));
        expected += 2 * i32::from(!matches!(n % 7, 2 | 4 | 6) && n > 2);
        expected += 4 * i32::from(matches!((n, x > 0.5), (3, true) | (_, false)));
        expected += 8 * i32::from((0.25..0.75).contains(&x));
        expected += 32 + 64 * (4 + 32 + 64 + 128);
        for device in &devices(1) {
            let mut output = Buffer::<i32>::new(device, 8)?;
            matching::launch(device, ThreadSpace::new(1, 1)?, &mut output, n, x)?;
            assert_eq!(output.to_vec()?, [expected; 8], "{n} {x} {}", device.name());
            small::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, [2 - i32::from((0..=3).contains(&n)); 8], "{n} {}", device.name());
        }
    }
    Ok(())
}

/// Arms of `if let` and `match` on host values, some of which are numbers without a type.
#[kernel]
fn chosen_on_the_host<const N: usize>(output: &mut Buffer<i32>, p: i32) {
    let staged = if N > 2 { p } else { p + 1 };
    let host = 5usize;
    for q in [Some(staged), None] {
        for h in [Some(host), None] {
            let first = if let Some(n) = q { n + 1 } else { -9 };
            let second: i32 = if let Some(n) = q { n } else { 8 };
            let third = match q {
                Some(n) => n * 2 + 1,
                None => 7,
            };
            let fourth = if let Some(n) = q {
                n * 3
            } else if p > 3 {
                4
            } else {
                9
            };
            let fifth = if p > 3 {
                1
            } else if let Some(n) = h {
                p + n as i32
            } else {
                6
            };
            let (a, b) = if let Some(n) = q { (n, 3) } else { (1, p + 1) };
            let size = if let Some(n) = h { n + 1 } else { 2 };
            let mut sum = 0;
            for i in 0..size {
                sum += i as i32;
            }
            let is_three = if let 3 = p { p + 5 } else { 4 };
            let register = if let Some(n) = q { Vector::<i32, 8>::splat(n) } else { Vector::splat(0) };
            let left = if let Some(n) = q {
                n
            } else if let Some(n) = h {
                n as i32
            } else {
                continue;
            };
            let numbers = [first, second, third, fourth, fifth, a, b, sum, is_three, register.get(0), left];
            for (n, number) in numbers.into_iter().enumerate() {
                let line = if q.is_some() { 0 } else { 2 } + if h.is_some() { 0 } else { 1 };
                output.write_scattered(0, line * 11 + n as u32, number);
            }
        }
    }
}

#[test]
fn arms_on_host_values_take_numbers() -> cm::Result<()> {
    for p in [0, 3, 50] {
        let staged = p;
        let mut expected = [0; 44];
        for (line, (q, h)) in [(Some(staged), Some(5)), (Some(staged), None), (None, Some(5)), (None, None)]
            .into_iter()
            .enumerate()
        {
            let Some(left) = q.or(h) else { continue };
            let numbers = [
                q.map_or(-9, |n| n + 1),
                q.unwrap_or(8),
                q.map_or(7, |n| n * 2 + 1),
                q.map_or(if p > 3 { 4 } else { 9 }, |n| n * 3),
                if p > 3 { 1 } else { h.map_or(6, |n| p + n) },
                q.unwrap_or(1),
                if q.is_some() { 3 } else { p + 1 },
                (0..h.map_or(2, |n| n + 1)).sum(),
                if p == 3 { 8 } else { 4 },
                q.unwrap_or(0),
                left,
            ];
            expected[line * 11..][..11].copy_from_slice(&numbers);
        }
        for device in &devices(1) {
            let mut output = Buffer::from_slice(device, &[0; 44])?;
            chosen_on_the_host::<4>::launch(device, ThreadSpace::new(1, 1)?, &mut output, p)?;
            assert_eq!(output.to_vec()?, expected, "{p} {}", device.name());
        }
    }
    Ok(())
}
