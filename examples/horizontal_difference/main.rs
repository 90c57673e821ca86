//! A kernel with OpenCL sub-groups, ported line by line:
//! `cargo run --release --example horizontal_difference -- OUTPUT.png`.
//!
//! It draws a test card of discs, computes the difference of every texel and its right neighbour, compares
//! with a plain loop, and writes the card with the differences below it. `CM_DEVICE` selects the device.

pub mod kernels;

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use cm::prelude::*;
use cm_examples::reported;
use image::ImageFormat;

const WIDTH: usize = 640;
const HEIGHT: usize = 240;

fn main() -> ExitCode {
    let Some(output) = std::env::args_os().nth(1) else {
        eprintln!("usage: horizontal_difference OUTPUT.png");
        return ExitCode::from(2);
    };
    reported(|| run(Path::new(&output)))
}

fn run(output: &Path) -> anyhow::Result<()> {
    let device = Device::best()?;
    let card = card();
    let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &card)?;
    let mut differences = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT)?;
    let sub_groups = ThreadSpace::new(WIDTH / 16, HEIGHT / 8)?;
    kernels::horizontal_difference::launch(&device, sub_groups, &input, &mut differences)?;
    let differences = differences.to_vec()?;
    ensure!(differences == by_a_loop(&card), "the kernel and the loop differ on {}", device.name());
    let picture = [card, differences].concat();
    let picture = image::GrayImage::from_raw(WIDTH as u32, 2 * HEIGHT as u32, picture)
        .context("the picture has the bytes of two cards")?;
    // Encode first, so that a failing write is an error and not a warning of the encoder's buffer.
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    fs::write(output, bytes.into_inner()).with_context(|| format!("writing {}", output.display()))?;
    println!("{}: {}", device.name(), output.display());
    Ok(())
}

/// Discs of growing brightness.
fn card() -> Vec<u8> {
    let texel = |x: usize, y: usize| {
        let (column, row) = (x % 80, y % 80);
        let distance = column.abs_diff(40).pow(2) + row.abs_diff(40).pow(2);
        let disc = x / 80 + y / 80 * 8;
        if distance < 34 * 34 { 40 + disc as u8 * 9 } else { 16 + (y / 2) as u8 / 4 }
    };
    (0..WIDTH * HEIGHT).map(|at| texel(at % WIDTH, at / WIDTH)).collect()
}

/// The same filter, one texel at a time. The right neighbour of the last texel is the texel itself.
fn by_a_loop(card: &[u8]) -> Vec<u8> {
    card.chunks(WIDTH)
        .flat_map(|row| (0..WIDTH).map(|x| row[x].abs_diff(row[(x + 1).min(WIDTH - 1)])))
        .collect()
}
