//! The worker threads of a CPU device.

use std::error::Error as _;
use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::chosen;
use super::isa::Isa;
use crate::error::{Error, Result};
use crate::limits;

/// Which worker threads run the kernel threads.
#[derive(Clone)]
pub(crate) enum Workers {
    /// Rayon's pool of the calling thread, the global one if there is no other.
    Current,
    /// A pool of the device's own.
    Own(Arc<ThreadPool>),
}

/// Why there is no pool as `CM_NUM_THREADS` asks for. The parts of an error, because `Error` is not `Clone`.
enum Unbounded {
    /// It says something else than a number of threads.
    Value(String),
    /// So many threads cannot be started.
    Start(usize, String),
}

/// The pool that `CM_NUM_THREADS` asks for; one for the whole process.
static BOUNDED: LazyLock<std::result::Result<Option<Arc<ThreadPool>>, Unbounded>> = LazyLock::new(|| {
    let value = match std::env::var("CM_NUM_THREADS") {
        Ok(value) => value,
        Err(std::env::VarError::NotPresent) => return Ok(None),
        Err(std::env::VarError::NotUnicode(value)) => {
            return Err(Unbounded::Value(value.to_string_lossy().into_owned()));
        }
    };
    match value.trim().parse::<usize>() {
        Ok(threads) if (1..=limits::WORKERS).contains(&threads) => pool(threads, None)
            .map(|pool| Some(Arc::new(pool)))
            .map_err(|error| Unbounded::Start(threads, error.to_string())),
        _ => Err(Unbounded::Value(value)),
    }
});

/// Starts rayon's global pool: its first use would panic where threads cannot be started.
fn started() -> Result<()> {
    static STARTED: LazyLock<std::result::Result<(), String>> = LazyLock::new(|| {
        // Without threads rayon runs everything on the calling one, but only if nobody starts the pool before.
        if cfg!(target_family = "wasm") {
            return Ok(());
        }
        match ThreadPoolBuilder::new().build_global() {
            // The other error, without a source, is that the pool has been started.
            Err(error) if error.source().is_some() => Err(error.to_string()),
            _ => Ok(()),
        }
    });
    STARTED.clone().map_err(|reason| Error::Threads { threads: wanted(), source: reason.into() })
}

/// How many threads rayon's global pool is to have, by rayon's own rule.
fn wanted() -> usize {
    let named = std::env::var("RAYON_NUM_THREADS").ok().and_then(|value| value.parse().ok());
    let named = named.filter(|&threads: &usize| threads > 0);
    named.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Threads, with stacks of so many bytes or as large as usual.
pub(super) fn pool(
    threads: usize,
    stack: Option<usize>,
) -> std::result::Result<ThreadPool, rayon::ThreadPoolBuildError> {
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("cm-{i}"));
    match stack {
        Some(bytes) => builder.stack_size(bytes).build(),
        None => builder.build(),
    }
}

impl Workers {
    /// What `CM_NUM_THREADS` says, else the caller's pool.
    pub(crate) fn from_environment() -> Result<Self> {
        match &*BOUNDED {
            Ok(Some(pool)) => Ok(Self::Own(Arc::clone(pool))),
            Ok(None) => Ok(Self::Current),
            Err(Unbounded::Value(value)) => Err(Error::Environment {
                variable: "CM_NUM_THREADS",
                value: value.clone(),
                expected: "a number of threads, 1 to 1024",
            }),
            Err(Unbounded::Start(threads, reason)) => {
                Err(Error::Threads { threads: *threads, source: reason.clone().into() })
            }
        }
    }

    /// A pool of so many threads.
    pub(crate) fn new(threads: usize) -> Result<Self> {
        if !(1..=limits::WORKERS).contains(&threads) {
            return Err(Error::ThreadCount { threads });
        }
        let pool =
            pool(threads, None).map_err(|source| Error::Threads { threads, source: Box::new(source) })?;
        Ok(Self::Own(Arc::new(pool)))
    }

    /// Calls `run` where its rayon tasks go to these threads.
    pub(crate) fn install<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Current => run(),
            Self::Own(pool) => pool.install(run),
        }
    }

    /// How many there are for a launch from this thread.
    ///
    /// # Errors
    /// [`Error::Threads`] if rayon's global pool is used and cannot be started.
    pub(crate) fn count(&self) -> Result<usize> {
        match self {
            Self::Current => {
                if rayon::current_thread_index().is_none() {
                    started()?;
                }
                Ok(rayon::current_num_threads())
            }
            Self::Own(pool) => Ok(pool.current_num_threads()),
        }
    }

    /// The name of a device with these threads, chosen for a reason.
    ///
    /// # Errors
    /// [`Error::Environment`] for `CM_CPU_ISA` and `CM_CPU_ENGINE`, and as [`count`](Self::count).
    pub(crate) fn name(&self, reason: &str) -> Result<Arc<str>> {
        let threads = self.count()?;
        chosen::asked()?;
        let plural = if threads == 1 { "" } else { "s" };
        let because = if reason.is_empty() { String::new() } else { format!("; {reason}") };
        Ok(format!("CPU ({}, {threads} thread{plural}{because})", Isa::chosen()?).into())
    }
}
