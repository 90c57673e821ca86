//! The worker threads of a CPU device.

use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

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

/// The pool that `CM_NUM_THREADS` asks for; one for the whole process.
static BOUNDED: LazyLock<std::result::Result<Option<Arc<ThreadPool>>, String>> = LazyLock::new(|| {
    let value = match std::env::var("CM_NUM_THREADS") {
        Ok(value) => value,
        Err(std::env::VarError::NotPresent) => return Ok(None),
        Err(std::env::VarError::NotUnicode(value)) => return Err(value.to_string_lossy().into_owned()),
    };
    match value.trim().parse::<usize>() {
        Ok(threads) if (1..=limits::WORKERS).contains(&threads) => {
            pool(threads, None).map(|pool| Some(Arc::new(pool))).map_err(|_| value)
        }
        _ => Err(value),
    }
});

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
            Err(value) => Err(Error::Environment {
                variable: "CM_NUM_THREADS",
                value: value.clone(),
                expected: "a number of threads, 1 to 1024",
            }),
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
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Current => rayon::current_num_threads(),
            Self::Own(pool) => pool.current_num_threads(),
        }
    }

    /// The name of a device with these threads, chosen for a reason.
    ///
    /// # Errors
    /// [`Error::Environment`] for `CM_CPU_ISA`.
    pub(crate) fn name(&self, reason: &str) -> Result<Arc<str>> {
        let threads = self.count();
        let plural = if threads == 1 { "" } else { "s" };
        let because = if reason.is_empty() { String::new() } else { format!("; {reason}") };
        Ok(format!("CPU ({}, {threads} thread{plural}{because})", Isa::chosen()?).into())
    }
}
