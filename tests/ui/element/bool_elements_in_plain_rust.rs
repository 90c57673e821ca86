//! In plain Rust too: `bool` is not an element type.

use cm::prelude::*;

fn main() {
    let mask = Vector::from_array([true, false]);
    let _ = mask;
}
