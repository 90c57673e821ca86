//! One condition for all lanes belongs in an ordinary `if`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    let mut v = m.row(0);
    simd_if! { v.get(0) > 3 => {
        v += 1;
    } }
    m.row_mut(0).assign(v);
    output.write(0, 0, &m);
}

fn main() {}
