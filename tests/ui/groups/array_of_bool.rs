//! Shared arrays and registers have the same element types.

use cm::prelude::*;

#[kernel]
fn flags() {
    let _set = slm::<bool, 64>();
}

fn main() {}
