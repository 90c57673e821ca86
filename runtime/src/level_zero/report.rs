//! The part of `diagnose` about Level Zero.

use super::cache::Cache;
use super::devices::{self, LevelZero};
use super::probe::Probe;
use crate::error::LevelZeroError;

/// The GPU installation of this machine.
pub(crate) struct Report {
    /// Whether there seems to be an Intel GPU, independent of its driver.
    pub(crate) gpu: bool,
    /// Why there is no device, if there is none.
    pub(crate) devices: Result<(), LevelZeroError>,
}

/// Adds a line about each thing that kernels on a GPU need.
pub(crate) fn report(lines: &mut Vec<(&'static str, String)>) -> Report {
    lines.push((
        "loader",
        devices::loader().map_or_else(|error| error.to_string(), |loader| loader.name().to_owned()),
    ));
    let probe = Probe::look();
    probe.describe(lines);
    let cache = Cache::of_process().folder().map_or("off".to_owned(), |folder| folder.display().to_string());
    lines.push(("cache", cache));
    let devices = LevelZero::get().map(|level_zero| {
        for (index, found) in level_zero.devices().iter().enumerate() {
            lines.push(("device", format!("level-zero:{index}: {}", found.properties)));
        }
    });
    Report { gpu: probe.intel().next().is_some(), devices }
}
