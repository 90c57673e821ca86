//! `break` on the right of `&&` leaves nothing.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut n = input.read::<u8, 8, 32>(0, 0).get(0, 0);
    while n > 3 {
        if n < 100
            && {
                if n == 7 {
                    break;
                }
                n > 5
            }
        {
            n -= 1;
        }
    }
    output.write(0, 0, &Matrix::<u8, 8, 32>::splat(n));
}

fn main() {}
