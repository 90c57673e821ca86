//! The result of `replicate` is an object too: 16 times 512 bytes do not fit a register file of 8192 bytes.

use cm::prelude::*;

#[kernel(register_file = 8192)]
fn k(output: &mut Surface2D) {
    let m = Matrix::<f32, 8, 16>::splat(1);
    let many = m.replicate::<8>();
    let more = m.replicate::<16>();
    let rows = m.replicate::<64, 32>(0, 0);
    output.write(0, 0, &many.select::<16, 1>(0));
    output.write(0, 1, &more.select::<16, 1>(0));
    output.write(0, 2, &rows.select::<16, 1>(0));
}

fn main() {}
