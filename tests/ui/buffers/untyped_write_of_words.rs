//! Untyped accesses move dwords.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u16>, y: &mut Buffer<u16>) {
    let v = x.read::<8>(0);
    y.write_untyped::<CM_R, 1, 8>(&v, &v.format::<u16, 1, 8>());
}

fn main() {}
