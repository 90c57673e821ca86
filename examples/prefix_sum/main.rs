//! CM's tutorial 14, prefix sums: `cargo run --release --example prefix_sum -- [SIZE]`.
//!
//! It has a table of `SIZE` tuples of two numbers, and replaces each tuple by the sum of all tuples up to it,
//! in three steps: a kernel adds up chunks, the host adds up the sums of chunks, and a kernel computes the
//! sums within each chunk. The result is compared with a plain loop. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};
use kernels::{CHUNK, WIDTH, cmk_prefix, cmk_sum_tuple_count};

fn main() -> ExitCode {
    let fits = |size: usize| size.is_power_of_two() && (1 << 10..=1 << 24).contains(&size);
    on_devices(Arguments::size(1 << 20, "a power of two from 2^10 to 2^24", fits), |device, size| {
        let tuples: Vec<u32> = numbers(14).take(2 * size).collect();
        let mut table = Buffer::from_slice(device, &tuples)?;
        let (done, time) = timed(|| sum(device, &mut table));
        done?;
        let sums = table.to_vec()?;

        let (expected, loops) = timed(|| by_a_loop(&tuples));
        ensure!(sums == expected, "the kernels and the loop differ");
        let what = format!("{size} tuples summed up");
        Ok(Computed::new(what, bytes(&sums, u32::to_le_bytes), time, loops))
    })
}

fn sum(device: &Device, table: &mut Buffer<u32>) -> anyhow::Result<()> {
    let chunks = table.len() / 2 / CHUNK;
    let threads = ThreadSpace::new(chunks.min(WIDTH as usize), chunks.div_ceil(WIDTH as usize))?;
    cmk_sum_tuple_count::launch(device, threads, table)?;
    let mut words = table.to_vec()?;
    for last in (2 * CHUNK - 2..words.len()).step_by(2 * CHUNK).skip(1) {
        for n in [last, last + 1] {
            words[n] = words[n].wrapping_add(words[n - 2 * CHUNK]);
        }
    }
    table.write_slice(&words)?;
    cmk_prefix::launch(device, threads, table)?;
    Ok(())
}

fn by_a_loop(tuples: &[u32]) -> Vec<u32> {
    let mut sums = tuples.to_vec();
    for n in 2..sums.len() {
        sums[n] = sums[n].wrapping_add(sums[n - 2]);
    }
    sums
}
