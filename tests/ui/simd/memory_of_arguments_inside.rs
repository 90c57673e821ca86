//! A function that takes memory would write it for all lanes, also that of a structure of arguments.

use cm::prelude::*;

#[derive(Arguments)]
struct Args<'a> {
    output: &'a mut Buffer<i32>,
    step: i32,
}

#[function]
fn put(output: &mut Buffer<i32>, v: Vector<i32, 8>) -> i32 {
    output.write(0, &v);
    1
}

#[function]
fn doubled(n: i32) -> i32 {
    n * 2
}

#[kernel]
fn k(args: Args) {
    let a = Vector::<i32, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let step = args.step;
    let mut x = a;
    simd_if! { a < 4 => {
        let n = put(args.output, a);
        // A number that has a name.
        x += n + doubled(step);
    } }
    args.output.write(32, &x);
}

fn main() {}
