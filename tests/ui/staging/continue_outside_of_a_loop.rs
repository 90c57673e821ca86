//! `continue` needs a loop.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    'block: {
        if thread_origin_x() > 3 {
            continue 'block;
        }
        output.write(0, 0, &m);
    }
}

fn main() {}
