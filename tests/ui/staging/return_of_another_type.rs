//! The value of `return` has the return type of the function.

use cm::prelude::*;

#[function]
fn limited(x: u32) -> u32 {
    if x > 100 {
        return x.convert::<f32>();
    }
    x
}

fn main() {}
