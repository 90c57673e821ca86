//! In plain Rust too: both sides have the same shape.

use cm::prelude::*;

fn main() {
    let a = Vector::from_array([1u8, 2, 3]);
    let b = Vector::from_array([1u8, 2]);
    assert!((a + b).any());
}
