//! Coordinates of samples are floats.

use cm::channels::CM_R;
use cm::prelude::*;
use cm::sampler::{Clamp, Linear};

#[kernel]
fn k(x: &Surface2D, sampler: Sampler<Linear, Clamp>, y: &mut Buffer<f32>) {
    let at = Vector::<i32, 8>::splat(0);
    y.write(0, &x.sample::<u32, CM_R, 1, 8>(&sampler, &at, &at).row(0));
}

fn main() {}
