//! A kernel for a larger register file has the limit of that file.

use cm::prelude::*;

#[kernel(register_file = 8192)]
fn k(output: &mut Surface2D) {
    let m: Matrix<f32, 16, 128> = Matrix::<u8, 16, 128>::splat(0).convert();
    let n = Matrix::<f32, 16, 127>::splat(1);
    output.write(0, 0, &m.select::<4, 1, 8, 1>(0, 0));
    output.write(0, 4, &n.select::<4, 1, 8, 1>(0, 0));
}

fn main() {}
