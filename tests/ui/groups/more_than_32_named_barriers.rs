//! A group has at most 32 named barriers.

use cm::prelude::*;

#[kernel]
fn k() {
    let barriers = named_barriers::<33>();
    barriers.signal(1, BarrierRole::Producer, 2, 2);
}

fn main() {}
