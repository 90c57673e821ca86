//! A rejected construct does not hide another mistake in the body.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    println!("{m:?}");
    let v: Vector<u8, 16> = m.row(0);
    output.write(0, 0, &m);
}

fn main() {}
