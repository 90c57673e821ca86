//! CM's `n_rows()` is a constant of the type.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    for i in 0..m.n_rows() {
        output.write(0, i, &m.row(i));
    }
}

fn main() {}
