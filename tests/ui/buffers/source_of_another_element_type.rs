//! Sources of atomic operations are not converted implicitly.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let v = x.read::<16>(0);
    y.write_atomic(atomic::Add(&v.convert::<i16>()), &v);
}

fn main() {}
