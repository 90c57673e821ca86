//! CM's example `HoughCircle`: `cargo run --release --example hough_circles -- [SIZE] [OUTPUT.png]`.
//!
//! It draws circles of radius 20 in a picture of `SIZE` x `SIZE` pixels, and lets the pixels on them vote for
//! centres. It compares the votes with plain loops and the pixels with the most votes with the circles, and
//! writes the circles with the votes below them. `CM_DEVICE` selects the device.
//!
//! CM's kernel votes in a surface of floats, with typed atomic operations, and relies on the hardware for
//! negative coordinates. This kernel votes in a buffer, and omits votes outside of the picture. It has 96
//! angles, for which CM's kernel has a table.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::Picture;
use cm_examples::{Arguments, Computed, bytes, on_devices, timed};
use kernels::{ANGLES, hough_circle};

const RADIUS: f32 = 20.0;

fn main() -> ExitCode {
    let fits = |size: usize| (64..=4096).contains(&size) && size.is_multiple_of(64);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 64 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let (edges, centres) = circles(size);
        let steps = steps();
        let input = Surface2D::from_bytes(device, Format::R8, size, size, &edges)?;
        let table = Buffer::from_slice(device, &steps)?;
        let mut votes = Buffer::<u32>::new(device, size * size)?;
        let threads = ThreadSpace::new(size / 8, size / 8)?;
        let event =
            hough_circle::launch(device, threads, &input, &table, &mut votes, size as i32, size as i32)?;
        let votes = votes.to_vec()?;

        let (expected, loops) = timed(|| by_loops(&edges, &steps, size));
        ensure!(votes == expected, "the kernel and the loops differ");
        let most = votes.iter().copied().max().unwrap_or_default();
        for centre in &centres {
            ensure!(votes[*centre] * 2 > most, "the circle around pixel {centre} is not found");
        }
        let greys: Vec<u8> = votes.iter().map(|&n| (n * 255 / most.max(1)) as u8).collect();
        let picture = Picture::of_greys(size, &[&edges, &greys]);
        let what = format!("{} circles found in {size} x {size} pixels", centres.len());
        let bytes = bytes(&votes, u32::to_le_bytes);
        Ok(Computed::new(what, bytes, event.elapsed(), loops).with_picture(picture))
    })
}

/// A picture with one circle in every 64 x 64 pixels, at varying positions, and the pixels of their centres.
fn circles(size: usize) -> (Vec<u8>, Vec<usize>) {
    let mut edges = vec![0; size * size];
    let mut centres = vec![];
    for n in 0..(size / 64).pow(2) {
        let (column, row) = (n % (size / 64), n / (size / 64));
        let (x, y) = (column * 64 + 24 + n * 7 % 16, row * 64 + 24 + n * 5 % 16);
        centres.push(y * size + x);
        for step in 0..360 {
            let (sine, cosine) = (step as f32).to_radians().sin_cos();
            let (x, y) = (x as f32 + RADIUS * cosine, y as f32 + RADIUS * sine);
            edges[y.round() as usize * size + x.round() as usize] = 255;
        }
    }
    (edges, centres)
}

/// The radius times the sines of all angles, then times their cosines.
fn steps() -> Vec<f32> {
    let angles = (0..ANGLES).map(|n| n as f32 * std::f32::consts::FRAC_PI_2 / ANGLES as f32);
    let sines = angles.clone().map(|angle| RADIUS * angle.sin());
    sines.chain(angles.map(|angle| RADIUS * angle.cos())).collect()
}

fn by_loops(edges: &[u8], steps: &[f32], size: usize) -> Vec<u32> {
    let mut votes = vec![0; size * size];
    for at in (0..edges.len()).filter(|&at| edges[at] > 0) {
        for (down, across) in steps[..ANGLES].iter().zip(&steps[ANGLES..]) {
            for (right, below) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let cx = (across * right + (at % size) as f32 + 0.5).floor();
                let cy = (down * below + (at / size) as f32 + 0.5).floor();
                if cx >= 0.0 && cy >= 0.0 && cx < size as f32 && cy < size as f32 {
                    votes[cy as usize * size + cx as usize] += 1;
                }
            }
        }
    }
    votes
}
