//! The types of the fields are known.

use cm::prelude::*;

#[derive(Arguments)]
struct Input<'a, T: Elem> {
    elements: &'a Buffer<T>,
}

fn main() {}
