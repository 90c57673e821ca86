//! `if` and `match` with values: numbers without a type, chains, tuples and conditions, in all executions.

use cm::ir::Function;
use cm::prelude::*;
use cm_test_support::devices::devices;

/// A chain with two branches that are numbers, and their type from each place of the third.
#[kernel]
fn chains(a: u32, x: f32, out: &mut Buffer<f32>) {
    let first = if a < 3 {
        x
    } else if a < 7 {
        1
    } else {
        2.5
    };
    let second = if a < 3 {
        1
    } else if a < 7 {
        x
    } else {
        2.5
    };
    let third = if a < 3 {
        1
    } else if a < 7 {
        2.5
    } else {
        x
    };
    let nested = if a < 7 {
        if a < 3 { 1 } else { 2 }
    } else {
        {
            let y = x * 2.0f32;
            y
        }
    };
    let mut v0 = Vector::<f32, 4>::splat(0.0f32);
    v0.get_mut(0).assign(first);
    v0.get_mut(1).assign(second);
    v0.get_mut(2).assign(third);
    v0.get_mut(3).assign(nested);
    out.write(0, &v0);
}

/// Chains of numbers alone: by default, or with the type of a `let`, a variable and a result.
#[kernel]
fn alone(a: u32, out: &mut Buffer<f32>) {
    let integers = if a < 3 {
        1
    } else if a < 7 {
        2
    } else {
        -3
    };
    let floats = if a < 3 {
        1
    } else if a < 7 {
        2.5
    } else {
        -3
    };
    let bytes: u8 = if a < 3 {
        255
    } else if a < 7 {
        254
    } else {
        1
    };
    let half: f16 = if a < 3 { 1 } else { 2.5 };
    let mut stored: f32 = 0.0;
    stored = if a < 3 {
        1
    } else if a < 7 {
        stored - 2.5f32
    } else {
        3
    };
    let mut v0 = Vector::<f32, 4>::splat(0.0f32);
    v0.get_mut(0).assign(integers);
    v0.get_mut(1).assign(floats);
    v0.get_mut(2).assign(bytes);
    v0.get_mut(3).assign(half);
    out.write(0, &v0);
    let mut v16 = Vector::<f32, 4>::splat(0.0f32);
    v16.get_mut(0).assign(stored);
    v16.get_mut(1).assign(kind(a));
    v16.get_mut(2).assign(weight(a));
    out.write(16, &v16);
}

#[function]
fn kind(a: u32) -> u16 {
    if a < 3 {
        1
    } else if a < 7 {
        2
    } else {
        60000
    }
}

#[function]
fn weight(a: u32) -> f32 {
    if a > 7 {
        return match a {
            8 => 1,
            _ => 2,
        };
    }
    match a {
        0 => 1,
        1 => 2.5,
        _ => 3,
    }
}

/// Staged numbers with operators, ranges, tuples, guards, and values of several kinds.
#[kernel]
fn matched(a: u32, b: i32, x: f32, out: &mut Buffer<f32>) {
    let bits = match a & 3 {
        0 => 10,
        1 | 2 => 20,
        _ => 30,
    };
    let far = match a {
        0xffff_ffff => 1,
        4..=6 => x,
        _ => 2.5,
    };
    let both: f32 = match (a, b) {
        (0, -1) => 1,
        (k, 1..=3) if k > 7 => x,
        (_, 0) | (5, _) => {
            let twice = x * 2.0f32;
            if a > 3 { twice } else { 0 }
        }
        (_, n) => n.convert::<f32>(),
    };
    let nested: i32 = match b {
        -1 => 4,
        -3..=-2 => 5,
        _ => {
            if a > 2 {
                1
            } else {
                0
            }
        }
    };
    let decided = match a > 5 {
        true => 1,
        false => x,
    };
    let mut counted: f32 = 0.0;
    match (b % 4, a) {
        (0, _) => counted = 1,
        (1, 9) => {}
        (n, m) => counted += n.convert::<f32>() + m.convert::<f32>(),
    }
    let mut v0 = Vector::<f32, 4>::splat(0.0f32);
    v0.get_mut(0).assign(bits);
    v0.get_mut(1).assign(far);
    v0.get_mut(2).assign(both);
    v0.get_mut(3).assign(nested);
    out.write(0, &v0);
    let mut v16 = Vector::<f32, 4>::splat(0.0f32);
    v16.get_mut(0).assign(decided);
    v16.get_mut(1).assign(counted);
    out.write(16, &v16);
}

fn expected_of_match(a: u32, b: i32, x: f32) -> [f32; 6] {
    let bits = [10.0, 20.0, 20.0, 30.0][(a & 3) as usize];
    let far = match a {
        u32::MAX => 1.0,
        4..=6 => x,
        _ => 2.5,
    };
    let both = match (a, b) {
        (0, -1) => 1.0,
        (k, 1..=3) if k > 7 => x,
        (_, 0) | (5, _) if a > 3 => x * 2.0,
        (_, 0) => 0.0,
        (_, n) => n as f32,
    };
    let nested = match b {
        -1 => 4.0,
        -3..=-2 => 5.0,
        _ => {
            if a > 2 {
                1.0
            } else {
                0.0
            }
        }
    };
    let decided = if a > 5 { 1.0 } else { x };
    let counted = match (b % 4, a) {
        (0, _) => 1.0,
        (1, 9) => 0.0,
        (n, m) => n as f32 + m as f32,
    };
    [bits, far, both, nested, decided, counted]
}

#[test]
fn numbers_have_the_type_of_the_other_arms() -> cm::Result<()> {
    for device in &devices(2) {
        let mut out = Buffer::<f32>::new(device, 8)?;
        let space = ThreadSpace::new(1, 1)?;
        for a in [0, 2, 3, 6, 7, 8, 9] {
            let x = 10.25;
            chains::launch(device, space, a, x, &mut out)?;
            let by = |first, second, third| {
                if a < 3 {
                    first
                } else if a < 7 {
                    second
                } else {
                    third
                }
            };
            let expected = [by(x, 1.0, 2.5), by(1.0, x, 2.5), by(1.0, 2.5, x), by(1.0, 2.0, x * 2.0)];
            assert_eq!(out.to_vec()?[..4], expected, "{a} on {device:?}");
            alone::launch(device, space, a, &mut out)?;
            let expected = [
                by(1.0, 2.0, -3.0),
                by(1.0, 2.5, -3.0),
                by(255.0, 254.0, 1.0),
                by(1.0, 2.5, 2.5),
                by(1.0, -2.5, 3.0),
                by(1.0, 2.0, 60000.0),
                match a {
                    0 | 8 => 1.0,
                    1 => 2.5,
                    2..=7 => 3.0,
                    _ => 2.0,
                },
                0.0,
            ];
            assert_eq!(out.to_vec()?, expected, "{a} on {device:?}");
        }
    }
    Ok(())
}

#[test]
fn staged_numbers_choose_an_arm() -> cm::Result<()> {
    for device in &devices(2) {
        let mut out = Buffer::<f32>::new(device, 8)?;
        for a in [0, 1, 2, 4, 5, 8, 9, u32::MAX] {
            for b in [-5, -3, -1, 0, 1, 2, 9] {
                matched::launch(device, ThreadSpace::new(1, 1)?, a, b, 10.25, &mut out)?;
                assert_eq!(out.to_vec()?[..6], expected_of_match(a, b, 10.25), "{a} and {b} on {device:?}");
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Filter {
    Box,
    Tent,
    Given,
}

const COUNT: u32 = 3;

/// A choice among host numbers is a host number: the loop unrolls.
#[kernel]
fn host_count(out: &mut Buffer<u32>) {
    let count = match Filter::Tent {
        Filter::Tent => COUNT,
        Filter::Box => 1,
        Filter::Given => COUNT + 1,
    };
    let mut sum: u32 = 0;
    for i in 0..count {
        sum += i;
    }
    out.write(0, &Vector::<u32, 4>::splat(sum));
}

/// Which arm is chosen is known when the kernel is recorded: by a constant, and by a size.
#[kernel]
fn host<const N: usize>(x: f32, out: &mut Buffer<f32>) {
    const FILTERS: [Filter; 3] = [Filter::Box, Filter::Tent, Filter::Given];
    let of_enum = match FILTERS[N] {
        Filter::Box => 1,
        Filter::Tent => 2.5,
        Filter::Given => x,
    };
    let typed: f32 = match FILTERS[N] {
        Filter::Box => 1,
        Filter::Tent => 2.5,
        Filter::Given => 3,
    };
    let of_size = match N {
        0 => x,
        1 => 1,
        _ => 2.5,
    };
    let alone = match N {
        0 => 1,
        1 => 2.5,
        _ => 3,
    };
    let pair = match (N, N + 1) {
        (0, _) => 1,
        (1, 2) => x,
        _ => 3,
    };
    let mut v0 = Vector::<f32, 4>::splat(0.0f32);
    v0.get_mut(0).assign(of_enum);
    v0.get_mut(1).assign(typed);
    v0.get_mut(2).assign(of_size);
    v0.get_mut(3).assign(alone);
    out.write(0, &v0);
    let mut v16 = Vector::<f32, 4>::splat(0.0f32);
    v16.get_mut(0).assign(pair);
    out.write(16, &v16);
}

fn choices(function: &Function) -> usize {
    function.to_string().lines().filter(|line| line.trim_start().starts_with("if ")).count()
}

#[test]
fn host_values_choose_at_once() -> cm::Result<()> {
    let x = 10.25;
    for device in &devices(2) {
        let mut out = Buffer::<f32>::new(device, 8)?;
        let space = ThreadSpace::new(1, 1)?;
        host::<0>::launch(device, space, x, &mut out)?;
        assert_eq!(out.to_vec()?[..5], [1.0, 1.0, x, 1.0, 1.0], "{device:?}");
        host::<1>::launch(device, space, x, &mut out)?;
        assert_eq!(out.to_vec()?[..5], [2.5, 2.5, 1.0, 2.5, x], "{device:?}");
        host::<2>::launch(device, space, x, &mut out)?;
        assert_eq!(out.to_vec()?[..5], [x, 3.0, 2.5, 3.0, 3.0], "{device:?}");
    }
    assert_eq!(choices(&host::<1>::ir()?), 0);
    assert!(!host_count::ir()?.to_string().contains("loop"));
    assert!(choices(&matched::ir()?) > 8);
    Ok(())
}

/// A pattern that no byte is.
#[kernel]
fn too_large(a: u8, out: &mut Buffer<u32>) {
    out.write(
        0,
        &Vector::<u32, 4>::splat(match a {
            300 => 1,
            _ => 2,
        }),
    );
}

#[test]
fn patterns_are_numbers_of_the_type() {
    let error = too_large::ir().unwrap_err().to_string();
    assert!(error.contains("the pattern 300 of a `match` on numbers from 0 to 255"), "{error}");
    assert!(error.contains("arms.rs:"), "{error}");
}

/// Arms with names of their own that are also names of what is assigned.
#[kernel]
fn names_in_arms(a: i32, out: &mut Buffer<i32>) {
    let mut x: i32 = 100;
    x = if a > 3 {
        let mut x: i32 = 5;
        x += a;
        x
    } else {
        1
    };
    let mut y: i32 = 100;
    y = match a {
        0 => 1,
        mut y => {
            y += 1;
            y
        }
    };
    let mut lines = [0i32; 2];
    for i in 0..2 {
        lines[i] = match a {
            0 => 1,
            n => {
                let i = 0;
                n + i + 10
            }
        };
    }
    let mut v = Vector::<i32, 4>::splat(x);
    v.get_mut(1).assign(y);
    v.get_mut(2).assign(lines[0]);
    v.get_mut(3).assign(lines[1]);
    out.write(0, &v);
}

#[test]
fn names_in_arms_are_others() -> cm::Result<()> {
    for (a, expected) in [(0, [1, 1, 1, 1]), (3, [1, 4, 13, 13]), (4, [9, 5, 14, 14])] {
        for device in &devices(1) {
            let mut out = Buffer::new(device, 4)?;
            names_in_arms::launch(device, ThreadSpace::new(1, 1)?, a, &mut out)?;
            assert_eq!(out.to_vec()?, expected, "{a} {device:?}");
        }
    }
    Ok(())
}

/// A surface and a buffer that a size chooses, and arrays of both.
#[kernel]
fn chosen<const N: usize>(
    a: &Surface2D,
    b: &Surface2D,
    x: &Buffer<u8>,
    y: &mut Buffer<u8>,
    out: &mut Surface2D,
) {
    let surface = if N == 0 { a } else { b };
    out.write(0, 0, &surface.read::<u8, 1, 16>(0, 0));
    let buffer = match N {
        0 => x,
        _ => &*y,
    };
    out.write(0, 1, &buffer.read::<16>(0));
    let planes = [a, b];
    for i in 0..2 {
        out.write(0, i as i32 + 2, &planes[1 - i].read::<u8, 1, 16>(0, 0));
    }
    let of_three = if N == 0 {
        a
    } else if N == 1 {
        b
    } else {
        a
    };
    for (i, plane) in [of_three, planes[N % 2]].into_iter().enumerate() {
        out.write(0, i + 4, &plane.read::<u8, 1, 16>(0, 0));
    }
}

/// Written ones.
#[kernel]
fn chosen_to_write<const N: usize>(a: &mut Surface2D, b: &mut Surface2D) {
    let target = if N == 0 { a } else { b };
    target.write(0, 0, &Matrix::<u8, 1, 16>::splat(7));
}

/// `N` is the number of a surface that the array lacks, or -1.
#[kernel]
fn chosen_beyond<const N: i32>(a: &Surface2D, b: &Surface2D, out: &mut Surface2D) {
    let planes = [a, b];
    for i in 0..2 {
        out.write(0, i as i32, &planes[i + N].read::<u8, 1, 16>(0, 0));
    }
}

#[test]
fn arrays_of_surfaces_have_an_end() {
    assert!(chosen_beyond::<0>::ir().is_ok());
    let line = include_str!("arms.rs").lines().position(|line| line.contains("&planes[i + N]")).unwrap() + 1;
    for (refused, words) in [
        (chosen_beyond::<1>::ir(), "element 2 of an array of 2 elements"),
        (chosen_beyond::<-1>::ir(), "element -1 of an array of 2 elements"),
    ] {
        let message = refused.map(|_: Function| ()).unwrap_err().to_string();
        assert!(message.contains(words) && message.contains(&format!("arms.rs:{line}")), "{message}");
    }
}

#[test]
fn surfaces_are_chosen_by_host_values() -> cm::Result<()> {
    let surface = |device: &Device, of: u8| Surface2D::from_bytes(device, Format::R8, 16, 1, &[of; 16]);
    for device in &devices(2) {
        let (a, b) = (surface(device, 1)?, surface(device, 2)?);
        let (x, mut y) = (Buffer::from_slice(device, &[3u8; 16])?, Buffer::from_slice(device, &[4u8; 16])?);
        let mut out = Surface2D::new(device, Format::R8, 16, 6)?;
        let space = ThreadSpace::new(1, 1)?;
        let rows = |out: &Surface2D| -> cm::Result<Vec<u8>> {
            Ok(out.to_vec()?.chunks(16).map(|row| row[5]).collect())
        };
        chosen::<0>::launch(device, space, &a, &b, &x, &mut y, &mut out)?;
        assert_eq!(rows(&out)?, [1, 3, 2, 1, 1, 1], "{device:?}");
        chosen::<1>::launch(device, space, &a, &b, &x, &mut y, &mut out)?;
        assert_eq!(rows(&out)?, [2, 4, 2, 1, 2, 2], "{device:?}");
        let (mut a, mut b) = (a, b);
        chosen_to_write::<1>::launch(device, space, &mut a, &mut b)?;
        assert_eq!((a.to_vec()?, b.to_vec()?), (vec![1; 16], vec![7; 16]), "{device:?}");
    }
    Ok(())
}
