//! Devices.

use std::fmt;
use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cpu::Isa;
use crate::{Error, Result};

/// A device that runs kernels.
///
/// Cloning is cheap: clones are the same device.
#[derive(Clone)]
pub struct Device {
    name: Arc<str>,
    workers: Workers,
}

/// Which worker threads run the kernel threads.
#[derive(Clone)]
enum Workers {
    /// Rayon's pool of the calling thread, the global one if there is no other.
    Current,
    /// A pool of the device's own.
    Own(Arc<ThreadPool>),
}

/// The pool that `CM_NUM_THREADS` asks for; one for the whole process.
static BOUNDED: LazyLock<std::result::Result<Option<Arc<ThreadPool>>, String>> = LazyLock::new(|| {
    let value = match std::env::var("CM_NUM_THREADS") {
        Ok(value) => value,
        Err(std::env::VarError::NotPresent) => return Ok(None),
        Err(std::env::VarError::NotUnicode(value)) => return Err(value.to_string_lossy().into_owned()),
    };
    match value.trim().parse::<usize>() {
        Ok(threads) if (1..=Device::MAX_THREADS).contains(&threads) => {
            pool(threads).map(|pool| Some(Arc::new(pool))).map_err(|_| value)
        }
        _ => Err(value),
    }
});

fn pool(threads: usize) -> std::result::Result<ThreadPool, rayon::ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("cm-{i}")).build()
}

impl Device {
    /// The most worker threads that a CPU device can have.
    pub const MAX_THREADS: usize = 1024;

    /// The best device there is, or the one that the environment variable `CM_DEVICE` names (`cpu` or
    /// `level-zero`). The [`name`](Self::name) and a `tracing` event say which it is and why.
    ///
    /// # Errors
    /// If `CM_DEVICE` names a device that is not there or is not a device, or as [`cpu`](Self::cpu) does.
    pub fn best() -> Result<Self> {
        let device = match std::env::var("CM_DEVICE") {
            Ok(value) => match &*value {
                "cpu" => Self::cpu_because("CM_DEVICE=cpu")?,
                "level-zero" => Self::level_zero()?,
                _ => return Err(unknown_device(value)),
            },
            Err(std::env::VarError::NotPresent) => {
                Self::cpu_because("this version has no Level Zero execution")?
            }
            Err(std::env::VarError::NotUnicode(value)) => {
                return Err(unknown_device(value.to_string_lossy().into()));
            }
        };
        tracing::info!(device = device.name(), "device chosen");
        Ok(device)
    }

    /// The CPU: kernels run on all cores, in rayon's pool of the thread that launches them.
    ///
    /// The environment variable `CM_NUM_THREADS` gives all such devices one pool of that many threads instead.
    ///
    /// # Errors
    /// [`Error::Environment`] if `CM_NUM_THREADS` is not a number of threads, or `CM_CPU_ISA` (`baseline`, `avx2`,
    /// `avx512`: for comparing instruction sets) not an instruction set of this machine.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// assert!(device.name().starts_with("CPU"));
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn cpu() -> Result<Self> {
        Self::cpu_because("")
    }

    /// The CPU with a pool of `threads` worker threads.
    ///
    /// # Errors
    /// [`Error::ThreadCount`] if `threads` is 0 or above [`MAX_THREADS`](Self::MAX_THREADS), [`Error::Threads`] if the
    /// system cannot start them, [`Error::Environment`] for `CM_CPU_ISA` as in [`cpu`](Self::cpu).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let quiet = Device::cpu_with_threads(1)?;
    /// assert!(Device::cpu_with_threads(0).is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn cpu_with_threads(threads: usize) -> Result<Self> {
        if !(1..=Self::MAX_THREADS).contains(&threads) {
            return Err(Error::ThreadCount { threads });
        }
        let pool = pool(threads).map_err(|source| Error::Threads { threads, source })?;
        Ok(Self { name: name(threads, "")?, workers: Workers::Own(Arc::new(pool)) })
    }

    /// A GPU by Level Zero.
    ///
    /// # Errors
    /// Always [`Error::LevelZeroUnavailable`] in this version.
    pub fn level_zero() -> Result<Self> {
        Err(Error::LevelZeroUnavailable)
    }

    /// What the device is, with its instruction set and worker threads, and why it was chosen.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn cpu_because(reason: &str) -> Result<Self> {
        match &*BOUNDED {
            Ok(Some(pool)) => {
                let name = name(pool.current_num_threads(), reason)?;
                Ok(Self { name, workers: Workers::Own(Arc::clone(pool)) })
            }
            Ok(None) => {
                Ok(Self { name: name(rayon::current_num_threads(), reason)?, workers: Workers::Current })
            }
            Err(value) => Err(Error::Environment {
                variable: "CM_NUM_THREADS",
                value: value.clone(),
                expected: "a number of threads, 1 to 1024",
            }),
        }
    }

    /// Calls `run` where its rayon tasks go to the device's worker threads.
    pub(crate) fn install<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        match &self.workers {
            Workers::Current => run(),
            Workers::Own(pool) => pool.install(run),
        }
    }

    /// How many worker threads there are for a launch from this thread.
    pub(crate) fn workers(&self) -> usize {
        match &self.workers {
            Workers::Current => rayon::current_num_threads(),
            Workers::Own(pool) => pool.current_num_threads(),
        }
    }
}

fn unknown_device(value: String) -> Error {
    Error::Environment { variable: "CM_DEVICE", value, expected: "`cpu` or `level-zero`" }
}

fn name(threads: usize, reason: &str) -> Result<Arc<str>> {
    let plural = if threads == 1 { "" } else { "s" };
    let because = if reason.is_empty() { String::new() } else { format!("; {reason}") };
    Ok(format!("CPU ({}, {threads} thread{plural}{because})", Isa::chosen()?).into())
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.name).finish_non_exhaustive()
    }
}
