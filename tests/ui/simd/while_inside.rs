//! `while` takes the same path for all lanes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0);
    simd_if! { v > 3 => {
        while v.get(0) > 3 {
            v -= 1;
        }
    } }
    m.row_mut(0).assign(v);
    output.write(0, 0, &m);
}

fn main() {}
