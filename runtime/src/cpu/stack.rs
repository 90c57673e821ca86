//! Stack for kernel threads.
//!
//! The frame of a kernel grows with the objects that it creates. Without optimisation each object has several stack
//! slots, so a long kernel needs more stack than threads usually have, and an overflow would end the process. The stack
//! size is estimated from the recording; a kernel that needs a large stack runs on threads created for it. The memory
//! is only reserved: the system provides the pages that are used.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

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

/// The pools of the last launches of deep kernels: the deepest one of each number of threads, the last used one at the end.
struct Pools(Mutex<Vec<Deep>>);

/// Those of this process.
static DEEP: Pools = Pools(Mutex::new(Vec::new()));

/// The most pools that are kept: few programs have devices with more numbers of threads.
const KEPT: usize = 4;

impl Pools {
    /// A pool of this number of threads with stacks of at least so many bytes.
    fn get(&self, threads: usize, stack: usize) -> Result<Arc<ThreadPool>> {
        let mut pools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pools.iter().position(|deep| deep.threads == threads && deep.stack >= stack);
        let deep = match known {
            Some(known) => pools.remove(known),
            None => {
                let pool = pool(threads, Some(stack))
                    .map_err(|source| Error::Threads { threads, source: Arc::new(source) })?;
                // Launches that run in another pool keep it until they end.
                pools.retain(|deep| deep.threads != threads);
                if pools.len() == KEPT {
                    pools.remove(0);
                }
                Deep { threads, stack, pool: Arc::new(pool) }
            }
        };
        let pool = Arc::clone(&deep.pool);
        pools.push(deep);
        Ok(pool)
    }
}

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
    let stack = of_thread(kernel, needed)?;
    DEEP.get(threads, stack).map(Some)
}

/// Runs a launch on a thread of its own, for kernel threads with stacks that are just large enough for their kernel.
///
/// # Errors
/// [`Error::Stack`] if no thread can run it, [`Error::Threads`] if the thread cannot be started.
pub(super) fn alone(kernel: &'static str, frame: Frame, run: impl FnOnce() + Send) -> Result<()> {
    let builder = thread::Builder::new().stack_size(of_thread(kernel, frame.bytes())?);
    let ended = thread::scope(|scope| builder.spawn_scoped(scope, run).map(thread::ScopedJoinHandle::join));
    match ended {
        Ok(ended) => ended.map_err(|panic| resume_unwind(panic)),
        Err(source) => Err(Error::Threads { threads: 1, source: Arc::new(source) }),
    }
}

/// Bytes of the stack of a thread that runs a kernel which needs this number.
fn of_thread(kernel: &'static str, needed: usize) -> Result<usize> {
    // The frames between the start of the thread and the kernel are small in comparison.
    let stack = needed.saturating_add(ANYWHERE).checked_next_power_of_two().unwrap_or(usize::MAX);
    if stack > LIMIT { Err(Error::Stack { kernel, needed, limit: LIMIT }) } else { Ok(stack) }
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
        let pools = Pools(Mutex::new(vec![]));
        let first = pools.get(3, 2 * ANYWHERE).unwrap();
        assert_eq!(first.current_num_threads(), 3);
        assert!(Arc::ptr_eq(&first, &pools.get(3, 2 * ANYWHERE).unwrap()));
        let second = pools.get(3, 8 * ANYWHERE).unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&second, &pools.get(3, 2 * ANYWHERE).unwrap()));
    }

    /// The threads of a pool end when others have taken its place.
    #[test]
    fn few_pools_are_kept() {
        let pools = Pools(Mutex::new(vec![]));
        let first = Arc::downgrade(&pools.get(1, ANYWHERE).unwrap());
        let others = 2..2 + KEPT;
        others.clone().for_each(|threads| drop(pools.get(threads, ANYWHERE).unwrap()));
        assert!(first.upgrade().is_none());
        let last = Arc::downgrade(&pools.get(others.start, ANYWHERE).unwrap());
        drop(pools.get(1, ANYWHERE).unwrap());
        assert!(last.upgrade().is_some(), "used last");
    }
}
