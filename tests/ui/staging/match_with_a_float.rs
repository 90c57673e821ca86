//! `match` compares integers. A float is compared with `if`.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<f32>, x: f32) {
    let y = match x { 0.0 => 1.0, _ => x };
    output.write(0, &Vector::<f32, 4>::splat(y));
}

fn main() {}
