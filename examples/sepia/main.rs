//! CM's tutorial 5, built-in functions: `cargo run --release --example sepia -- [OUTPUT.png]`.
//!
//! It draws a card of colours, makes it brown like an old photograph, checks every byte against a plain loop, and
//! writes the card with the result below it. `CM_DEVICE` chooses the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Computed, on_devices, picture};

const WIDTH: usize = 640;
const HEIGHT: usize = 240;
const BYTES: usize = WIDTH * 3;

fn main() -> ExitCode {
    on_devices(|device| {
        let card = picture::colours(WIDTH, HEIGHT);
        let input = Surface2D::from_bytes(device, Format::R8, BYTES, HEIGHT, &card)?;
        let mut output = Surface2D::new(device, Format::R8, BYTES, HEIGHT)?;
        let threads = ThreadSpace::new(WIDTH / 8, HEIGHT / 8)?;
        let event = kernels::sepia::launch(device, threads, &input, &mut output)?;
        let bytes = output.to_vec()?;
        ensure!(bytes == by_a_loop(&card), "the kernel and the loop differ");
        let written = picture::write(WIDTH, &[&card, &bytes])?;
        let what = format!("{WIDTH} x {HEIGHT} pixels in sepia{written}");
        Ok(Computed { bytes, time: event.elapsed(), what })
    })
}

/// The same, two pixels at a time: `dp4` rounds `(a + b) + (c + d)`, and 0 is the last of the four or the first one.
fn by_a_loop(card: &[u8]) -> Vec<u8> {
    let weights = [[0.101f32, 0.531, 0.291], [0.161, 0.691, 0.361], [0.201, 0.741, 0.411]];
    let brown = |two: &[u8]| {
        let pixel = |at: usize| [two[at], two[at + 1], two[at + 2]].map(f32::from);
        let ([b, g, r], [d, h, s]) = (pixel(0), pixel(3));
        let first = weights.map(|[x, y, z]| ((b * x + g * y) + r * z) as u8);
        let second = weights.map(|[x, y, z]| (d * x + (h * y + s * z)) as u8);
        [first, second].concat()
    };
    card.chunks(6).flat_map(brown).collect()
}
