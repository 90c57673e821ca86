//! A function that returns a value returns it everywhere.

use cm::prelude::*;

#[function]
fn limited(x: u32) -> u32 {
    if x > 100 {
        return;
    }
    x
}

fn main() {}
