//! Stack for kernel threads.
//!
//! The frame of a kernel grows with the objects that it makes. Without optimisation every one of them has
//! several places of its own, so that a long kernel needs more than threads usually have, and running out of
//! it would end the process. What a kernel needs is estimated from its recording; a kernel that needs much runs
//! on threads made for it. The memory is only reserved: the system provides what is touched.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use super::workers::pool;
use crate::error::{Error, Result};

/// Bytes of stack per byte of the objects that a kernel makes. Measured without optimisation: 9, and twice
/// that for two threads side by side; with optimisation: less than 2.
const PER_BYTE: usize = if cfg!(debug_assertions) { 32 } else { 4 };

/// What the threads of programs are taken to have left: half of what Rust gives one by default.
const ANYWHERE: usize = 1 << 20;

/// What a kernel takes beside its objects, and what prints its lines.
const AROUND: usize = 256 << 10;

/// The largest stack: more is not reserved for a thread.
pub(crate) const LIMIT: usize = if usize::BITS >= 64 { 1 << 30 } else { 64 << 20 };

/// The threads of a pool, with their stacks.
struct Deep {
    threads: usize,
    stack: usize,
    pool: Arc<ThreadPool>,
}

/// The deepest pool for each number of threads.
static DEEP: Mutex<Vec<Deep>> = Mutex::new(Vec::new());

/// Bytes of the stack of a kernel thread that has one of its own, by the bytes of the objects of its kernel.
pub(super) fn own(objects: usize) -> usize {
    objects.saturating_mul(PER_BYTE).saturating_add(AROUND)
}

/// So many threads that can run a kernel whose objects have so many bytes; `None` if every thread can.
///
/// # Errors
/// [`Error::Stack`] if no thread can, [`Error::Threads`] if there are no such threads.
pub(crate) fn deep(kernel: &'static str, objects: usize, threads: usize) -> Result<Option<Arc<ThreadPool>>> {
    let needed = objects.saturating_mul(PER_BYTE);
    if needed <= ANYWHERE {
        return Ok(None);
    }
    // What lies between the start of the thread and the kernel is small beside this.
    let stack = needed.saturating_add(ANYWHERE).checked_next_power_of_two().unwrap_or(usize::MAX);
    if stack > LIMIT {
        return Err(Error::Stack { kernel, needed, limit: LIMIT });
    }
    let mut pools = DEEP.lock().unwrap_or_else(PoisonError::into_inner);
    let known = pools.iter_mut().find(|deep| deep.threads == threads);
    match known {
        Some(deep) if deep.stack >= stack => Ok(Some(Arc::clone(&deep.pool))),
        known => {
            let made = pool(threads, Some(stack))
                .map_err(|source| Error::Threads { threads, source: Box::new(source) })?;
            let made = Deep { threads, stack, pool: Arc::new(made) };
            let pool = Arc::clone(&made.pool);
            // Launches that run in the one before keep it until they end.
            match known {
                Some(deep) => *deep = made,
                None => pools.push(made),
            }
            Ok(Some(pool))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_kernels_run_anywhere_and_endless_ones_nowhere() {
        assert!(deep("k", 0, 1).unwrap().is_none());
        assert!(deep("k", ANYWHERE / PER_BYTE, 1).unwrap().is_none());
        let error = deep("k", LIMIT / PER_BYTE, 1).unwrap_err();
        assert!(matches!(error, Error::Stack { kernel: "k", needed: LIMIT, .. }));
        assert!(error.to_string().contains("opt-level"), "{error}");
        assert!(matches!(deep("k", usize::MAX, 1), Err(Error::Stack { .. })));
    }

    #[test]
    fn deeper_pools_replace_others() {
        let bytes = 2 * ANYWHERE / PER_BYTE;
        let first = deep("k", bytes, 3).unwrap().unwrap();
        assert_eq!(first.current_num_threads(), 3);
        assert!(Arc::ptr_eq(&first, &deep("k", bytes, 3).unwrap().unwrap()));
        let second = deep("k", 8 * bytes, 3).unwrap().unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&second, &deep("k", bytes, 3).unwrap().unwrap()));
    }
}
