//! A kernel that calls `named_barriers` has at least one.

use cm::prelude::*;

#[kernel]
fn k() {
    let _barriers = named_barriers::<0>();
}

fn main() {}
