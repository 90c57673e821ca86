//! Scattered reads are not written back.

use cm::cache::{Uncached, WriteBack};
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(3);
    let _v = x.cached::<Uncached, WriteBack>().read_scattered(0, &at);
}

fn main() {}
