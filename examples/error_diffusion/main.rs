//! Error diffusion as a wavefront: `cargo run --release --example error_diffusion -- [SIZE] [OUTPUT.png]`.
//!
//! It draws a test card of ramps and discs of `SIZE` x `SIZE` texels, makes every texel black or white with
//! the algorithm of Floyd and Steinberg, compares with plain loops, and writes the card with the result below
//! it. Each kernel thread waits for its neighbours to the left, above, and above to the right; other threads
//! run at the same time. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::Picture;
use cm_examples::{Arguments, Computed, on_devices, timed};
use kernels::{BLOCK, BORDER, SLANT, error_diffusion};

fn main() -> ExitCode {
    let fits = |size: usize| (16..=4096).contains(&size) && size.is_multiple_of(16);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 16 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = card(size);
        let input = Surface2D::from_bytes(device, Format::R8, size, size, &card)?;
        let mut output = Surface2D::new(device, Format::R8, size, size)?;
        let [columns, rows] = [(size + (BLOCK[1] - 1) * SLANT).div_ceil(BLOCK[0]), size.div_ceil(BLOCK[1])];
        let [width, height] = [2 * BORDER[0] + columns * BLOCK[0], BORDER[1] + rows * BLOCK[1]];
        let mut errors = Surface2D::new(device, Format::R16, width, height)?;
        let threads = ThreadSpace::new(columns, rows)?.with_dependencies(DependencyPattern::WAVEFRONT26);
        let event = error_diffusion::launch(device, threads, &input, size as i32, &mut output, &mut errors)?;
        let dots = output.to_vec()?;
        let (expected, loops) = timed(|| by_loops(&card, size));
        ensure!(dots == expected, "the kernel and the loops differ");
        let picture = Picture::of_greys(size, &[&card, &dots]);
        let what = format!("{size} x {size} texels in black and white");
        Ok(Computed::new(what, dots, event.elapsed(), loops).with_picture(picture))
    })
}

/// A ramp from black to white, with discs that are brighter or darker.
fn card(size: usize) -> Vec<u8> {
    let texel = |x: usize, y: usize| {
        let distance = (x % 80).abs_diff(40).pow(2) + (y % 80).abs_diff(40).pow(2);
        let ramp = x * 255 / (size - 1);
        if distance < 30 * 30 { (ramp + 96 + y / 2) % 256 } else { ramp }
    };
    (0..size * size).map(|at| texel(at % size, at / size) as u8).collect()
}

/// The same, one texel at a time: the error of a texel is passed to later texels.
fn by_loops(card: &[u8], size: usize) -> Vec<u8> {
    // With an additional column on each side, and an additional row below.
    let mut shares = vec![vec![0i32; size + 2]; size + 1];
    let mut dots = vec![0; card.len()];
    for (at, dot) in dots.iter_mut().enumerate() {
        let (x, y) = (at % size + 1, at / size);
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
