//! A sample has a row for each channel of its mask.

use cm::channels::CM_GR;
use cm::prelude::*;
use cm::sampler::{Clamp, Linear};

#[kernel]
fn k(x: &Surface2D, sampler: Sampler<Linear, Clamp>, y: &mut Buffer<f32>) {
    let at = Vector::<f32, 8>::splat(0);
    y.write(0, &x.sample::<u32, CM_GR, 3, 8>(&sampler, &at, &at).row(0));
}

fn main() {}
