//! Runs threads of the media pipeline on the execution units, over all cores of the host, as the scoreboard
//! allows.
//!
//! In order: the next thread that may start has its turn first, then the long-running ones, one after the
//! other. With a seed: threads that may start do so in random order, and take turns of random length on one
//! host thread.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::super::error::Error;
use super::super::host::Host;
use super::super::pool::Pool;
use super::super::shuffle::Random;
use super::super::statistics::THREADS;
use super::super::turn::{RANDOM_THREADS, RANDOM_TURN, TURN, Turn, located, no_barrier, no_dependency, turn};
use super::scoreboard::{Board, Scoreboard};
use super::task::{Objects, Task};
use crate::dispatch::Start;
use crate::eu::Thread;
use crate::settings::HARDWARE_THREADS;
use crate::settings::Settings;

/// A thread that has started.
struct Live {
    number: u32,
    /// The number of its hardware thread.
    slot: u32,
    thread: Thread,
    /// The scoreboard entries that it had when it started.
    entries: u8,
    waits: bool,
}

/// The next action of a host thread.
enum Next {
    Begin { number: u32, slot: u32, on: [Option<u32>; 8] },
    Resume(Box<Live>),
}

/// The state that host threads share.
struct Shared {
    board: Board,
    /// Free hardware threads, and the hardware thread of each started thread.
    free: Vec<u32>,
    slots: Vec<u32>,
    /// Threads that have started and are not on a host thread.
    idle: VecDeque<Box<Live>>,
    random: Option<Random>,
    failure: Option<Error>,
}

struct Crew {
    objects: Objects,
    settings: &'static Settings,
    host: Arc<dyn Host>,
    shared: Mutex<Shared>,
    changed: Condvar,
}

/// Ends the work of the others if a host thread panics. The panic itself goes on to the caller.
struct Ends<'a>(&'a Crew);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().failure.get_or_insert(Error::Stopped);
            self.0.changed.notify_all();
        }
    }
}

/// Runs threads until all have ended.
pub(in crate::streamer) fn run(
    objects: Objects,
    scoreboard: &Scoreboard,
    settings: &'static Settings,
    host: Arc<dyn Host>,
) -> Result<(), Error> {
    let limits = objects.tasks.iter().filter_map(|task| task.walk.scratch.map(|(_, threads)| threads));
    let mut slots = limits.fold(HARDWARE_THREADS, u32::min).max(1);
    let random = |seed| Random::new(seed, objects.tasks[0].walk.number);
    // With another seed, so that it is independent of the turns.
    let beginnings = settings.shuffle.map(|seed| random(!seed));
    let random = settings.shuffle.map(random);
    let threads = objects.threads.iter().map(|thread| (thread.position, thread.mask));
    let board = Board::new(scoreboard, threads, beginnings);
    let mut helpers = settings.threads.min(slots as usize).min(objects.threads.len());
    if random.is_some() {
        slots = slots.min(RANDOM_THREADS);
        helpers = 1;
    }
    let shared = Shared {
        board,
        free: (0..slots).rev().collect(),
        slots: vec![0; objects.threads.len()],
        idle: VecDeque::new(),
        random,
        failure: None,
    };
    let crew = Crew { objects, settings, host, shared: Mutex::new(shared), changed: Condvar::new() };
    let crew = Arc::new(crew);
    if helpers > 1 {
        let own = Arc::clone(&crew);
        Pool::of_process(settings.threads).run(helpers, Arc::new(move |_| own.work()));
    } else {
        crew.work();
    }
    let failure = crew.lock().failure.take();
    failure.map_or(Ok(()), Err)
}

impl Shared {
    /// The next action; `None` if all started threads wait or are on host threads.
    fn next(&mut self) -> Option<Next> {
        if !self.free.is_empty()
            && let Some(number) = self.board.take()
            && let Some(slot) = self.free.pop()
        {
            self.slots[number as usize] = slot;
            let on = self.board.dependencies(number).map(|other| Some(self.slots[other? as usize]));
            return Some(Next::Begin { number, slot, on });
        }
        let able = self.idle.iter().filter(|live| !live.waits).count() as u64;
        let chosen = match &mut self.random {
            _ if able == 0 => return None,
            Some(random) => random.below(able) as usize,
            None => 0,
        };
        let mut able = (0..self.idle.len()).filter(|index| !self.idle[*index].waits);
        let index = able.nth(chosen)?;
        let mut live = self.idle.remove(index)?;
        self.refresh(&mut live);
        Some(Next::Resume(live))
    }

    /// Clears the dependencies of a thread that have ended. Returns the entries of the others.
    fn refresh(&self, live: &mut Live) -> u8 {
        let mut pending = 0;
        for (entry, other) in self.board.dependencies(live.number).iter().enumerate() {
            pending |= u8::from(other.is_some()) << entry;
        }
        live.thread.clear_dependencies(live.entries & !pending);
        live.waits = live.waits && live.thread.dependencies() != 0;
        pending
    }

    /// A thread has ended.
    fn end(&mut self, live: &Live) {
        self.free.push(live.slot);
        self.board.end(live.number);
        if self.board.has_dependencies() {
            let mut idle = std::mem::take(&mut self.idle);
            for live in idle.iter_mut().filter(|live| live.waits) {
                self.refresh(live);
            }
            self.idle = idle;
        }
    }
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn task(&self, number: u32) -> &Task {
        &self.objects.tasks[self.objects.threads[number as usize].task as usize]
    }

    /// Gives turns to threads until all have ended.
    fn work(&self) {
        // Dropped after the lock is released.
        let _ends = Ends(self);
        let mut shared = self.lock();
        while shared.failure.is_none() && shared.board.left() > 0 {
            let Some(next) = shared.next() else {
                shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            // In random order, threads start before any of them has a turn.
            let instructions = match (&mut shared.random, &next) {
                (Some(_), Next::Begin { .. }) => 0,
                (Some(random), Next::Resume(_)) => 1 + random.below(RANDOM_TURN),
                (None, _) => TURN,
            };
            drop(shared);
            let mut live = match next {
                Next::Begin { number, slot, on } => self.begin(number, slot, on),
                Next::Resume(live) => live,
            };
            let walk = &self.task(live.number).walk;
            let done = match instructions {
                0 => Turn::On,
                _ => turn(&mut live.thread, walk, self.settings, &*self.host, instructions),
            };
            shared = self.lock();
            self.settle(&mut shared, live, done);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Starts a thread that depends on these hardware threads.
    fn begin(&self, number: u32, slot: u32, on: [Option<u32>; 8]) -> Box<Live> {
        THREADS.add(1);
        let (task, position) = (self.task(number), self.objects.threads[number as usize].position);
        let start = Start {
            registers: task.registers(position, slot),
            mask: u32::MAX,
            hardware_thread: slot,
            in_group: 0,
            group: [0; 3],
        };
        let mut thread = Thread::new(Arc::clone(&task.walk.program), start, None);
        thread.depend(on);
        if self.settings.trace {
            thread.trace();
        }
        let entries = thread.dependencies();
        Box::new(Live { number, slot, thread, entries, waits: false })
    }

    /// Records the state of a thread after its turn.
    fn settle(&self, shared: &mut Shared, mut live: Box<Live>, done: Turn) {
        let fault = match done {
            Turn::Ended => return shared.end(&live),
            Turn::On => return shared.idle.push_back(live),
            Turn::Dependency => {
                live.waits = true;
                let pending = shared.refresh(&mut live);
                if live.thread.dependencies() & !pending == 0 {
                    return shared.idle.push_back(live);
                }
                no_dependency(&live.thread)
            }
            Turn::Stopped => {
                shared.failure.get_or_insert(Error::Stopped);
                return;
            }
            Turn::Barrier => no_barrier(&live.thread),
            Turn::Fault(fault) => fault,
        };
        let walk = &self.task(live.number).walk;
        let position = self.objects.threads[live.number as usize].position;
        let fault = located(fault, walk, self.settings);
        let (x, y, colour) = (position.x, position.y, position.colour);
        shared.failure.get_or_insert(Error::MediaFault { walker: walk.number, x, y, colour, fault });
    }
}
