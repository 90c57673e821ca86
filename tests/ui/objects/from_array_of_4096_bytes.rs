//! In plain Rust too: a vector must be smaller than the register file.

use cm::prelude::*;

fn main() {
    let table = Vector::from_array([0u8; 4096]);
    assert!(!table.any());
}
