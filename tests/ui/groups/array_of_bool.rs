//! Shared arrays have elements that registers have.

use cm::prelude::*;

#[kernel]
fn flags() {
    let _set = slm::<bool, 64>();
}

fn main() {}
