//! The address mode comes after the filter.

use cm::channels::CM_R;
use cm::prelude::*;
use cm::sampler::{Linear, Nearest};

#[kernel]
fn k(x: &Surface2D, sampler: Sampler<Linear, Nearest>, y: &mut Buffer<f32>) {
    let at = Vector::<f32, 8>::splat(0);
    y.write(0, &x.sample::<u32, CM_R, 1, 8>(&sampler, &at, &at).row(0));
}

fn main() {}
