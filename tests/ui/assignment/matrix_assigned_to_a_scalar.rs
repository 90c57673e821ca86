//! Only a number can be assigned to an element.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.get_mut(0, 0).assign(m.row(1));
    output.write(0, 0, &m);
}

fn main() {}
