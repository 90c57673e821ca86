//! 256 bytes are not 9 rows of 8 dwords.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.format::<u32, 9, 8>().row(0));
}

fn main() {}
