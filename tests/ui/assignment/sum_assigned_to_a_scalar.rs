//! Only a number can be assigned to an element, also if it is computed while it is assigned.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut to = m;
    to.get_mut(0, 0).assign(m.row(1) + 1);
    let mut sum = 0u32;
    sum.assign(m.row(1) + m.row(2));
    output.write(sum, 0, &to);
}

fn main() {}
