//! Thread groups: ids of threads, shared local memory and barriers, in all executions.

mod faults;
mod ids;
mod named;
mod named_faults;
mod nested;
mod shared;
mod vectors;
mod views;

use cm::prelude::*;
use cm_test_support::devices;

/// All devices. Without race checks the CPU accesses shared memory in another way.
fn devices(threads: usize) -> Vec<Device> {
    let settings = |device: Device| {
        let checks: &[bool] = if device.is_gpu() { &[true] } else { &[true, false] };
        checks.iter().map(move |&on| device.with_race_checks(on))
    };
    devices::devices(threads).into_iter().flat_map(settings).collect()
}

/// The bytes of a buffer.
fn bytes<T: Elem>(buffer: &Buffer<T>) -> cm::Result<Vec<u8>> {
    Ok(bytemuck::cast_slice(&buffer.to_vec()?).to_vec())
}
