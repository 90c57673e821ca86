//! A number is not a condition.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut sum = 0u32;
    if thread_origin_x() {
        sum += 1;
    }
    output.write(0, 0, &m);
}

fn main() {}
