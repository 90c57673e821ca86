//! A `&mut` parameter that is passed on is also a mutable reference.

use cm::prelude::*;

#[function]
fn increased(v: &mut Vector<u8, 16>) -> Vector<u8, 16> {
    *v += 1;
    *v
}

#[function]
fn twice(v: &mut Vector<u8, 16>) {
    simd_if! { *v > 3 => {
        let w = increased(v);
        *v = w;
    } }
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut v = input.read::<u8, 1, 16>(0, 0).row(0);
    twice(&mut v);
    output.write(0, 0, &v);
}

fn main() {}
