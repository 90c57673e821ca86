//! The rows of an untyped read are the channels of its mask.

use cm::channels::CM_GR;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let m = x.read_untyped::<CM_GR, 3, 8>(&x.read::<8>(0));
    y.write(0, &m.row(2));
}

fn main() {}
