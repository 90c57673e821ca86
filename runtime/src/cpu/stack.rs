//! Stack for kernel threads.
//!
//! The frame of a kernel grows with the objects that it creates. Without optimisation each object has several stack
//! slots, so a long kernel needs more stack than threads usually have, and an overflow would end the process. The stack
//! size is estimated from the recording; a kernel that needs a large stack runs on threads created for it. The memory
//! is only reserved: the system provides the pages that are used.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use super::workers::pool;
use crate::error::{Error, Result};

/// The stack that program threads are assumed to have left: half of Rust's default size.
const ANYWHERE: usize = 1 << 20;

/// The stack that a thread that launches is assumed to have left, if threads of a pool could run the kernel instead.
const LAUNCHING: usize = 512 << 10;

/// The stack that a kernel needs in addition to its objects, including printing.
const AROUND: usize = 256 << 10;

/// The largest stack that is reserved for a thread.
pub(crate) const LIMIT: usize = if usize::BITS >= 64 { 1 << 30 } else { 64 << 20 };

/// What the stack of a kernel depends on.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// Bytes of the objects that the kernel makes.
    pub(crate) objects: usize,
    /// Whether its crate is optimised.
    pub(crate) optimised: bool,
}

impl Frame {
    /// Bytes of stack. Measured without optimisation: 9 per byte of the objects, and twice that for two threads together; with
    /// optimisation: less than 2.
    fn bytes(self) -> usize {
        self.objects.saturating_mul(if self.optimised { 4 } else { 32 })
    }
}

/// The threads of a pool, with their stacks.
struct Deep {
    threads: usize,
    stack: usize,
    pool: Arc<ThreadPool>,
}

/// The deepest pool for each number of threads.
static DEEP: Mutex<Vec<Deep>> = Mutex::new(Vec::new());

/// Bytes of the stack of a kernel thread with its own stack.
pub(super) fn own(frame: Frame) -> usize {
    frame.bytes().saturating_add(AROUND)
}

/// Whether threads of a program run a kernel where threads of a pool could.
pub(super) fn is_shallow(frame: Frame) -> bool {
    frame.bytes() <= LAUNCHING
}

/// A pool of this number of threads for a kernel; `None` if every thread can run it.
///
/// # Errors
/// [`Error::Stack`] if no thread can run it, [`Error::Threads`] if such threads cannot be started.
pub(crate) fn deep(kernel: &'static str, frame: Frame, threads: usize) -> Result<Option<Arc<ThreadPool>>> {
    let needed = frame.bytes();
    if needed <= ANYWHERE {
        return Ok(None);
    }
    // The frames between the start of the thread and the kernel are small in comparison.
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
                .map_err(|source| Error::Threads { threads, source: Arc::new(source) })?;
            let made = Deep { threads, stack, pool: Arc::new(made) };
            let pool = Arc::clone(&made.pool);
            // Launches that run in the previous pool keep it until they end.
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

    const BOTH: [bool; 2] = [false, true];

    /// A kernel that needs this number of bytes.
    fn frame(bytes: usize, optimised: bool) -> Frame {
        Frame { objects: bytes / Frame { objects: 1, optimised }.bytes(), optimised }
    }

    #[test]
    fn small_kernels_run_anywhere_and_endless_ones_nowhere() {
        for optimised in BOTH {
            assert!(deep("k", frame(0, optimised), 1).unwrap().is_none());
            assert!(deep("k", frame(ANYWHERE, optimised), 1).unwrap().is_none());
            let error = deep("k", frame(LIMIT, optimised), 1).unwrap_err();
            assert!(matches!(error, Error::Stack { kernel: "k", needed: LIMIT, .. }));
            assert!(error.to_string().contains("optimisation"), "{error}");
            let endless = Frame { objects: usize::MAX, optimised };
            assert!(matches!(deep("k", endless, 1), Err(Error::Stack { .. })));
        }
    }

    /// However this crate is compiled, a kernel that is not optimised has its 9 bytes, twice, and one that is has its 2.
    #[test]
    fn kernels_that_are_not_optimised_need_more() {
        let [slow, fast] = BOTH.map(|optimised| own(Frame { objects: 52 << 10, optimised }));
        assert!(slow >= 18 * (52 << 10) && fast >= 2 * (52 << 10) && fast < slow, "{slow} {fast}");
        let [slow, fast] = BOTH.map(|optimised| is_shallow(Frame { objects: LAUNCHING / 4, optimised }));
        assert!(!slow && fast);
    }

    #[test]
    fn deeper_pools_replace_others() {
        let of = |times: usize| frame(times * 2 * ANYWHERE, false);
        let first = deep("k", of(1), 3).unwrap().unwrap();
        assert_eq!(first.current_num_threads(), 3);
        assert!(Arc::ptr_eq(&first, &deep("k", of(1), 3).unwrap().unwrap()));
        let second = deep("k", of(8), 3).unwrap().unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&second, &deep("k", of(1), 3).unwrap().unwrap()));
    }
}
