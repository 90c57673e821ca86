//! Host threads that help with walkers.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

/// The work of each helper, with its number.
type Work = Arc<dyn Fn(usize) + Send + Sync>;

/// The helpers of a task that have not ended.
#[derive(Default)]
struct Latch {
    left: Mutex<usize>,
    ended: Condvar,
    /// The first panic of a helper.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

struct Ticket {
    work: Work,
    helper: usize,
    latch: Arc<Latch>,
}

/// Host threads that wait for work.
pub(super) struct Pool {
    tickets: Mutex<VecDeque<Ticket>>,
    arrived: Condvar,
}

impl Pool {
    /// The pool of this process, with threads for this many helpers. The first call determines the number.
    pub(super) fn of_process(helpers: usize) -> &'static Self {
        static POOL: OnceLock<&'static Pool> = OnceLock::new();
        POOL.get_or_init(|| Self::new(helpers))
    }

    /// A pool with threads for this many helpers, which never end.
    fn new(helpers: usize) -> &'static Self {
        let pool: &'static Self =
            Box::leak(Box::new(Self { tickets: Mutex::default(), arrived: Condvar::new() }));
        for number in 1..helpers {
            let name = format!("cm-gpu-eu-{number}");
            // If the system has no more threads, the existing ones do all the work.
            let _ = std::thread::Builder::new().name(name).spawn(|| pool.help());
        }
        pool
    }

    /// Calls `work` concurrently with the numbers from 0 on, and returns when all calls have returned.
    /// Numbers without a free thread are skipped; 0 is always the caller.
    ///
    /// # Panics
    /// If a call panics, when all calls have returned.
    pub(super) fn run(&self, helpers: usize, work: Work) {
        let latch = Arc::new(Latch::default());
        if helpers > 1 {
            *latch.left.lock().unwrap_or_else(PoisonError::into_inner) = helpers - 1;
            let ticket = |helper| Ticket { work: Arc::clone(&work), helper, latch: Arc::clone(&latch) };
            let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
            tickets.extend((1..helpers).map(ticket));
            drop(tickets);
            self.arrived.notify_all();
        }
        let own = catch_unwind(AssertUnwindSafe(|| work(0)));
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        let before = tickets.len();
        tickets.retain(|ticket| !Arc::ptr_eq(&ticket.latch, &latch));
        let unused = before - tickets.len();
        drop(tickets);
        let mut left = latch.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left -= unused;
        while *left > 0 {
            left = latch.ended.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
        drop(left);
        let others = latch.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = own.err().or(others) {
            resume_unwind(panic);
        }
    }

    fn help(&self) {
        loop {
            let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
            let ticket = loop {
                match tickets.pop_front() {
                    Some(ticket) => break ticket,
                    None => tickets = self.arrived.wait(tickets).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(tickets);
            // A panic is the caller's, who waits, and whose work this is. This thread goes on with other work.
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (ticket.work)(ticket.helper))) {
                ticket.latch.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
            *ticket.latch.left.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            ticket.latch.ended.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    #[test]
    fn a_panic_of_a_helper_is_the_callers() {
        // Its own: the pool of the process may have fewer threads.
        let (pool, begin) = (Pool::new(3), Instant::now());
        for panicking in [0, 1, 2] {
            for _ in 0..20 {
                let started = Arc::new(AtomicUsize::new(0));
                let work = move |helper| {
                    started.fetch_add(1, Ordering::SeqCst);
                    // All numbers have a thread.
                    while started.load(Ordering::SeqCst) < 3 {
                        assert!(begin.elapsed().as_secs() < 60, "a number has no thread");
                        std::thread::yield_now();
                    }
                    if helper == panicking {
                        resume_unwind(Box::new(helper));
                    }
                };
                let panic = catch_unwind(AssertUnwindSafe(|| pool.run(3, Arc::new(work)))).unwrap_err();
                assert_eq!(panic.downcast_ref(), Some(&panicking));
            }
        }
    }

    #[test]
    fn all_work_is_done_when_run_returns() {
        let pool = Pool::of_process(3);
        let askers: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(|| {
                    for _ in 0..200 {
                        let (next, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
                        let counts = Arc::clone(&done);
                        let work = move |_| {
                            while next.fetch_add(1, Ordering::SeqCst) < 100 {
                                counts.fetch_add(1, Ordering::SeqCst);
                            }
                        };
                        pool.run(3, Arc::new(work));
                        assert_eq!(done.load(Ordering::SeqCst), 100);
                    }
                })
            })
            .collect();
        for asker in askers {
            asker.join().expect("no panic");
        }
    }
}
