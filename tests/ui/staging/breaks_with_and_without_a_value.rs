//! Either all exits of a loop have a value, or none.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, n: u32) {
    let mut i = 0u32;
    let found = loop {
        if i > n {
            break 5u32;
        }
        if i > 9 {
            break;
        }
        i += 1;
    };
    output.write(0, 0, &Vector::<u8, 4>::splat(found));
}

fn main() {}
