//! Two places that a function writes must not be parts of the same register.

use cm::prelude::*;

#[function]
fn exchanged(a: &mut Vector<u8, 16>, b: &mut Vector<u8, 16>) {
    let old = *a;
    *a = *b;
    *b = old;
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 16>(0, 0);
    exchanged(&mut m.row_mut(0), &mut m.row_mut(1));
    output.write(0, 0, &m);
}

fn main() {}
