//! CM's `merge` with two sources has a name of its own.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut x = input.read::<u8, 8, 32>(0, 0);
    x.merge(255, 0, &(x > 100));
    output.write(0, 0, &x);
}

fn main() {}
