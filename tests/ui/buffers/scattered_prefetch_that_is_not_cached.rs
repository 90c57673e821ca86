//! A prefetch fills a cache.

use cm::cache::Uncached;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(3);
    x.cached::<Uncached, Uncached>().prefetch_scattered(0, &at);
}

fn main() {}
