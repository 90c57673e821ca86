//! The devices that a test runs on. All of them must give the same bytes.

use std::sync::OnceLock;

use cm::CpuEngine;
use cm::prelude::*;

use crate::process::is_required;

/// The first Level Zero device. If there is none, this prints a message once, or fails if
/// `CM_REQUIRE_LEVEL_ZERO` is set.
pub fn level_zero() -> Option<&'static Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    DEVICE
        .get_or_init(|| match Device::level_zero() {
            Ok(device) => Some(device),
            Err(reason) if !is_required("CM_REQUIRE_LEVEL_ZERO") => {
                eprintln!("skipped on Level Zero: {reason}");
                None
            }
            Err(reason) => panic!("CM_REQUIRE_LEVEL_ZERO is set: {reason}"),
        })
        .as_ref()
}

/// The CPU with this number of worker threads, with each of its engines, and the Level Zero device if there
/// is one.
pub fn devices(threads: usize) -> Vec<Device> {
    let cpu = Device::cpu_with_threads(threads).expect("worker threads");
    let engines = CpuEngine::ALL.iter().map(|&engine| cpu.with_cpu_engine(engine));
    engines.chain(level_zero().cloned()).collect()
}

/// Whether a test with hundreds of examples runs this one on a device. A launch on a GPU takes as long as a hundred on the
/// CPU, so GPUs take each seventh.
pub fn takes(device: &Device, example: usize) -> bool {
    !device.is_gpu() || example.is_multiple_of(7)
}

/// Those devices, and the Level Zero device with surfaces in buffers.
pub fn surface_devices(threads: usize) -> Vec<Device> {
    let mut all = devices(threads);
    all.extend(level_zero().map(Device::with_surfaces_in_buffers));
    all
}
