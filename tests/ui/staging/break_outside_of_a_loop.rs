//! `break` leaves a loop or a labelled block.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    if thread_origin_x() > 3 {
        break;
    }
    output.write(0, 0, &m);
}

fn main() {}
