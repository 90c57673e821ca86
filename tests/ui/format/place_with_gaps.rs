//! Only a contiguous place can be reinterpreted.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.select_mut::<4, 2, 32, 1>(0, 0).format_mut::<u32>().assign(0);
    output.write(0, 0, &m);
}

fn main() {}
