//! The variants of an `enum` that functions take are values of the host.

use cm::prelude::*;

#[registers]
enum Choice<T> {
    None,
    One(T),
}

fn main() {}
