//! What the programs share: running on a device and on the CPU, comparing, saying so in a line.

pub mod picture;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use cm::prelude::*;

/// What a program computed.
#[derive(Clone, Debug)]
pub struct Computed {
    /// The bytes of its results.
    pub bytes: Vec<u8>,
    /// How long its kernels ran.
    pub time: Duration,
    /// What it did, as a part of a sentence.
    pub what: String,
}

/// Runs a program on [`Device::best`], which `CM_DEVICE` chooses, and on the CPU as well if that is a GPU. The bytes
/// of both are the same, or it is an error. Prints what was done, and how fast.
pub fn on_devices(run: impl Fn(&Device) -> anyhow::Result<Computed>) -> ExitCode {
    reported(|| {
        let device = Device::best()?;
        let computed = on_device(&device, &run)?;
        let mut line = format!("{}: {}", device.name(), computed.said());
        if !device.name().starts_with("CPU ") {
            let on_cpu = on_device(&Device::cpu()?, &run)?;
            ensure!(computed.bytes == on_cpu.bytes, "{} and the CPU differ", device.name());
            line += &format!("; the CPU gave the same bytes in {}", milliseconds(on_cpu.time));
        }
        println!("{line}");
        Ok(())
    })
}

/// Runs a program, and prints what went wrong.
pub fn reported(run: impl FnOnce() -> anyhow::Result<()>) -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn on_device(device: &Device, run: impl Fn(&Device) -> anyhow::Result<Computed>) -> anyhow::Result<Computed> {
    run(device).with_context(|| device.name().to_owned())
}

impl Computed {
    fn said(&self) -> String {
        format!("{} in {}", self.what, milliseconds(self.time))
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// The number that the first argument of the program is, or another if there is none.
///
/// # Errors
/// If it is no number, or if `fits` refuses it; `rule` says what is allowed.
pub fn size(default: usize, rule: &str, fits: impl Fn(usize) -> bool) -> anyhow::Result<usize> {
    let size = match std::env::args().nth(1) {
        None => default,
        Some(text) => text.parse().with_context(|| format!("`{text}` is no number; give {rule}"))?,
    };
    ensure!(fits(size), "{size}: give {rule}");
    Ok(size)
}
