//! The texels of samples are not negative.

use cm::channels::CM_R;
use cm::prelude::*;
use cm::sampler::{Clamp, Linear};

#[kernel]
fn k(x: &Surface2D, sampler: Sampler<Linear, Clamp>, y: &mut Buffer<f32>) {
    let at = Vector::<f32, 8>::splat(0);
    y.write(0, &x.sample::<i32, CM_R, 1, 8>(&sampler, &at, &at).row(0));
}

fn main() {}
