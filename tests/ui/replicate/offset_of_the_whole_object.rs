//! The form with one constant repeats the whole object, so it has no offset.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    output.write(0, 0, &v.replicate::<2>(1).select::<32, 1>(0));
}

fn main() {}
