//! A readable report of the GPU installation of this machine.

use std::fmt;

use crate::device::Device;
use crate::error::LevelZeroError;
use crate::level_zero;

/// A readable report of the GPU installation of this machine: print it with `{}`. [`diagnose`] creates it.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    lines: Vec<(&'static str, String)>,
    problem: Option<LevelZeroError>,
}

/// Looks for everything that [`Device::level_zero`] needs and reports what it finds: the loader, the driver,
/// the device files and their permissions, the devices and their limits, and the cache of compiled kernels.
///
/// If Level Zero is not usable, the report names the problem and the remedy; `diagnose` itself does not fail.
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
    /// The reason why no GPU can be used; `None` if one can.
    ///
    /// ```
    /// match cm::diagnose().problem() {
    ///     Some(problem) => println!("no GPU: {problem}"),
    ///     None => println!("a GPU is ready"),
    /// }
    /// ```
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
