//! An access names its surface when the kernel is recorded, so only host values choose one.

use cm::prelude::*;

#[kernel]
fn k(a: &Surface2D, b: &Surface2D, output: &mut Surface2D, n: u32) {
    let s = match n { 0 => a, _ => b };
    output.write(0, 0, &s.read::<u8, 4, 16>(0, 0));
}

fn main() {}
