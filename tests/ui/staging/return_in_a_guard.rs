//! `return` in the guard of an arm leaves nothing.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let n = input.read::<u8, 8, 32>(0, 0).get(0, 0);
    match n {
        3 if {
            if n == 7 {
                return;
            }
            true
        } =>
        {
            output.write(0, 0, &Matrix::<u8, 8, 32>::splat(n));
        }
        _ => {}
    }
}

fn main() {}
