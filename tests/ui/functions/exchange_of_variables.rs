//! `mem::swap` would exchange two variables under any condition.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut a = input.read::<u8, 8, 32>(0, 0);
    let mut b = input.read::<u8, 8, 32>(32, 0);
    if thread_origin_x() > 3 {
        std::mem::swap(&mut a, &mut b);
    }
    output.write(0, 0, &a);
}

fn main() {}
