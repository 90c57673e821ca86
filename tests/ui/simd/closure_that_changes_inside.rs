//! A closure that changes a variable would change all lanes, wherever it is called.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    let mut sum = Vector::<i32, 8>::splat(0);
    let mut out = Vector::<i32, 8>::splat(0);
    let twice = |x: Vector<i32, 8>| x * 2;
    let mut add = |x: Vector<i32, 8>| -> Vector<i32, 8> {
        sum += x;
        sum
    };
    simd_if! { v > 2 => {
        out = twice(v);
        out = add(v);
    } }
    output.write(0, &(out + sum));
}

fn main() {}
