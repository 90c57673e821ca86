//! Stores are written back, not cached.

use cm::cache::{Cached, Uncached};
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.store_cached::<Uncached, Cached, _>(0, &x.read::<4>(0));
}

fn main() {}
