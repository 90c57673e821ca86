//! The stretches of a launch, run by the thread that launches and by workers that help.
//!
//! Waking a worker and being woken take as long as a short launch. So the launching thread begins at once. When no stretch is
//! left, it waits for workers that are in one, but not for those that have not come.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::teams::locked;

/// Rounds in which the launching thread looks whether workers have finished, before it sleeps: some microseconds.
const ROUNDS: usize = 64;

/// Pauses in such a round.
const PAUSES: usize = 32;

/// Stretches that a thread takes one after the other: neighbours, which are the same ones in the next launch.
struct Queue {
    next: AtomicUsize,
    end: usize,
}

/// All stretches of a launch, in a queue for each thread.
struct Stretches<'a> {
    queues: Vec<Queue>,
    run: &'a (dyn Fn(usize) + Sync),
}

impl<'a> Stretches<'a> {
    fn new(count: usize, threads: usize, run: &'a (dyn Fn(usize) + Sync)) -> Self {
        let start = |thread: usize| count * thread / threads;
        let queues = (0..threads)
            .map(|thread| Queue { next: AtomicUsize::new(start(thread)), end: start(thread + 1) })
            .collect();
        Self { queues, run }
    }

    /// Runs stretches until none is left: those of this thread, then those of the others.
    fn take(&self, thread: usize) {
        let (others, own) = self.queues.split_at(thread);
        for queue in own.iter().chain(others) {
            loop {
                // A stretch orders nothing: what threads write is read after the end of the launch, which the gate orders.
                let stretch = queue.next.fetch_add(1, Ordering::Relaxed);
                if stretch >= queue.end {
                    break;
                }
                (self.run)(stretch);
            }
        }
    }
}

/// Where workers come in while the launch runs.
struct Gate {
    threads: usize,
    inner: Mutex<Inner>,
    /// Workers that have come in and have not left. It changes while `inner` is locked.
    inside: AtomicUsize,
    left: Condvar,
}

struct Inner {
    /// While the gate is open.
    stretches: Option<Borrowed>,
    panic: Option<Box<dyn Any + Send>>,
}

/// The stretches of a launch, which exist as long as the gate is open or workers are inside.
#[derive(Clone, Copy)]
struct Borrowed(*const Stretches<'static>);

// SAFETY: it is a shared reference to `Stretches`, which is `Sync`: numbers that are atomic or never change, and a function
// that is `Sync`.
unsafe impl Send for Borrowed {}

impl Gate {
    /// A worker helps as thread `number`, if the gate is open, after it has called others.
    fn help(self: Arc<Self>, number: usize) {
        let stretches = {
            let inner = locked(&self.inner);
            let Some(stretches) = inner.stretches else { return };
            self.inside.fetch_add(1, Ordering::Relaxed);
            stretches
        };
        self.call(number, &|gate, next| rayon::spawn(move || gate.help(next)));
        // SAFETY: this worker has come in while the gate was open, and has not left: `Closing` waits for that.
        let stretches = unsafe { &*stretches.0 };
        let result = catch_unwind(AssertUnwindSafe(|| stretches.take(number)));
        let mut inner = locked(&self.inner);
        if let Err(panic) = result {
            inner.panic.get_or_insert(panic);
        }
        self.inside.fetch_sub(1, Ordering::Release);
        self.left.notify_one();
    }

    /// Calls the workers that thread `number` wakes: each wakes two, because that takes microseconds.
    fn call(self: &Arc<Self>, number: usize, spawn: &dyn Fn(Arc<Self>, usize)) {
        (2 * number + 1..=2 * number + 2)
            .filter(|&next| next < self.threads)
            .for_each(|next| spawn(Arc::clone(self), next));
    }

    /// Waits until no worker is inside of the closed gate.
    fn wait(&self) {
        for _ in 0..ROUNDS {
            if self.inside.load(Ordering::Acquire) == 0 {
                return;
            }
            (0..PAUSES).for_each(|_| std::hint::spin_loop());
            std::thread::yield_now();
        }
        let mut inner = locked(&self.inner);
        while self.inside.load(Ordering::Acquire) > 0 {
            inner = self.left.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Closes the gate, even if the launching thread panics, and waits until no worker is inside.
struct Closing<'a>(&'a Gate);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        locked(&self.0.inner).stretches = None;
        self.0.wait();
    }
}

/// Calls `run` for all numbers up to `count`, on this thread and up to `threads - 1` workers. `spawn` starts a task on a worker, or
/// drops it.
///
/// # Panics
/// If `run` does, on any thread.
pub(super) fn run(
    count: usize,
    threads: usize,
    spawn: &dyn Fn(Box<dyn FnOnce() + Send>),
    run: &(dyn Fn(usize) + Sync),
) {
    let stretches = Stretches::new(count, threads, run);
    let borrowed = Borrowed((&raw const stretches).cast());
    let gate = Arc::new(Gate {
        threads,
        inner: Mutex::new(Inner { stretches: Some(borrowed), panic: None }),
        inside: AtomicUsize::new(0),
        left: Condvar::new(),
    });
    {
        let _closing = Closing(&gate);
        gate.call(0, &|gate, next| spawn(Box::new(move || gate.help(next))));
        stretches.take(0);
    }
    let panic = locked(&gate.inner).panic.take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Starts a task on a new thread.
    fn thread(task: Box<dyn FnOnce() + Send>) {
        drop(std::thread::spawn(task));
    }

    #[test]
    fn everything_runs_once() {
        for threads in [1, 2, 3, 8] {
            for count in [0, 1, 2, 7, 100] {
                let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                run(count, threads, &thread, &|n| {
                    done[n].fetch_add(1, Ordering::Relaxed);
                });
                assert!(done.iter().all(|n| n.load(Ordering::Relaxed) == 1), "{count} on {threads} threads");
            }
        }
    }

    #[test]
    fn workers_that_never_come_are_not_waited_for() {
        let done = AtomicUsize::new(0);
        let late = Mutex::new(vec![]);
        run(10, 4, &|task| locked(&late).push(task), &|_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.load(Ordering::Relaxed), 10);
        // They find the gate closed.
        let late = locked(&late).drain(..).collect::<Vec<_>>();
        assert_eq!(late.len(), 2);
        late.into_iter().for_each(|task| task());
    }

    #[test]
    fn workers_inside_are_waited_for() {
        let (came, ended) = (AtomicBool::new(false), AtomicBool::new(false));
        run(2, 2, &thread, &|n| {
            if n == 1 {
                came.store(true, Ordering::Release);
                std::thread::sleep(std::time::Duration::from_millis(20));
                ended.store(true, Ordering::Release);
            }
            while n == 0 && !came.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        });
        assert!(ended.load(Ordering::Acquire));
    }

    #[test]
    fn panics_of_all_threads_arrive_after_the_end() {
        for bad in [0, 1] {
            let came = AtomicUsize::new(0);
            let all = || {
                run(2, 2, &thread, &|n| {
                    came.fetch_add(1, Ordering::AcqRel);
                    while came.load(Ordering::Acquire) < 2 {
                        std::thread::yield_now();
                    }
                    assert!(n != bad, "stretch {n}");
                });
            };
            let panic = catch_unwind(AssertUnwindSafe(all)).unwrap_err();
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(&*format!("stretch {bad}")));
        }
    }
}
