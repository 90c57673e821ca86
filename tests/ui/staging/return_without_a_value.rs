//! Every `return` of a function with a result has a value.

use cm::prelude::*;

#[function]
fn limited(x: u32) -> u32 {
    if x > 100 {
        return;
    }
    x
}

fn main() {}
