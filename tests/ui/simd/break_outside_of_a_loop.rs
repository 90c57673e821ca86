//! Lanes can only leave a SIMD loop.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0);
    for i in 0..4 {
        simd_if! { v > i => {
            break;
        } }
    }
    m.row_mut(0).assign(v);
    output.write(0, 0, &m);
}

fn main() {}
