//! A product of `f16` matrices by `dpas`: `cargo run --release --example matrix_product -- [SIZE]`.
//!
//! It multiplies two square matrices of `SIZE` rows (default 512): stored in tiles of 16 columns and of 8,
//! and stored row by row with 2-D blocks, also with the large register file. It compares each sum with plain loops, and
//! prints the speed of each. `CM_DEVICE` selects the device. The numbers are small enough for all sums to be exact, so
//! every matrix engine gives the same bits.

pub mod kernels;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, reported, say};
use kernels::{DEPTH, ROWS, matrix_product, matrix_product_2d, matrix_product_2d_large, matrix_product_of_8};

/// The sizes of matrices are multiples of the rows that a kernel thread computes, and of the depth of a round.
const MULTIPLE: usize = 32;
/// The smallest size: 2-D blocks need rows of at least 64 bytes.
const SMALLEST: usize = 32;
/// The largest size with exact sums and with matrices that fit a buffer.
const LARGEST: usize = 4096;

fn main() -> ExitCode {
    reported(run)
}

fn run() -> anyhow::Result<()> {
    let fits = |size: usize| (SMALLEST..=LARGEST).contains(&size) && size.is_multiple_of(MULTIPLE);
    let rule = format!("a multiple of {MULTIPLE} from {SMALLEST} to {LARGEST}");
    let size = Arguments::size(512, &rule, fits)?.number();
    let (a, b) = (matrix(size, 3), matrix(size, 7));
    let device = Device::best()?;
    // The sums of 64 columns take half of the large register file.
    let large = match device.target() {
        Some(target) if !target.has_large_register_file() => None,
        _ => Some(device.with_large_register_file()),
    };
    let mut products = vec![
        ("tiles of 16 columns", by_tiles::<16>(&device, size, &a, &b)?),
        ("tiles of 8 columns", by_tiles::<8>(&device, size, &a, &b)?),
        ("2-D blocks", by_2d_blocks::<32>(&device, size, &a, &b)?),
    ];
    if let Some(large) = &large {
        products.push(("2-D blocks, 256 registers", by_2d_blocks::<64>(large, size, &a, &b)?));
    }
    let start = Instant::now();
    let expected = by_loops(size, &a, &b);
    let loops = start.elapsed();
    for (way, (product, time)) in products {
        ensure!(product == expected, "the kernel for {way} and the loops differ on {}", device.name());
        say(format_args!(
            "{}, {way}: {size} x {size} in {:.1} ms, {:.1} billion products a second; plain loops in {:.1} ms; the same \
             bits",
            device.name(),
            time.as_secs_f64() * 1e3,
            (size as f64).powi(3) / time.as_secs_f64() / 1e9,
            loops.as_secs_f64() * 1e3,
        ));
    }
    Ok(())
}

/// Multiples of 1/8 from -2 to 2.
fn matrix(size: usize, seed: usize) -> Vec<f16> {
    let number = |n: usize| (n.wrapping_mul(0x9e37_79b9).wrapping_add(seed) >> 7) % 33;
    (0..size * size).map(|n| f16::from_f32(number(n) as f32 / 8.0 - 2.0)).collect()
}

fn by_tiles<const COLUMNS: usize>(
    device: &Device,
    size: usize,
    a: &[f16],
    b: &[f16],
) -> anyhow::Result<(Vec<f32>, Duration)> {
    let a = Buffer::from_slice(device, &in_tiles(size, a))?;
    let b = Buffer::from_slice(device, &in_packed_tiles::<COLUMNS>(size, b))?;
    let mut c = Buffer::<f32>::new(device, size * size)?;
    let space = ThreadSpace::new(size / (2 * COLUMNS), size / (4 * ROWS))?;
    let (steps, pitch) = ((size / DEPTH) as u32, (size * 4) as u32);
    let mut launch = || {
        if COLUMNS == 8 {
            matrix_product_of_8::launch(device, space, &a, &b, &mut c, steps, pitch)
        } else {
            matrix_product::launch(device, space, &a, &b, &mut c, steps, pitch)
        }
    };
    // Launch once without timing, because the first launch compiles the kernel.
    launch()?;
    let event = launch()?;
    Ok((c.to_vec()?, event.elapsed()))
}

/// By one of the kernels for 2-D blocks, of which each thread computes 32 rows of some columns.
fn by_2d_blocks<const COLUMNS: usize>(
    device: &Device,
    size: usize,
    a: &[f16],
    b: &[f16],
) -> anyhow::Result<(Vec<f32>, Duration)> {
    let (a, b) = (Buffer::from_slice(device, a)?, Buffer::from_slice(device, b)?);
    let mut c = Buffer::<f32>::new(device, size * size)?;
    // Blocks beyond the matrices are not stored.
    let space = ThreadSpace::new(size.div_ceil(COLUMNS), size / 32)?;
    let mut launch = || match COLUMNS {
        64 => matrix_product_2d_large::launch(device, space, &a, &b, &mut c, size as u32),
        _ => matrix_product_2d::launch(device, space, &a, &b, &mut c, size as u32),
    };
    launch()?;
    let event = launch()?;
    Ok((c.to_vec()?, event.elapsed()))
}

/// Strips of rows, each stored as tiles from left to right.
fn in_tiles(size: usize, a: &[f16]) -> Vec<f16> {
    let element = |n: usize| {
        let (tile, row, column) = (n / (ROWS * DEPTH), n / DEPTH % ROWS, n % DEPTH);
        let (strip, step) = (tile / (size / DEPTH), tile % (size / DEPTH));
        a[(strip * ROWS + row) * size + step * DEPTH + column]
    };
    (0..size * size).map(element).collect()
}

/// Strips of columns, each stored as tiles from top to bottom. In a tile, two rows are interleaved, so that a
/// dword contains two vertical neighbours, as `math::vnni` packs them.
fn in_packed_tiles<const COLUMNS: usize>(size: usize, b: &[f16]) -> Vec<f16> {
    let element = |n: usize| {
        let (tile, within) = (n / (DEPTH * COLUMNS), n % (DEPTH * COLUMNS));
        let (strip, step) = (tile / (size / DEPTH), tile % (size / DEPTH));
        let (row, column) = (within / (2 * COLUMNS) * 2 + within % 2, within / 2 % COLUMNS);
        b[(step * DEPTH + row) * size + strip * COLUMNS + column]
    };
    (0..size * size).map(element).collect()
}

fn by_loops(size: usize, a: &[f16], b: &[f16]) -> Vec<f32> {
    let b: Vec<f32> = b.iter().map(|x| x.to_f32()).collect();
    let mut c = vec![0.0; size * size];
    for (row, sums) in a.chunks(size).zip(c.chunks_mut(size)) {
        for (factor, row) in row.iter().zip(b.chunks(size)) {
            let factor = factor.to_f32();
            for (sum, x) in sums.iter_mut().zip(row) {
                *sum += factor * x;
            }
        }
    }
    c
}
