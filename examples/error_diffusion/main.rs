//! Error diffusion as a wavefront: `cargo run --release --example error_diffusion -- [OUTPUT.png]`.
//!
//! It draws a card of ramps and discs, makes every texel black or white by the rule of Floyd and Steinberg, checks it
//! against plain loops, and writes the card with the result below it. Each kernel thread waits for its neighbours to the
//! left, above and above on the right; the others run at the same time. `CM_DEVICE` chooses the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Computed, on_devices, picture};
use kernels::{BLOCK, BORDER, SLANT, error_diffusion};

const WIDTH: usize = 480;
const HEIGHT: usize = 160;

fn main() -> ExitCode {
    on_devices(|device| {
        let card = card();
        let input = Surface2D::from_bytes(device, Format::R8, WIDTH, HEIGHT, &card)?;
        let mut output = Surface2D::new(device, Format::R8, WIDTH, HEIGHT)?;
        let [columns, rows] =
            [(WIDTH + (BLOCK[1] - 1) * SLANT).div_ceil(BLOCK[0]), HEIGHT.div_ceil(BLOCK[1])];
        let [width, height] = [2 * BORDER[0] + columns * BLOCK[0], BORDER[1] + rows * BLOCK[1]];
        let mut errors = Surface2D::new(device, Format::R16, width, height)?;
        let threads = ThreadSpace::new(columns, rows)?.with_dependencies(DependencyPattern::WAVEFRONT26);
        let event = error_diffusion::launch(device, threads, &input, WIDTH as i32, &mut output, &mut errors)?;
        let bytes = output.to_vec()?;
        ensure!(bytes == by_loops(&card), "the kernel and the loops differ");
        let written = picture::write(WIDTH, &[&grey(&card), &grey(&bytes)])?;
        let what = format!("{WIDTH} x {HEIGHT} pixels in black and white{written}");
        Ok(Computed { bytes, time: event.elapsed(), what })
    })
}

/// Pixels of three equal bytes.
fn grey(texels: &[u8]) -> Vec<u8> {
    texels.iter().flat_map(|&texel| [texel; 3]).collect()
}

/// A ramp from black to white, with discs that are brighter or darker.
fn card() -> Vec<u8> {
    let texel = |x: usize, y: usize| {
        let distance = (x % 80).abs_diff(40).pow(2) + (y % 80).abs_diff(40).pow(2);
        let ramp = x * 255 / (WIDTH - 1);
        if distance < 30 * 30 { (ramp + 96 + y / 2) % 256 } else { ramp }
    };
    (0..WIDTH * HEIGHT).map(|at| texel(at % WIDTH, at / WIDTH) as u8).collect()
}

/// The same, a texel at a time: the errors of a texel go to those after it.
fn by_loops(card: &[u8]) -> Vec<u8> {
    // With a column on each side, and a row below.
    let mut shares = vec![[0i32; WIDTH + 2]; HEIGHT + 1];
    let mut dots = vec![0; card.len()];
    for (at, dot) in dots.iter_mut().enumerate() {
        let (x, y) = (at % WIDTH + 1, at / WIDTH);
        let value = i32::from(card[at]) + (shares[y][x] >> 4);
        *dot = if value > 127 { 255 } else { 0 };
        let error = value - i32::from(*dot);
        shares[y][x + 1] += error * 7;
        shares[y + 1][x - 1] += error * 3;
        shares[y + 1][x] += error * 5;
        shares[y + 1][x + 1] += error;
    }
    dots
}
