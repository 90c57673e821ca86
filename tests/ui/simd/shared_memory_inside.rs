//! A function that writes shared memory would write it for all lanes.

use cm::prelude::*;

#[function]
fn stored(shared: &Slm<i32, 64>, v: Vector<i32, 8>) -> Vector<i32, 8> {
    shared.write_linear(0, &v);
    v + 1
}

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let shared = slm::<i32, 64>();
    let mut v = input.read::<8>(0);
    simd_if! { v > 2 => { v = stored(&shared, v); } }
    output.write(0, &v);
}

fn main() {}
