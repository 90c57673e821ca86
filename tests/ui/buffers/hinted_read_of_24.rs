//! Cache hints do not change how many elements a scattered message takes.

use cm::cache::{Cached, Streaming};
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    let v = x.cached::<Streaming, Cached>().read_scattered(0, &x.read::<24>(0));
    y.write(0, &v.select::<16, 1>(0));
}

fn main() {}
