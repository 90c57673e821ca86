//! The part of `diagnose` that is about Level Zero.

use super::cache::Cache;
use super::devices::{self, LevelZero};
use super::probe::Probe;
use crate::error::LevelZeroError;

/// Lines about everything that running kernels on a GPU needs; the error says why there is none.
pub(crate) fn report(lines: &mut Vec<(&'static str, String)>) -> Result<(), LevelZeroError> {
    lines.push((
        "loader",
        devices::loader().map_or_else(|error| error.to_string(), |loader| loader.name().to_owned()),
    ));
    Probe::look().describe(lines);
    let cache = Cache::of_process().folder().map_or("off".to_owned(), |folder| folder.display().to_string());
    lines.push(("cache", cache));
    for (index, found) in LevelZero::get()?.devices().iter().enumerate() {
        lines.push(("device", format!("level-zero:{index}: {}", found.properties)));
    }
    Ok(())
}
