//! CM's tutorial 12, a sort in registers: `cargo run --release --example bitonic_sort -- [SIZE]`.
//!
//! It sorts `SIZE` numbers with sorting networks: runs of 256 numbers in the registers of a thread, longer
//! runs by one launch for each distance, which reads the results of the launch before it. The result is
//! compared with the sort of the standard library. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};
use kernels::{BASE, WIDTH, cmk_bitonic_merge, cmk_bitonic_sort_256};

fn main() -> ExitCode {
    let fits = |size: usize| size.is_power_of_two() && (2 * BASE..=1 << 24).contains(&size);
    on_devices(Arguments::size(1 << 20, "a power of two from 512 to 2^24", fits), |device, size| {
        let unsorted: Vec<u32> = numbers(12).take(size).collect();
        let input = Buffer::from_slice(device, &unsorted)?;
        let mut output = Buffer::<u32>::new(device, size)?;
        let (done, time) = timed(|| sort(device, &input, &mut output));
        done?;
        let sorted = output.to_vec()?;

        let mut expected = unsorted;
        let ((), loops) = timed(|| expected.sort_unstable());
        ensure!(sorted == expected, "the numbers are not sorted");
        let what = format!("{size} numbers sorted by exchanges");
        Ok(Computed::new(what, bytes(&sorted, u32::to_le_bytes), time, loops))
    })
}

fn sort(device: &Device, input: &Buffer<u32>, output: &mut Buffer<u32>) -> anyhow::Result<()> {
    let threads = |count: usize| ThreadSpace::new(count.min(WIDTH as usize), count.div_ceil(WIDTH as usize));
    let (runs, log) = (threads(input.len() / BASE)?, input.len().ilog2());
    let pairs = threads(input.len() / BASE / 2)?;
    Ok(device.scope(|scope| {
        cmk_bitonic_sort_256::enqueue(scope, runs, input, output)?;
        for stage in BASE.ilog2()..log {
            for n in (BASE.ilog2()..=stage).rev() {
                cmk_bitonic_merge::enqueue(scope, pairs, output, n, stage)?;
            }
        }
        Ok::<(), cm::Error>(())
    })?)
}
