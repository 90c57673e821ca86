//! In plain Rust too: an array that is as large as the register file.

use cm::prelude::*;

fn main() {
    let table = Vector::from_array([0u8; 4096]);
    assert!(!table.any());
}
