//! The rows of scattered vectors are 2, 3, 4 or 8 elements.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let m = x.load_vectors::<5, 8>(0, &x.read::<8>(0));
    y.write(0, &m.row(2));
}

fn main() {}
