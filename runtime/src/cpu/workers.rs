//! The worker threads of a CPU device.

use std::error::Error as _;
use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::chosen;
use super::isa::Isa;
use crate::error::{Error, Result};
use crate::limits;

/// The worker threads that run the kernel threads.
#[derive(Clone)]
pub(crate) enum Workers {
    /// Rayon's pool of the calling thread, or the global pool.
    Current,
    /// The device's own pool.
    Own(Arc<ThreadPool>),
}

/// Why the pool of `CM_NUM_THREADS` cannot be created. The parts of an error, because `Error` is not `Clone`.
enum Unbounded {
    /// The value is not a number of threads.
    Value(String),
    /// This number of threads cannot be started.
    Start(usize, String),
}

/// The pool of `CM_NUM_THREADS`; one for the whole process.
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

/// Starts rayon's global pool: its first use would panic if threads cannot be started.
fn started() -> Result<()> {
    static STARTED: LazyLock<std::result::Result<(), String>> = LazyLock::new(|| {
        // Without threads, rayon runs everything on the calling thread, but only if its pool was not started
        // before.
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

/// The number of threads of rayon's global pool, by rayon's own rule.
fn wanted() -> usize {
    let named = std::env::var("RAYON_NUM_THREADS").ok().and_then(|value| value.parse().ok());
    let named = named.filter(|&threads: &usize| threads > 0);
    named.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Threads with stacks of this size, or of the default size.
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
    /// The pool of `CM_NUM_THREADS`, otherwise the caller's pool.
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

    /// A pool with this number of threads.
    pub(crate) fn new(threads: usize) -> Result<Self> {
        if !(1..=limits::WORKERS).contains(&threads) {
            return Err(Error::ThreadCount { threads });
        }
        let pool =
            pool(threads, None).map_err(|source| Error::Threads { threads, source: Box::new(source) })?;
        Ok(Self::Own(Arc::new(pool)))
    }

    /// Calls `run` so that its rayon tasks go to these threads.
    pub(crate) fn install<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Current => run(),
            Self::Own(pool) => pool.install(run),
        }
    }

    /// Starts a task on one of these threads, from a thread that is [outside](Self::outside) of all pools.
    pub(super) fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        match self {
            Self::Current => rayon::spawn(task),
            Self::Own(pool) => pool.spawn(task),
        }
    }

    /// These threads, if the calling thread is not in a pool of rayon. Threads of a pool take other tasks while they wait.
    pub(super) fn outside(&self) -> Option<&Self> {
        rayon::current_thread_index().is_none().then_some(self)
    }

    /// The number of worker threads for a launch from this thread.
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
    /// [`Error::Environment`] for `CM_CPU_ISA` and `CM_CPU_ENGINE`, and the errors of [`count`](Self::count).
    pub(crate) fn name(&self, reason: &str) -> Result<Arc<str>> {
        let threads = self.count()?;
        chosen::asked()?;
        let plural = if threads == 1 { "" } else { "s" };
        let because = if reason.is_empty() { String::new() } else { format!("; {reason}") };
        Ok(format!("CPU ({}, {threads} thread{plural}{because})", Isa::chosen()?).into())
    }
}
