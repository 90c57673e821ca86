//! Staged coordinates are integers as well.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let x = thread_origin_x() * 0.5f32;
    let m = input.read::<u8, 8, 32>(x, 0);
    output.write(0, 0, &m);
}

fn main() {}
