//! Work items exchange halves, and elements of at least 32 bits.

use cm::prelude::*;
use cm::subgroups::*;

#[kernel]
fn k(x: &Buffer<i16>, y: &mut Buffer<i16>) {
    y.write(0, &sub_group_scan_inclusive_add(x.read::<16>(0)));
}

fn main() {}
