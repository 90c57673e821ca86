//! If one arm of a `match` on a host value has a value, all arms have one.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    for offset in [Some(3), None] {
        let by = match offset {
            Some(by) => by,
            None => continue,
        };
        output.write(0, 0, &(m + by).convert::<u8>());
    }
}

fn main() {}
