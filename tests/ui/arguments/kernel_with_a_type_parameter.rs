//! A kernel is generic over constants only.

use cm::prelude::*;

#[kernel]
fn k<T: Elem>(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<T, 8, 4>(0, 0);
    output.write(0, 0, &m);
}

fn main() {}
