//! A loop over host numbers is unrolled, so some of the lanes cannot leave it.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0);
    simd_while! { v > 3 => {
        for i in 0..4 {
            simd_if! { v > 100 => { break; } }
            v -= i;
        }
    } }
    m.row_mut(0).assign(v);
    output.write(0, 0, &m);
}

fn main() {}
