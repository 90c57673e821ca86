//! The last barrier of a group is number 31.

use cm::prelude::*;

#[kernel]
fn k() {
    let barriers = named_barriers::<32>();
    barriers.signal(32, BarrierRole::Producer, 2, 2);
}

fn main() {}
