//! The columns and rows of texels have at most 32 bits.

use cm::channels::CM_R;
use cm::prelude::*;
use cm::sampler::{Clamp, Nearest};

#[kernel]
fn k(x: &Surface2D, sampler: Sampler<Nearest, Clamp>, y: &mut Buffer<f32>) {
    let (u, v) = (Vector::<i32, 8>::splat(0), Vector::<u64, 8>::splat(0));
    y.write(0, &x.load_texels::<u32, CM_R, 1, 8>(&sampler, &u, &v).row(0));
}

fn main() {}
