//! CM's element access `m(i, j)` is `m.get(i, j)`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let mut o = m;
    let first = o(0, 0);
    output.write(0, 0, &m);
}

fn main() {}
