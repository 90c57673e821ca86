//! The barriers of `named_barriers::<4>()` are 0 to 3.

use cm::prelude::*;

#[kernel]
fn k() {
    let barriers = named_barriers::<4>();
    barriers.signal(3, BarrierRole::ProducerConsumer, 2, 2);
    barriers.wait(4);
}

fn main() {}
