//! Reports which parts of a GPU installation are on this machine, for people to read.

use std::fmt;

use crate::device::Device;
use crate::error::LevelZeroError;
use crate::level_zero;

/// What was looked for to run kernels on a GPU, and what was found. It is printed line by line.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    lines: Vec<(&'static str, String)>,
    problem: Option<LevelZeroError>,
}

/// Looks for everything that [`Device::level_zero`] needs: the loader, the driver, device files and the
/// permission to open them, devices with their limits; and where compiled kernels are kept.
///
/// ```
/// println!("{}", cm::diagnose());
/// ```
#[must_use]
pub fn diagnose() -> Diagnosis {
    let mut lines = Vec::new();
    // The lines are kept as far as they go.
    let problem = level_zero::report(&mut lines).err();
    for variable in
        ["CM_DEVICE", "CM_CACHE", "CM_LEVEL_ZERO_LOADER", "ZE_ENABLE_ALT_DRIVERS", "ZE_AFFINITY_MASK"]
    {
        if let Some(value) = std::env::var_os(variable) {
            lines.push(("environment", format!("{variable}={}", value.to_string_lossy())));
        }
    }
    let best = match Device::best() {
        Ok(device) => device.name().to_owned(),
        Err(error) => format!("none: {error}"),
    };
    lines.push(("best device", best));
    if let Some(problem) = &problem {
        lines.push(("problem", problem.to_string()));
    }
    Diagnosis { lines, problem }
}

impl Diagnosis {
    /// Why no GPU can be used, if so.
    #[must_use]
    pub const fn problem(&self) -> Option<&LevelZeroError> {
        self.problem.as_ref()
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, found) in &self.lines {
            writeln!(f, "{what:<12} {found}")?;
        }
        Ok(())
    }
}
