//! The elements of a vector are numbers.

use cm::prelude::*;

#[function]
fn both(v: Vector<i32, 4>) -> (Vector<i32, 4>, i32) {
    (v, math::sum::<i32, _>(v))
}

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let (line, sum) = both(input.read::<4>(0));
    let elements = Vector::<i32, 4>::from_array([sum, line, 3, 4]);
    output.write(0, &elements);
}

fn main() {}
