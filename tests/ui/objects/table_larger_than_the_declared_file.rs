//! A table whose type is not written has the limit of the register file that the function declares.

use cm::prelude::*;

#[function(register_file = 16384)]
fn f(i: u32) -> f32 {
    let table = Vector::from_array([0.5f32; 4096]);
    let smaller = Vector::from_array([0.5f32; 2048]);
    table.get(i) + smaller.get(i)
}

fn main() {}
