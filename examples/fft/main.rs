//! CM's example `fft`: `cargo run --release --example fft -- [SIZE]`.
//!
//! It transforms each column of 8, 16 and 32 rows of `SIZE` complex numbers, and compares with discrete
//! Fourier transforms in `f64`. `CM_DEVICE` selects the device.
//!
//! CM's kernel for 16 columns adds to offsets that are not initialised yet. This kernel reads blocks of rows
//! instead.

pub mod kernels;

use std::f64::consts::TAU;
use std::process::ExitCode;

use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, ensure_close, numbers, on_devices, timed};
use kernels::{COLUMNS, fft};

const ROWS: usize = 32;
/// The allowed error of sums of 32 numbers from -1 to 1.
const BOUND: f32 = 1e-5;

fn main() -> ExitCode {
    let fits = |size: usize| (COLUMNS..=16_376).contains(&size) && size.is_multiple_of(COLUMNS);
    on_devices(Arguments::size(8192, "a multiple of 8 up to 16376", fits), |device, size| {
        let points: Vec<f32> =
            numbers(11).map(|n| (n >> 8) as f32 / 8_388_608.0 - 1.0).take(2 * size * ROWS).collect();
        let pitch = (size * 8) as u32;
        let threads = |points: usize| ThreadSpace::new(size / COLUMNS, ROWS / points);
        let mut buffers = vec![];
        for _ in 0..3 {
            buffers.push(Buffer::from_slice(device, &points)?);
        }
        let mut time = fft::<8>::launch(device, threads(8)?, &mut buffers[0], pitch)?.elapsed();
        time += fft::<16>::launch(device, threads(16)?, &mut buffers[1], pitch)?.elapsed();
        time += fft::<32>::launch(device, threads(32)?, &mut buffers[2], pitch)?.elapsed();

        let (expected, loops) = timed(|| [8, 16, 32].map(|count| by_loops(&points, size, count)));
        let mut results = vec![];
        for (buffer, expected) in buffers.iter().zip(expected) {
            let found = buffer.to_vec()?;
            ensure_close(&found, &expected, BOUND)?;
            results.extend(bytes(&found, f32::to_le_bytes));
        }
        let what = format!("{size} columns transformed by 8, by 16 and by 32");
        Ok(Computed::new(what, results, time, loops))
    })
}

/// The transforms of `count` points.
fn by_loops(points: &[f32], size: usize, count: usize) -> Vec<f32> {
    let turns: Vec<(f64, f64)> = (0..count).map(|n| (TAU * n as f64 / count as f64).sin_cos()).collect();
    let mut sums = vec![0.0; points.len()];
    for row in 0..ROWS {
        for column in 0..size {
            let (mut re, mut im) = (0.0, 0.0);
            for n in 0..count {
                let at = 2 * ((row - row % count + n) * size + column);
                let (x, y) = (f64::from(points[at]), f64::from(points[at + 1]));
                let (sine, cosine) = turns[row % count * n % count];
                re += x * cosine + y * sine;
                im += y * cosine - x * sine;
            }
            let at = 2 * (row * size + column);
            (sums[at], sums[at + 1]) = (re as f32, im as f32);
        }
    }
    sums
}
