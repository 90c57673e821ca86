//! Atomic operations do not use the first cache.

use cm::cache::{Streaming, WriteBack};
use cm::prelude::*;

#[kernel]
fn k(y: &mut Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(3);
    y.cached_mut::<Streaming, WriteBack>().write_atomic(atomic::Inc, &at);
}

fn main() {}
