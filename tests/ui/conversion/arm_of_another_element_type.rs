//! Each arm has the annotated type.

use cm::prelude::*;

#[function]
fn doubled(v: Vector<u8, 16>, n: u32) -> Vector<u8, 16> {
    if n > 2 { v * 2 } else { v }
}

#[kernel]
fn k(input: &Buffer<u8>, output: &mut Buffer<u8>, n: u32) {
    let v = input.read::<16>(0);
    let w: Vector<u8, 16> = match n {
        0 => v,
        1 => v + 1,
        _ => doubled(v, n),
    };
    output.write(0, &w);
}

fn main() {}
