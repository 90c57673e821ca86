//! CM's example `sharpen`: `cargo run --release --example sharpen -- [SIZE] [OUTPUT.png]`.
//!
//! It sharpens a test card of `SIZE` x `SIZE` pixels by unsharp masking: two kernels blur the card
//! horizontally and vertically with nine weights, and a third one increases the difference of pixels from the
//! blurred ones. It compares every byte with plain loops, and writes the card with the result below it.
//! `CM_DEVICE` selects the device.
//!
//! The blend modes are those of CM's kernel (screen, multiply, lighten, darken), combined in a simpler way.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, on_devices, timed};
use kernels::{AMOUNT, WEIGHTS};

fn main() -> ExitCode {
    let fits = |size: usize| (16..=4096).contains(&size) && size.is_multiple_of(8);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 8 from 16 to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = picture::colours_and_alpha(size, size);
        let input = Surface2D::from_bytes(device, Format::Bgra8, size, size, &card)?;
        let mut across = Surface2D::new(device, Format::Bgra8, size, size)?;
        let mut blurred = Surface2D::new(device, Format::Bgra8, size, size)?;
        let mut output = Surface2D::new(device, Format::Bgra8, size, size)?;
        let (rows, columns) = (ThreadSpace::new(1, size / 4)?, ThreadSpace::new(size / 4, 1)?);
        let blocks = ThreadSpace::new(size / 4, size / 4)?;
        let mut time =
            kernels::horizontal_blur::launch(device, rows, &input, &mut across, size as u32)?.elapsed();
        time +=
            kernels::vertical_blur::launch(device, columns, &across, &mut blurred, size as u32)?.elapsed();
        time += kernels::simple_usm::launch(device, blocks, &input, &blurred, &mut output)?.elapsed();
        let sharp = output.to_vec()?;

        let (expected, loops) = timed(|| by_loops(&card, size));
        ensure!(sharp == expected, "the kernels and the loops differ");
        let picture = Picture::of_four_bytes(size, &[&card, &sharp]);
        let what = format!("{size} x {size} pixels sharpened");
        Ok(Computed::new(what, sharp, time, loops).with_picture(picture))
    })
}

fn by_loops(card: &[u8], size: usize) -> Vec<u8> {
    let blurred = blurred(&blurred(card, size, 4, |n| n / 4 % size), size, size * 4, |n| n / 4 / size);
    let sharpened = |(&sharp, &soft): (&u8, &u8)| {
        let [sharp, soft] = [sharp, soft].map(i32::from);
        let difference = (sharp - soft).abs();
        let lighter = if sharp > soft { 255 - (255 - sharp) * (255 - difference) / 255 } else { sharp };
        let darker = if sharp < soft { sharp * (255 - difference) / 255 } else { sharp };
        let light = (sharp * (128 - AMOUNT) + lighter * AMOUNT) >> 7;
        ((light * (128 - AMOUNT) + (light + darker - sharp) * AMOUNT) >> 7).clamp(0, 255) as u8
    };
    card.iter().zip(&blurred).map(sharpened).collect()
}

/// Replaces nine bytes that are `step` apart by one, except near the edges; `place` gives the distance from
/// the edge.
fn blurred(bytes: &[u8], size: usize, step: usize, place: impl Fn(usize) -> usize) -> Vec<u8> {
    let sum = |n: usize| {
        let nine = WEIGHTS.iter().enumerate();
        nine.fold(0.0, |sum, (k, weight)| sum + f32::from(bytes[n + k * step - 4 * step]) * weight)
    };
    let blurred = |n: usize| if (4..size - 4).contains(&place(n)) { sum(n) as u8 } else { bytes[n] };
    (0..bytes.len()).map(blurred).collect()
}
