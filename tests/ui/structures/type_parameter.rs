//! The types of the fields are named.

use cm::prelude::*;

#[registers]
struct Line<T: Elem> {
    values: Vector<T, 32>,
}

fn main() {}
