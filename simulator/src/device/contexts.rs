//! Contexts: each has a queue of batches, and a host thread that is its command streamer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::abi::{Answer, Errno};
use super::address_space::AddressSpace;
use super::buffers::end_use;
use crate::log::error;
use crate::settings::{Mode, Settings};
use crate::streamer::{Error, Host, Streamer};

/// How long a destroyed context may continue.
const DRAIN: Duration = Duration::from_secs(5);

/// A batch and its environment.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) space: Arc<AddressSpace>,
    /// The address of its first command.
    pub(super) batch: u64,
}

/// The parameters that a program sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    pub(super) priority: u64,
    pub(super) recoverable: u64,
    pub(super) persistence: u64,
    pub(super) address_space: u32,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// The numbers of jobs.
    submitted: u64,
    ended: u64,
    /// Whether the running batch waits for an external event.
    stalled: bool,
    worker: Option<JoinHandle<()>>,
}

/// A context.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) id: u32,
    pub(super) parameters: Mutex<Parameters>,
    settings: &'static Settings,
    queue: Mutex<Queue>,
    changed: Condvar,
    stopped: AtomicBool,
    hung: AtomicBool,
}

impl Host for Context {
    fn stalled(&self, stalled: bool) {
        self.lock().stalled = stalled;
        self.changed.notify_all();
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Context {
    pub(super) fn new(id: u32, settings: &'static Settings) -> Self {
        let parameters = Parameters { priority: 0, recoverable: 1, persistence: 1, address_space: 0 };
        Self {
            id,
            parameters: Mutex::new(parameters),
            settings,
            queue: Mutex::default(),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
            hung: AtomicBool::new(false),
        }
    }

    /// If a thread panics, the queue is still consistent.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one of its batches has faulted.
    pub(super) fn is_hung(&self) -> bool {
        self.hung.load(Ordering::SeqCst)
    }

    /// Queues a batch. In mode `hybrid`, it returns when the batch has ended or waits.
    pub(super) fn submit(self: &Arc<Self>, job: Job) -> Answer {
        if self.is_hung() {
            return Err(Errno(libc::EIO));
        }
        let mut queue = self.lock();
        if queue.worker.is_none() {
            let context = Arc::clone(self);
            let name = format!("cm-gpu-{}", self.id);
            let worker = std::thread::Builder::new().name(name).spawn(move || context.work());
            queue.worker = Some(worker.map_err(|_| Errno(libc::ENOMEM))?);
        }
        for buffer in job.space.buffers() {
            buffer.begin_use();
        }
        queue.waiting.push_back(job);
        queue.submitted += 1;
        let number = queue.submitted;
        self.changed.notify_all();
        if self.settings.mode == Mode::Hybrid {
            let goes_on = |queue: &mut Queue| {
                queue.ended < number && !queue.stalled && !self.is_hung() && !self.stopped()
            };
            let waited = self.changed.wait_timeout_while(queue, self.settings.wait, goes_on);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
        Ok(())
    }

    /// Runs batches until the context ends.
    fn work(self: &Arc<Self>) {
        let mut streamer = Streamer::new(self.settings);
        loop {
            let mut queue = self.lock();
            let job = loop {
                if let Some(job) = queue.waiting.pop_front() {
                    break job;
                }
                if self.stopped() {
                    return;
                }
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            if !self.settings.delay.is_zero() {
                std::thread::sleep(self.settings.delay);
            }
            if !self.is_hung() {
                self.run(&mut streamer, &job);
            }
            end_use(job.space.buffers());
            // Buffers that only this batch kept alive are dropped here, without the lock.
            drop(job);
            self.lock().ended += 1;
            self.changed.notify_all();
        }
    }

    fn run(self: &Arc<Self>, streamer: &mut Streamer, job: &Job) {
        let (memory, host) = (Arc::clone(&job.space), Arc::clone(self));
        // A panic is a bug of the simulator. The program sees it as a lost device, and does not wait forever.
        let run = std::panic::AssertUnwindSafe(|| streamer.run(memory, job.batch, host));
        let why = match std::panic::catch_unwind(run) {
            Ok(Ok(()) | Err(Error::Stopped)) => return,
            Ok(Err(why)) => why.to_string(),
            Err(_) => "the simulator panicked, which is a bug of it".to_owned(),
        };
        error(format_args!("{why}"));
        if self.settings.faults_hang {
            error(format_args!("context {}: batch at {:#x} faulted: the device is lost", self.id, job.batch));
            if self.settings.debug_info.is_none() {
                error(format_args!(
                    "`cm-simulator run --debug-info=FOLDER` names the lines of kernels of cm"
                ));
            }
            self.hung.store(true, Ordering::SeqCst);
        }
    }

    /// Stops the context, after its batches if they end soon.
    pub(super) fn stop(&self) {
        let busy = |queue: &mut Queue| queue.ended < queue.submitted;
        let waited = self.changed.wait_timeout_while(self.lock(), DRAIN, busy);
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        self.stopped.store(true, Ordering::Relaxed);
        let worker = queue.worker.take();
        drop(queue);
        self.changed.notify_all();
        if let Some(worker) = worker {
            // It cannot have panicked, because `run` catches panics.
            let _ = worker.join();
        }
    }
}
