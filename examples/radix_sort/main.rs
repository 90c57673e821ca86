//! CM's tutorial 13, a radix sort: `cargo run --release --example radix_sort -- [SIZE]`.
//!
//! It sorts `SIZE` numbers by two of their bits at a time: a kernel counts the digits of each thread, the
//! host adds the counts up, and a kernel moves each number to its position. The result is compared with the
//! sort of the standard library. `CM_DEVICE` selects the device.
//!
//! CM's program has one pass too many, for bits 32 and 33.

pub mod kernels;

use std::mem::swap;
use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};
use kernels::{CHUNK, WIDTH, cmk_radix_bucket, cmk_radix_count};

fn main() -> ExitCode {
    let fits = |size: usize| size.is_power_of_two() && (CHUNK..=1 << 26).contains(&size);
    on_devices(Arguments::size(1 << 20, "a power of two from 256 to 2^26", fits), |device, size| {
        let unsorted: Vec<u32> = numbers(13).take(size).collect();
        let (sorted, time) = timed(|| sort(device, &unsorted));
        let sorted = sorted?;
        let mut expected = unsorted;
        let ((), loops) = timed(|| expected.sort_unstable());
        ensure!(sorted == expected, "the numbers are not sorted");
        let what = format!("{size} numbers sorted by digits");
        Ok(Computed::new(what, bytes(&sorted, u32::to_le_bytes), time, loops))
    })
}

fn sort(device: &Device, unsorted: &[u32]) -> anyhow::Result<Vec<u32>> {
    let chunks = unsorted.len() / CHUNK;
    let threads = ThreadSpace::new(chunks.min(WIDTH as usize), chunks.div_ceil(WIDTH as usize))?;
    let mut from = Buffer::from_slice(device, unsorted)?;
    let mut to = Buffer::<u32>::new(device, unsorted.len())?;
    let mut table = Buffer::<u32>::new(device, 4 * chunks)?;
    for bit in (0..32).step_by(2) {
        cmk_radix_count::launch(device, threads, &from, &mut table, bit)?;
        let mut ends = table.to_vec()?;
        for n in 4..ends.len() {
            ends[n] += ends[n - 4];
        }
        table.write_slice(&ends)?;
        let [zeros, ones, twos] = [4, 3, 2].map(|back| ends[ends.len() - back]);
        let starts = Vector::from_array([0, zeros, zeros + ones, zeros + ones + twos]);
        cmk_radix_bucket::launch(device, threads, &from, &table, &mut to, starts, bit)?;
        swap(&mut from, &mut to);
    }
    Ok(from.to_vec()?)
}
