//! Error diffusion as a wavefront: `cargo run --release --example error_diffusion -- OUTPUT.png`.
//!
//! It draws a card of ramps and discs, makes every texel black or white by the rule of Floyd and Steinberg, checks it
//! against plain loops, and writes the card with the result below it. Each kernel thread waits for its neighbours to the
//! left, above and above on the right; the others run at the same time. `CM_DEVICE` chooses the device.

pub mod kernels;

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use cm::prelude::*;
use image::ImageFormat;
use kernels::{BLOCK, BORDER, SLANT, error_diffusion};

const WIDTH: usize = 480;
const HEIGHT: usize = 160;

fn main() -> ExitCode {
    let Some(output) = std::env::args_os().nth(1) else {
        eprintln!("usage: error_diffusion OUTPUT.png");
        return ExitCode::from(2);
    };
    match run(Path::new(&output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(output: &Path) -> anyhow::Result<()> {
    let device = Device::best()?;
    let card = card();
    let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &card)?;
    let mut dots = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT)?;
    let [columns, rows] = [(WIDTH + (BLOCK[1] - 1) * SLANT).div_ceil(BLOCK[0]), HEIGHT.div_ceil(BLOCK[1])];
    let [width, height] = [2 * BORDER[0] + columns * BLOCK[0], BORDER[1] + rows * BLOCK[1]];
    let mut errors = Surface2D::new(&device, Format::R16, width, height)?;
    let space = ThreadSpace::new(columns, rows)?.with_dependencies(DependencyPattern::WAVEFRONT26);
    let event = error_diffusion::launch(&device, space, &input, WIDTH as i32, &mut dots, &mut errors)?;
    let dots = dots.to_vec()?;
    ensure!(dots == by_loops(&card), "the kernel and the loops differ on {}", device.name());
    let picture = image::GrayImage::from_raw(WIDTH as u32, 2 * HEIGHT as u32, [card, dots].concat())
        .context("the picture has the bytes of two cards")?;
    // Encoded first: a file that cannot be written whole is an error, not a warning of the encoder's buffer.
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    fs::write(output, bytes.into_inner()).with_context(|| format!("writing {}", output.display()))?;
    println!("{}: {} in {:?}", device.name(), output.display(), event.elapsed());
    Ok(())
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
