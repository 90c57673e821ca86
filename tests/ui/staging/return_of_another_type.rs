//! What `return` gives has the type of the function.

use cm::prelude::*;

#[function]
fn limited(x: u32) -> u32 {
    if x > 100 {
        return x.convert::<f32>();
    }
    x
}

fn main() {}
