//! A prefetch brings data to a cache.

use cm::cache::Uncached;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>) {
    x.prefetch_cached::<4, Uncached, Uncached>(0);
}

fn main() {}
