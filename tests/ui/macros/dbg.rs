//! `dbg!` is for the host.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let o = dbg!(m);
    output.write(0, 0, &m);
}

fn main() {}
