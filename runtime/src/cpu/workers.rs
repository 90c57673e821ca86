//! The worker threads of a CPU device.

use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::chosen;
use super::isa::Isa;
use crate::environment;
use crate::error::{Error, Result};
use crate::limits;

/// The worker threads that run the kernel threads.
#[derive(Clone)]
pub(crate) enum Workers {
    /// Rayon's pool of the calling thread, or the global pool.
    Current,
    /// The device's own pool.
    Own(Arc<ThreadPool>, Calls),
}

/// How many tasks wait for a thread of a pool.
type Calls = Arc<AtomicUsize>;

/// The tasks that may wait for a pool. Its threads may be busy for as long as a program launches kernels, which need no help.
const MOST_CALLS: usize = 256;

static CALLS_OF_GLOBAL_POOL: LazyLock<Calls> = LazyLock::new(Calls::default);

/// The pool of `CM_NUM_THREADS`, if it is set; one for the whole process.
static BOUNDED: LazyLock<Result<Option<Workers>>> = LazyLock::new(|| {
    let threads = environment::choice("CM_NUM_THREADS", |value| match value.trim().parse() {
        Ok(threads) if (1..=limits::WORKERS).contains(&threads) => Ok(threads),
        _ => Err("a number of threads, 1 to 1024"),
    })?;
    threads.map(Workers::new).transpose()
});

/// Starts rayon's global pool: its first use would panic if threads cannot be started.
fn started() -> Result<()> {
    static STARTED: LazyLock<Result<()>> = LazyLock::new(|| {
        // Without threads, rayon runs everything on the calling thread, but only if its pool was not started
        // before.
        if cfg!(target_family = "wasm") {
            return Ok(());
        }
        match ThreadPoolBuilder::new().build_global() {
            // The other error, without a source, is that the pool has been started.
            Err(error) if error.source().is_some() => {
                Err(Error::Threads { threads: wanted(), source: Arc::new(error) })
            }
            _ => Ok(()),
        }
    });
    STARTED.clone()
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
        Ok(BOUNDED.clone()?.unwrap_or(Self::Current))
    }

    /// A pool with this number of threads.
    pub(crate) fn new(threads: usize) -> Result<Self> {
        if !(1..=limits::WORKERS).contains(&threads) {
            return Err(Error::ThreadCount { threads });
        }
        let pool =
            pool(threads, None).map_err(|source| Error::Threads { threads, source: Arc::new(source) })?;
        Ok(Self::of(pool))
    }

    fn of(pool: ThreadPool) -> Self {
        Self::Own(Arc::new(pool), Calls::default())
    }

    /// Calls `run` so that its rayon tasks go to these threads.
    pub(crate) fn install<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Current => run(),
            Self::Own(pool, _) => pool.install(run),
        }
    }

    /// Starts a task on one of these threads, from a thread that is [outside](Self::outside) of all pools; or drops it, if
    /// many wait already.
    pub(super) fn call(&self, task: Box<dyn FnOnce() + Send>) {
        let calls = match self {
            Self::Current => Arc::clone(&CALLS_OF_GLOBAL_POOL),
            Self::Own(_, calls) => Arc::clone(calls),
        };
        if calls.fetch_add(1, Ordering::Relaxed) >= MOST_CALLS {
            calls.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let task = move || {
            calls.fetch_sub(1, Ordering::Relaxed);
            task();
        };
        match self {
            Self::Current => rayon::spawn(task),
            Self::Own(pool, _) => pool.spawn(task),
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
            Self::Own(pool, _) => Ok(pool.current_num_threads()),
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn busy_threads_are_not_called_without_end() {
        let workers = Workers::new(1).unwrap();
        let (busy, started) = (Arc::new(Mutex::new(())), Arc::new(AtomicUsize::new(0)));
        let held = busy.lock().unwrap();
        let call = || {
            let (busy, started) = (Arc::clone(&busy), Arc::clone(&started));
            workers.call(Box::new(move || {
                drop(busy.lock().unwrap());
                started.fetch_add(1, Ordering::Relaxed);
            }));
        };
        (0..10 * MOST_CALLS).for_each(|_| call());
        drop(held);
        // Behind all others.
        workers.install(|| {});
        // The first one may have been started before the others were called.
        let all = started.load(Ordering::Relaxed);
        assert!((MOST_CALLS..=MOST_CALLS + 1).contains(&all), "{all}");
        call();
        workers.install(|| {});
        assert_eq!(started.load(Ordering::Relaxed), all + 1);
    }
}
