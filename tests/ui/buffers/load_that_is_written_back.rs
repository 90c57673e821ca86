//! Loads are not written back.

use cm::cache::{Uncached, WriteBack};
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>) {
    let _v = x.load_cached::<4, Uncached, WriteBack>(0);
}

fn main() {}
