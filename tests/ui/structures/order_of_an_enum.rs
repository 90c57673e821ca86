//! An `enum` has an order if it implements `PartialOrd`.

use cm::prelude::*;

#[registers]
#[derive(PartialEq)]
enum Side {
    Left,
    Right,
}

#[function]
fn weight(a: Side, b: Side) -> i32 {
    if a == b && a < b { 1 } else { 2 }
}

fn main() {}
