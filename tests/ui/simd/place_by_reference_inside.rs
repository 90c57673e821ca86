//! A function would change all lanes of the place.

use cm::prelude::*;

#[function]
fn increased(v: &mut Vector<u8, 16>) -> u8 {
    *v += 1;
    v.get(0)
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let v = m.row(0);
    simd_if! { v > 3 => {
        let first = increased(&mut m.row_mut(0));
        m.row_mut(1).assign(v * first);
    } }
    output.write(0, 0, &m);
}

fn main() {}
