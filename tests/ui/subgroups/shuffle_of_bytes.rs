//! Work items exchange halves, and elements of at least 32 bits.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &sub_group_shuffle(x.read::<16>(0), 3));
}

fn main() {}
