//! Both arms have the same type.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let x = if thread_origin_x() > 3 { m.row(0) } else { m };
    output.write(0, 0, &m);
}

fn main() {}
