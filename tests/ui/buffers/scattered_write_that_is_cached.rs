//! A store is not `Cached`.

use cm::cache::{Cached, Uncached};
use cm::prelude::*;

#[kernel]
fn k(y: &mut Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(3);
    y.cached_mut::<Uncached, Cached>().write_scattered(0, &at, &at);
}

fn main() {}
