//! Elements of scattered messages have at most 4 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f64>, y: &mut Buffer<f64>) {
    let v = x.read_scattered(0, &Vector::<u32, 8>::splat(3));
    y.write(0, &v);
}

fn main() {}
