//! `#[registers]` of an `enum`: a host value, on which functions decide when they are recorded.

use std::cmp::Ordering;

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Which neighbours a filter takes.
#[registers]
#[derive(Debug, PartialEq)]
enum Side {
    Left = 3,
    Right = 5,
}

/// The neighbours of 8 elements, in front of them or behind them.
#[function]
fn neighbours(v: Vector<i32, 16>, side: Side) -> Vector<i32, 8> {
    v.select::<8, 1>(side as usize)
}

#[function]
fn weight(side: Side, n: i32) -> i32 {
    if side != Side::Left && n > 0 {
        return n;
    }
    match side {
        Side::Left => 10,
        Side::Right => 100,
    }
}

#[kernel]
fn choices(input: &Buffer<i32>, output: &mut Buffer<i32>, n: i32) {
    let v = input.read::<16>(0);
    let mut sum = v.select::<8, 1>(4);
    for side in [Side::Left, Side::Right] {
        sum += neighbours(v, side) * weight(side, n) + side as i32;
    }
    output.write(0, &sum);
}

#[test]
fn functions_that_take_enums() -> cm::Result<()> {
    let v: [i32; 16] = std::array::from_fn(|i| (i * i) as i32 - 20);
    for n in [-1, 7] {
        let right = if n > 0 { n } else { 100 };
        let expected: Vec<i32> = (4..12).map(|i| v[i] + v[i - 1] * 10 + v[i + 1] * right + 3 + 5).collect();
        for device in &devices(1) {
            let input = Buffer::from_slice(device, &v)?;
            let mut output = Buffer::<i32>::new(device, 8)?;
            choices::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n)?;
            assert_eq!(output.to_vec()?, expected, "{}", device.name());
        }
    }
    // In plain Rust, too.
    assert_eq!(neighbours(Vector::from_array(v), Side::Left).to_array(), v[3..11]);
    assert_eq!(format!("{:?}", Side::Right), "Right");
    Ok(())
}

/// Names that the macro would give to its own parameters.
mod names {
    use cm::prelude::*;

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum B {
        M,
        O = 2,
    }

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum M {
        B,
        O = 3,
    }

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum O {
        B,
        M = 4,
    }

    #[registers]
    #[derive(PartialEq)]
    pub(super) enum T {
        B,
        M = 5,
    }

    #[registers]
    #[derive(PartialEq)]
    #[allow(clippy::upper_case_acronyms, reason = "the name of a parameter of the macro")]
    pub(super) enum FILE {
        B,
        M = 6,
    }
}

#[function]
fn named(b: names::B, m: names::M, o: names::O, t: names::T, file: names::FILE) -> i32 {
    let differ = b != names::B::M && m != names::M::B && o != names::O::B && t != names::T::B;
    let file = match file {
        names::FILE::B => 0,
        names::FILE::M => file as i32,
    };
    if differ { b as i32 + m as i32 * 10 + o as i32 * 100 + t as i32 * 1000 + file * 10000 } else { -1 }
}

#[kernel]
fn names_of_parameters(output: &mut Buffer<i32>) {
    let all = named(names::B::O, names::M::O, names::O::M, names::T::M, names::FILE::M);
    let none = named(names::B::M, names::M::O, names::O::M, names::T::M, names::FILE::B);
    output.write(0, &Vector::<i32, 4>::from_array([all, none, 0, 0]));
}

#[test]
fn enums_with_any_names() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 4)?;
        names_of_parameters::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        assert_eq!(output.to_vec()?[..2], [65432, -1], "{}", device.name());
    }
    Ok(())
}

/// Its own traits compare: the two ways up are equal, and the larger number comes first.
#[registers]
#[derive(Debug)]
enum Way {
    Up = 2,
    Upwards = 3,
    Down = 1,
}

impl PartialEq for Way {
    fn eq(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Down, Self::Down) | (Self::Up | Self::Upwards, Self::Up | Self::Upwards)
        )
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(if self == other { Ordering::Equal } else { (*other as i32).cmp(&(*self as i32)) })
    }
}

/// Numbers that an `isize` does not have.
#[registers]
#[derive(PartialEq, PartialOrd)]
#[repr(u64)]
enum Mark {
    Small = 7,
    Large = u64::MAX - 1,
}

#[function]
fn compared(a: Way, b: Way) -> i32 {
    let (mut found, marks) = (0, [Mark::Small, Mark::Large]);
    if a == b {
        found += 1;
    }
    if a != b {
        found += 2;
    }
    if a < b {
        found += 4;
    }
    if a >= b {
        found += 8;
    }
    if marks[0] < marks[1] {
        found += 16;
    }
    if marks[1] as f64 > 1.0 && marks[1] as u64 == u64::MAX - 1 {
        found += 32;
    }
    found
}

#[kernel]
fn comparisons(output: &mut Buffer<i32>) {
    let equal = compared(Way::Up, Way::Upwards);
    let before = compared(Way::Upwards, Way::Down);
    let after = compared(Way::Down, Way::Up);
    output.write(0, &Vector::<i32, 4>::from_array([equal, before, after, 0]));
}

#[test]
fn enums_compare_by_their_own_traits() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 4)?;
        comparisons::launch(device, ThreadSpace::new(1, 1)?, &mut output)?;
        assert_eq!(output.to_vec()?, [48 + 1 + 8, 48 + 2 + 4, 48 + 2 + 8, 0], "{}", device.name());
    }
    Ok(())
}
