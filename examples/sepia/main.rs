//! CM's tutorial 5, built-in functions: `cargo run --release --example sepia -- [SIZE] [OUTPUT.png]`.
//!
//! It draws a test card of `SIZE` x `SIZE` coloured pixels, tints it brown like an old photograph, compares
//! every byte with a plain loop, and writes the card with the result below it. `CM_DEVICE` selects the
//! device.

pub mod by_a_loop;
pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, on_devices, timed};

fn main() -> ExitCode {
    let fits = |size: usize| (8..=4096).contains(&size) && size.is_multiple_of(8);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 8 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = picture::colours(size, size);
        let input = Surface2D::from_bytes(device, Format::R8, size * 3, size, &card)?;
        let mut output = Surface2D::new(device, Format::R8, size * 3, size)?;
        let threads = ThreadSpace::new(size / 8, size / 8)?;
        let event = kernels::sepia::launch(device, threads, &input, &mut output)?;
        let brown = output.to_vec()?;
        let (expected, loops) = timed(|| by_a_loop::in_brown(&card));
        ensure!(brown == expected, "the kernel and the loop differ");
        let picture = Picture::of_colours(size, &[&card, &brown]);
        let what = format!("{size} x {size} pixels in sepia");
        Ok(Computed::new(what, brown, event.elapsed(), loops).with_picture(picture))
    })
}
