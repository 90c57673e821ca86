//! CM's `CM_STATIC_ERROR`: a check of constants in a kernel.

use cm::prelude::*;

const ROWS: usize = 6;

#[kernel]
fn k(output: &mut Surface2D) {
    const _: () = assert!(ROWS.is_power_of_two(), "rows come in powers of two");
    output.write(0, 0, &Matrix::<u8, ROWS, 8>::splat(0));
}

fn main() {}
