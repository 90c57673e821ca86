//! A readable report of the GPU installation of this machine.

use std::fmt;

use crate::device::Device;
use crate::error::LevelZeroError;
use crate::level_zero;

/// A readable report of the GPU installation of this machine: print it with `{}`. [`diagnose`] creates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    lines: Vec<(&'static str, String)>,
    problem: Option<LevelZeroError>,
    /// Whether there seems to be an Intel GPU.
    gpu: bool,
    /// Whether kernels run at all.
    runs: bool,
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
    let level_zero::Report { gpu, devices } = level_zero::report(&mut lines);
    let problem = devices.err();
    for variable in [
        "CM_DEVICE",
        "CM_NUM_THREADS",
        "CM_CPU_ISA",
        "CM_CPU_ENGINE",
        "CM_CACHE",
        "CM_COMPILER",
        "CM_DEBUG_INFO",
        "CM_LEVEL_ZERO_LOADER",
        "ZE_ENABLE_ALT_DRIVERS",
        "ZE_AFFINITY_MASK",
    ] {
        if let Some(value) = std::env::var_os(variable) {
            lines.push(("environment", format!("{variable}={}", value.to_string_lossy())));
        }
    }
    let best = Device::best();
    let runs = best.is_ok();
    lines.push((
        "best device",
        best.map_or_else(|error| format!("none: {error}"), |device| device.name().to_owned()),
    ));
    let mut diagnosis = Diagnosis { lines, problem, gpu, runs };
    diagnosis.conclude();
    diagnosis
}

impl Diagnosis {
    /// Adds the last lines: what is wrong, or why nothing is wrong.
    fn conclude(&mut self) {
        let Some(problem) = &self.problem else { return };
        if self.is_healthy() {
            self.lines.push(("no GPU", problem.to_string()));
        } else {
            self.lines.push(("problem", problem.to_string()));
        }
    }

    /// Whether kernels run on the best device of this machine: on its GPU, or on the CPU if there is no Intel GPU or
    /// the program was built without Level Zero.
    ///
    /// ```
    /// let diagnosis = cm::diagnose();
    /// if !diagnosis.is_healthy() {
    ///     eprintln!("{diagnosis}");
    /// }
    /// ```
    #[must_use]
    pub const fn is_healthy(&self) -> bool {
        self.runs
            && match &self.problem {
                None | Some(LevelZeroError::TurnedOff) => true,
                Some(problem) => problem.is_absence() && !self.gpu,
            }
    }

    /// The reason why no GPU can be used; `None` if a GPU can be used.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn healthy(problem: Option<LevelZeroError>, gpu: bool) -> bool {
        Diagnosis { lines: vec![], problem, gpu, runs: true }.is_healthy()
    }

    #[test]
    fn a_machine_without_a_gpu_is_healthy() {
        let no_driver = || Some(LevelZeroError::NoDriver { detail: String::new() });
        assert!(healthy(None, true) && healthy(no_driver(), false));
        assert!(!healthy(no_driver(), true), "the driver of a GPU is missing");
        assert!(healthy(Some(LevelZeroError::TurnedOff), true), "nobody asked for the GPU");
        let denied =
            LevelZeroError::NoPermission { node: "/dev/dri/renderD128".into(), reason: String::new() };
        assert!(!healthy(Some(denied), true));
        assert!(!Diagnosis { lines: vec![], problem: None, gpu: true, runs: false }.is_healthy());
    }
}
