//! A mask of a scattered access has an element for each offset.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let (a, b) = (x.read::<8>(0), x.read::<16>(0));
    y.write_scattered_masked(&(b > 3), 0, &a, &a);
}

fn main() {}
