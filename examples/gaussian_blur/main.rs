//! CM's example of a recursive Gaussian filter: `cargo run --release --example gaussian_blur -- [SIZE] [OUTPUT.png]`.
//!
//! It blurs a test card of `SIZE` x `SIZE` pixels with a standard deviation of 10 pixels. The time does not
//! depend on the deviation: the filter runs down and up the columns, then along the rows. The program
//! compares every byte with plain loops, and writes the card with the result below it. `CM_DEVICE` selects
//! the device.
//!
//! CM's kernels round the result of the first direction to bytes, and start from the wrong pixel at the right
//! edge. These kernels keep it in floats.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, on_devices, timed};

const SIGMA: f32 = 10.0;

fn main() -> ExitCode {
    let fits = |size: usize| (8..=4096).contains(&size) && size.is_multiple_of(8);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 8 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = picture::colours_and_alpha(size, size);
        let input = Surface2D::from_bytes(device, Format::Bgra8, size, size, &card)?;
        let mut forward = Surface2D::new(device, Format::R32F, size * 4, size)?;
        let mut down = Surface2D::new(device, Format::Bgra8, size, size)?;
        let mut output = Surface2D::new(device, Format::Bgra8, size, size)?;
        let (k, length) = (coefficients(SIGMA), size as u32);
        let vector = Vector::from_array(k);
        let columns = ThreadSpace::new(size / 4, 1)?;
        let mut time =
            kernels::vertical::launch(device, columns, &input, &mut forward, &mut down, vector, length)?
                .elapsed();
        let rows = ThreadSpace::new(1, size / 8)?;
        time += kernels::horizontal::launch(device, rows, &down, &mut forward, &mut output, vector, length)?
            .elapsed();
        let blurred = output.to_vec()?;

        let (expected, loops) = timed(|| by_loops(&card, size, k));
        ensure!(blurred == expected, "the kernels and the loops differ");
        let picture = Picture::of_four_bytes(size, &[&card, &blurred]);
        let what = format!("{size} x {size} pixels blurred recursively");
        Ok(Computed::new(what, blurred, time, loops).with_picture(picture))
    })
}

/// The coefficients of Deriche's filter of order 0: a0, a1, a2, a3, b1, b2, and the response to an infinite
/// run of ones in both directions.
fn coefficients(sigma: f32) -> [f32; 8] {
    let alpha = 1.695 / sigma;
    let e = (-alpha).exp();
    let (b1, b2) = (-2.0 * e, e * e);
    let k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e);
    let [a0, a1, a2, a3] = [k, k * (alpha - 1.0) * e, k * (alpha + 1.0) * e, -k * e * e];
    [a0, a1, a2, a3, b1, b2, (a0 + a1) / (1.0 + b1 + b2), (a2 + a3) / (1.0 + b1 + b2)]
}

fn by_loops(card: &[u8], size: usize, k: [f32; 8]) -> Vec<u8> {
    let mut bytes = card.to_vec();
    let width = size * 4;
    for column in 0..width {
        filter(&mut bytes, column, width, size, k);
    }
    for n in 0..width {
        // Four channels of each row.
        filter(&mut bytes, n / 4 * width + n % 4, 4, size, k);
    }
    bytes
}

/// Filters `count` bytes that are `step` apart.
fn filter(
    bytes: &mut [u8],
    first: usize,
    step: usize,
    count: usize,
    [a0, a1, a2, a3, b1, b2, before, behind]: [f32; 8],
) {
    let line: Vec<f32> = (0..count).map(|n| f32::from(bytes[first + n * step])).collect();
    let mut sums = vec![0.0; count];
    let (mut last, mut y1) = (line[0], line[0] * before);
    let mut y2 = y1;
    for (&this, sum) in line.iter().zip(&mut sums) {
        *sum = this * a0 + last * a1 - (y1 * b1 + y2 * b2);
        (last, y2, y1) = (this, y1, *sum);
    }
    let (mut next, mut after) = (line[count - 1], line[count - 1]);
    y1 = next * behind;
    y2 = y1;
    for n in (0..count).rev() {
        let sum = next * a2 + after * a3 - (y1 * b1 + y2 * b2);
        bytes[first + n * step] = (sum + sums[n]) as u8;
        (after, next, y2, y1) = (next, line[n], y1, sum);
    }
}
