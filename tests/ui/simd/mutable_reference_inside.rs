//! A function would change all lanes.

use cm::prelude::*;

#[function]
fn increased(v: &mut Vector<u8, 16>) {
    *v += 1;
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0);
    simd_if! { v > 3 => {
        increased(&mut v);
    } }
    m.row_mut(0).assign(v);
    output.write(0, 0, &m);
}

fn main() {}
