//! Conditions with a host side, which decides while the kernel is recorded.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// A kernel with one number, whose result is the same on every device.
macro_rules! check {
    ($($kernel:ident ($($a:expr),*) => $expected:expr;)*) => {
        for device in &devices(1) {
            let space = ThreadSpace::new(1, 1)?;
            $({
                let mut output = Buffer::<i32>::new(device, 4)?;
                $kernel::launch(device, space, &mut output, $($a),*)?;
                assert_eq!(output.to_vec()?[0], $expected, "{} on {}", stringify!($kernel($($a),*)), device.name());
            })*
        }
    };
}

pub(crate) use check;

#[kernel]
fn divided(output: &mut Buffer<i32>, a: i32) {
    let mut s = 0;
    for i in 0..3i32 {
        if i != 0 && a > 3 {
            s += 6 / i;
        }
        if a > 3 && i != 0 {
            s += 60 / i;
        }
        if !(i == 0 || a > 3) {
            s += 600 / i;
        }
        let inside: bool = i != 0;
        if (a > 3) & inside {
            s += 6000 / i;
        }
    }
    output.write(0, &Vector::<i32, 4>::splat(s));
}

#[kernel]
fn edges(output: &mut Buffer<i32>, a: i32) {
    let v = Vector::<i32, 8>::from_array([1, 2, 3, 4, 5, 6, 7, 8]);
    let mut s = 0;
    for i in 0..8usize {
        if i > 0 && a > 3 {
            s += v.get(i - 1);
        }
        let next = if i + 1 < 8 && a > 3 { v.get(i + 1) } else { 100 };
        s += next;
    }
    output.write(0, &Vector::<i32, 4>::splat(s));
}

#[function]
fn counted(a: i32, fast: bool) -> i32 {
    let mut s = a;
    while fast && s < 10 {
        s += 1;
    }
    while s < 12 && !fast {
        s += 5;
    }
    s
}

/// The loops whose condition a host value ends, also inside of a loop of the kernel.
#[kernel]
fn rounds(output: &mut Buffer<i32>, a: i32) {
    let (mut s, mut seen) = (0, 0);
    for _ in 0..a {
        for fast in [0usize, 1] {
            s += counted(a, fast > 0);
            while fast > 0 && {
                seen += 1;
                seen > 1000
            } {
                s += 1 / fast as i32;
            }
        }
    }
    output.write(0, &Vector::<i32, 4>::splat(s * 100 + seen));
}

/// What the left side does is done, though the right one is false.
#[kernel]
fn sides(output: &mut Buffer<i32>, a: i32) {
    let mut n = a;
    for i in 0..2usize {
        if {
            n += 1;
            n > 3
        } && i > 0
        {
            n += 10 / i as i32;
        }
        while {
            n += 100;
            n > 0
        } && i > 5
        {
            n += 1000;
        }
    }
    output.write(0, &Vector::<i32, 4>::splat(n));
}

#[test]
fn only_arms_that_host_values_leave_open_are_recorded() -> cm::Result<()> {
    check! {
        divided(3) => 900;
        divided(4) => 6 + 3 + 60 + 30 + 6000 + 3000;
        edges(3) => 800;
        edges(4) => 28 + 35 + 100;
        rounds(2) => 2 * (12 + 10) * 100 + 2;
        rounds(11) => 11 * (16 + 11) * 100 + 11;
        sides(-7) => 205;
        sides(7) => 7 + 2 + 10 + 200;
    }
    // A host variable may change in such an arm: no staged condition is left.
    assert!(changed::ir().is_ok());
    Ok(())
}

#[kernel]
fn changed(output: &mut Buffer<i32>, a: i32) {
    let mut n: usize = 0;
    if n == 0 || a > 3 {
        n += 1;
    }
    output.write(0, &Vector::<i32, 4>::splat(a + n as i32));
}
