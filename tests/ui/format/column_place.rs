//! The elements of a column are not contiguous.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.column_mut(0).format_mut::<u16>().assign(0);
    output.write(0, 0, &m);
}

fn main() {}
