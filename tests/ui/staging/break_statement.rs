//! The condition of a loop ends it.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    for i in 0..4 {
        if thread_origin_x() > i {
            break;
        }
    }
    output.write(0, 0, &m);
}

fn main() {}
