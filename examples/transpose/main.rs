//! CM's example of transposition: `cargo run --release --example transpose -- [SIZE]`.
//!
//! It transposes a matrix of `SIZE` x `SIZE` numbers in place, only in registers, by tiles of 8 x 8 and by
//! tiles of 16 x 16, and compares both with a plain loop. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};

fn main() -> ExitCode {
    let fits = |size: usize| (16..=8192).contains(&size) && size.is_multiple_of(16);
    on_devices(Arguments::size(2048, "a multiple of 16 up to 8192", fits), |device, size| {
        let matrix: Vec<u32> = numbers(8).take(size * size).collect();
        let words = bytes(&matrix, u32::to_le_bytes);
        let mut by_eight = Surface2D::from_bytes(device, Format::R32, size, size, &words)?;
        let mut by_sixteen = Surface2D::from_bytes(device, Format::R32, size, size, &words)?;
        let tiles = |size: usize| ThreadSpace::new(size, size);
        let mut time = kernels::transpose8::launch(device, tiles(size / 8)?, &mut by_eight)?.elapsed();
        time += kernels::transpose16::launch(device, tiles(size / 16)?, &mut by_sixteen)?.elapsed();
        let transposed = by_eight.to_vec()?;

        let (expected, loops) = timed(|| by_a_loop(&matrix, size));
        let expected = bytes(&expected, u32::to_le_bytes);
        ensure!(transposed == expected, "by tiles of 8 x 8, the kernel and the loop differ");
        ensure!(by_sixteen.to_vec()? == expected, "by tiles of 16 x 16, the kernel and the loop differ");
        let what = format!("{size} x {size} numbers transposed twice");
        Ok(Computed::new(what, transposed, time, loops))
    })
}

fn by_a_loop(matrix: &[u32], size: usize) -> Vec<u32> {
    (0..size * size).map(|n| matrix[n % size * size + n / size]).collect()
}
