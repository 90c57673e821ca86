//! CM's tutorial 9, sums of absolute differences: `cargo run --release --example feature_distances -- [SIZE]`.
//!
//! It compares each of `SIZE` vectors of 80 bytes with each of 256 features (CM's `vcaOpSAD`), and compares
//! the sums of absolute differences with plain loops. `CM_DEVICE` selects the device.
//!
//! CM's tutorial is about memory that the host and the GPU share. Here, buffers of a device are already
//! shared if the hardware supports it; the host reads them with `to_vec`.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};
use kernels::{GROUP, LENGTH, vca_op_sad};

const FEATURES: usize = 256;
/// The maximum number of threads, which divide the groups of vectors among them.
const THREADS: usize = 256;

fn main() -> ExitCode {
    let fits = |size: usize| (8..=65536).contains(&size) && size.is_multiple_of(GROUP);
    on_devices(Arguments::size(8192, "a multiple of 8 up to 65536", fits), |device, size| {
        let mut byte = numbers(9).map(|n| (n >> 24) as u8);
        let database: Vec<u8> = byte.by_ref().take(size * LENGTH).collect();
        let features: Vec<u8> = byte.take(FEATURES * LENGTH).collect();
        let input = Buffer::from_slice(device, &database)?;
        let others = Buffer::from_slice(device, &features)?;
        let mut distances = Buffer::<u16>::new(device, size * FEATURES)?;
        let groups = size / GROUP;
        let threads = groups.min(THREADS);
        let event = vca_op_sad::launch(
            device,
            ThreadSpace::new(threads, 1)?,
            &input,
            &others,
            &mut distances,
            groups as u32,
            (FEATURES / GROUP) as u32,
            threads as u32,
        )?;
        let found = distances.to_vec()?;
        let (expected, loops) = timed(|| by_loops(&database, &features));
        ensure!(found == expected, "the kernel and the loops differ");
        let what = format!("{size} vectors compared with {FEATURES} features");
        Ok(Computed::new(what, bytes(&found, u16::to_le_bytes), event.elapsed(), loops))
    })
}

fn by_loops(database: &[u8], features: &[u8]) -> Vec<u16> {
    let distance = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(&a, &b)| u16::from(a.abs_diff(b))).sum::<u16>();
    let distances = |a| features.chunks(LENGTH).map(move |b| distance(a, b));
    database.chunks(LENGTH).flat_map(distances).collect()
}
