//! CM's examples of histograms: `cargo run --release --example histogram -- [SIZE] [OUTPUT.png]`.
//!
//! It counts the greys of a picture of `SIZE` x `SIZE` pixels in four ways: in registers that other kernels
//! add up; in registers that atomic operations add up; the same in tiles; and in shared local memory. In
//! tiles and in shared memory it also counts classes of four greys. It compares each result with a plain
//! loop, and draws the picture and its histogram. `CM_DEVICE` selects the device.
//!
//! CM's kernels with shared local memory have no barrier, so they need groups of one thread. These kernels
//! have groups of 8.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::{self, Picture};
use cm_examples::{Arguments, Computed, bytes, on_devices, timed};
use kernels::{ADDERS, THREADS, histogram_slm, histogram_tiles};

fn main() -> ExitCode {
    let fits = |size: usize| (32..=4096).contains(&size) && size.is_multiple_of(32);
    let arguments = Arguments::size_and_picture(1024, "a multiple of 32 up to 4096", fits);
    on_devices(arguments, |device, size| {
        let card = picture::greys(size, size);
        let input = Surface2D::from_bytes(device, Format::R8, size, size, &card)?;
        let (across, blocks) = ((size / 32) as u32, (size / 32 * (size / 8)) as u32);
        let threads = ThreadSpace::new(THREADS as usize, 1)?;

        let mut counts = Buffer::<i32>::new(device, 256 * THREADS as usize)?;
        let mut sums = Buffer::<i32>::new(device, 256 * ADDERS as usize)?;
        let mut bins = Buffer::<i32>::new(device, 256)?;
        let mut time =
            kernels::histogram::launch(device, threads, &input, &mut counts, across, blocks)?.elapsed();
        let adders = ThreadSpace::new(ADDERS as usize, 1)?;
        time += kernels::sum::launch(device, adders, &counts, &mut sums)?.elapsed();
        time += kernels::final_sum::launch(device, ThreadSpace::new(1, 1)?, &sums, &mut bins)?.elapsed();
        let in_registers = bins.to_vec()?;

        bins.write_slice(&[0; 256])?;
        time +=
            kernels::histogram_atomic::launch(device, threads, &input, &mut bins, across, blocks)?.elapsed();
        let by_atomics = bins.to_vec()?;

        let mut classes = Buffer::<i32>::new(device, 64)?;
        let tiles = ThreadSpace::new(size / 32, size.div_ceil(64))?;
        bins.write_slice(&[0; 256])?;
        let height = size as u32;
        time += histogram_tiles::<256>::launch(device, tiles, &input, &mut bins, height)?.elapsed();
        time += histogram_tiles::<64>::launch(device, tiles, &input, &mut classes, height)?.elapsed();
        let in_tiles = (bins.to_vec()?, classes.to_vec()?);

        bins.write_slice(&[0; 256])?;
        classes.write_slice(&[0; 64])?;
        let groups = ThreadGroups::new([size / 32, size.div_ceil(512), 1], [8, 1, 1])?;
        time += histogram_slm::<256>::launch(device, groups, &input, &mut bins, height)?.elapsed();
        time += histogram_slm::<64>::launch(device, groups, &input, &mut classes, height)?.elapsed();
        let in_shared_memory = (bins.to_vec()?, classes.to_vec()?);

        let (expected, loops) = timed(|| by_a_loop(&card));
        ensure!(in_registers == expected, "counted in registers, the kernels and the loop differ");
        ensure!(by_atomics == expected, "counted by atomic operations, the kernel and the loop differ");
        let of_four = expected.chunks(4).map(|bins| bins.iter().sum()).collect();
        let both = (expected.clone(), of_four);
        ensure!(in_tiles == both, "counted in tiles, the kernels and the loop differ");
        ensure!(in_shared_memory == both, "counted in shared memory, the kernels and the loop differ");
        let picture = Picture::of_greys(size, &[&card, &drawn(&expected, size)]);
        let what = format!("six histograms of {size} x {size} pixels");
        Ok(Computed::new(what, bytes(&expected, i32::to_le_bytes), time, loops).with_picture(picture))
    })
}

fn by_a_loop(card: &[u8]) -> Vec<i32> {
    let mut bins = vec![0; 256];
    for &grey in card {
        bins[usize::from(grey)] += 1;
    }
    bins
}

/// Draws a bar for each grey, in a picture of 100 rows.
fn drawn(bins: &[i32], width: usize) -> Vec<u8> {
    let most = bins.iter().copied().max().unwrap_or(1).max(1) as usize;
    let bar = |n: usize| bins[n % width * 256 / width] as usize * 100 / most;
    (0..100 * width).map(|n| if 100 - n / width <= bar(n) { 255 } else { 0 }).collect()
}
