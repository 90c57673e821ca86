//! A literal offset of `select_mut` is checked as well.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut v = v;
    v.select_mut::<16, 2>(2).assign(0);
    output.write(0, 0, &v);
}

fn main() {}
