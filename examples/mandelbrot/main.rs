//! CM's example of the Mandelbrot set: `cargo run --release --example mandelbrot -- [SIZE] [OUTPUT.png]`.
//!
//! It draws the set with `SIZE` x `SIZE` pixels, and compares each pixel with a plain loop. `CM_DEVICE`
//! selects the device. CM's program draws 64 x 512 pixels, and writes them in two blocks of the width of a
//! surface tile.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::Picture;
use cm_examples::{Arguments, Computed, on_devices, timed};

const CRUNCH: i32 = 64;
const LEFT: f32 = -1.5;
const TOP: f32 = -1.0;

fn main() -> ExitCode {
    let fits = |size: usize| (16..=2032).contains(&size) && size.is_multiple_of(16);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 16 up to 2032", fits);
    on_devices(arguments, |device, size| {
        let scale = 2.0 / size as f32;
        let mut output = Surface2D::new(device, Format::Bgra8, size, size)?;
        let threads = ThreadSpace::new(size / 16, size)?;
        let event = kernels::mandelbrot::launch(device, threads, &mut output, CRUNCH, LEFT, TOP, scale)?;
        let pixels = output.to_vec()?;
        let (expected, loops) = timed(|| by_a_loop(size, scale));
        ensure!(pixels == expected, "the kernel and the loop differ");
        let picture = Picture::of_four_bytes(size, &[&pixels]);
        let what = format!("{size} x {size} pixels of the Mandelbrot set");
        Ok(Computed::new(what, pixels, event.elapsed(), loops).with_picture(picture))
    })
}

fn by_a_loop(size: usize, scale: f32) -> Vec<u8> {
    let pixel = |n: usize| {
        let (cx, cy) = ((n % size) as f32 * scale + LEFT, (n / size) as f32 * scale + TOP);
        let (mut x, mut y) = (cx, cy);
        let leaves = (1..CRUNCH).find(|_| {
            let (xx, yy) = (x * x, y * y);
            if xx + yy < 4.0 {
                (x, y) = (xx - yy + cx, x * y * 2.0 + cy);
                return false;
            }
            true
        });
        let rounds = leaves.unwrap_or(0);
        [rounds * 15, rounds * 7, rounds * 3, 0].map(|channel| channel as u8)
    };
    (0..size * size).flat_map(pixel).collect()
}
