//! Samples are in lanes.

use cm::channels::CM_R;
use cm::prelude::*;
use cm::sampler::{Clamp, Linear};

#[kernel]
fn k(x: &Surface2D, sampler: Sampler<Linear, Clamp>, y: &mut Buffer<f32>) {
    let at = Vector::<f32, 12>::splat(0);
    y.write(0, &x.sample::<u32, CM_R, 1, 12>(&sampler, &at, &at).row(0).select::<4, 1>(0));
}

fn main() {}
