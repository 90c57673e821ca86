//! The registers of an array are not chosen while the kernel runs.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut lines = [v; 4];
    for i in 0..v.get(0) {
        lines[i] += 1;
    }
    output.write(0, 0, &lines[0]);
}

fn main() {}
