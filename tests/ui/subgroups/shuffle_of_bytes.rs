//! Work items exchange elements of 32 bits and more, and halves.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &sub_group_shuffle(x.read::<16>(0), 3));
}

fn main() {}
