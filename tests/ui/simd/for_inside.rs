//! A loop whose bounds are known only when the kernel runs takes the same path for all lanes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D, n: i32) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0);
    simd_while! { v > 3 => {
        for i in 0..n {
            v -= i;
        }
    } }
    m.row_mut(0).assign(v);
    output.write(0, 0, &m);
}

fn main() {}
