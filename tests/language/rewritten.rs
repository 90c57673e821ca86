//! Forms that the macros write anew: they mean what they mean in Rust, on every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

/// Launches a kernel on each device; its output is the same everywhere.
macro_rules! written {
    ($kernel:ident $(, $argument:expr)*) => {{
        let mut all = vec![];
        for device in devices(2) {
            let mut output = Buffer::<i32>::new(&device, 8).unwrap();
            $kernel::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut output $(, $argument)*).unwrap();
            all.push(output.to_vec().unwrap());
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
        all.remove(0)
    }};
}

/// Literals that end with their point.
#[kernel]
fn points(output: &mut Buffer<i32>, x: f32) {
    let two: f32 = 2.;
    let chosen = if x > 1. { 3. } else { x };
    let v = Vector::<f32, 8>::splat(x);
    let all: [f32; 2] = [1., 4.];
    let sum: Vector<i32, 8> = (v * 2.0f32 + two + chosen + all[1]).convert();
    output.write(0, &sum);
}

#[test]
fn literals_end_with_their_point() {
    assert_eq!(written!(points, 1.5), [3 + 2 + 3 + 4; 8]);
    assert_eq!(written!(points, 1.0), [2 + 2 + 1 + 4; 8]);
}

#[registers]
struct Inner {
    b: i32,
}

#[registers]
struct Outer {
    a: Inner,
    b: i32,
}

/// A name of a pattern that hides the structure.
#[kernel]
fn hidden(output: &mut Buffer<i32>, x: i32) {
    let s = Outer { a: Inner { b: x + 100 }, b: x };
    let Outer { a: s, b } = s;
    let t = Outer { a: Inner { b: x + 200 }, b: x + 1 };
    let Outer { a: Inner { b: t }, b: other } = t;
    output.write(0, &Vector::<i32, 8>::from_array([s.b, b, t, other, 0, 0, 0, 0]));
}

#[test]
fn names_hide_the_structure_that_they_are_taken_from() {
    assert_eq!(written!(hidden, 7), [107, 7, 207, 8, 0, 0, 0, 0]);
}

/// Closures whose value begins with a block, and elements of arrays.
#[kernel]
fn blocks(output: &mut Buffer<i32>, x: i32) {
    let chosen = |mut y: i32| {
        y += 1;
        y
    };
    let begins = |mut y: i32| if y > 0 { 10 } else { 20 } + y;
    let n = [3, 4].map(|i: i32| i + x);
    output.write(0, &Vector::<i32, 8>::from_array([n[0], n[1], 0, chosen(x), begins(x), 0, 1, 2]));
}

#[test]
fn values_of_closures_begin_with_blocks() {
    assert_eq!(written!(blocks, 5), [8, 9, 0, 6, 15, 0, 1, 2]);
    assert_eq!(written!(blocks, -5), [-2, -1, 0, -4, 15, 0, 1, 2]);
}

/// References to what references refer to.
#[function]
fn borrowed_again(m: &mut Vector<i32, 8>) -> Vector<i32, 8> {
    let before = *m;
    let r = &mut *m;
    *r += 1;
    let s = &*m;
    *s + before
}

#[kernel]
fn borrowed(output: &mut Buffer<i32>, x: i32) {
    let mut m = Vector::<i32, 8>::splat(x);
    let sum = borrowed_again(&mut m);
    output.write(0, &(m * 100 + sum));
}

#[test]
fn references_are_borrowed_again() {
    assert_eq!(written!(borrowed, 5), [611; 8]);
}
