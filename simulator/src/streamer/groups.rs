//! Runs the groups of a walker on the execution units, over all cores of the host.
//!
//! In groups without a barrier, threads run one after the other. With a barrier, all threads run to the
//! barrier before any passes it. A long-running thread is interrupted, so that the threads it may wait for
//! can run. With a seed, groups run in random order, and the threads of several groups take turns of random
//! length on one host thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::Error;
use super::host::Host;
use super::payload::{POISON, Place};
use super::pool::Pool;
use super::shuffle::{Permutation, Random};
use super::statistics::THREADS;
use super::turn::{RANDOM_THREADS, RANDOM_TURN, TURN, Turn, located, no_barrier, no_dependency, turn};
use super::walk::Walk;
use crate::dispatch::Start;
use crate::eu::{Barriers, Thread};
use crate::generation::Generation;
use crate::memory::Block;
use crate::settings::HARDWARE_THREADS;
use crate::settings::Settings;

/// The number of groups that a host thread takes at once.
const CHUNK: u64 = 64;

/// A thread of a group.
struct Running {
    thread: Thread,
    number: u32,
    waits: bool,
    /// Whether it executed nothing in its last turn, because it still waits.
    stuck: bool,
}

/// A group some of whose threads have started.
struct Group {
    number: [u32; 3],
    /// Its index among the running groups. It determines the numbers of hardware threads.
    slot: u32,
    shared: Option<Block>,
    /// Barriers at which threads signal and wait separately.
    barriers: Option<Barriers>,
    /// The next thread to start.
    next: u32,
    running: Vec<Running>,
    /// Whether a thread has advanced since all of them waited.
    moved: bool,
}

/// A running walker.
struct Run {
    walk: Walk,
    settings: &'static Settings,
    host: Arc<dyn Host>,
    groups: u64,
    next: AtomicU64,
    failed: AtomicBool,
    failure: Mutex<Option<Error>>,
}

/// Runs all groups of a walker.
pub(super) fn run(walk: Walk, settings: &'static Settings, host: Arc<dyn Host>) -> Result<(), Error> {
    let groups = walk.walker.extent().iter().product();
    let slots = slots(&walk);
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let run = Arc::new(Run { walk, settings, host, groups, next, failed, failure: Mutex::default() });
    if let Some(seed) = settings.shuffle {
        run.in_random_order(seed, slots);
    } else {
        let helpers = settings.threads.min(slots as usize).min(usize::try_from(groups).unwrap_or(usize::MAX));
        if helpers <= 1 {
            run.in_order(0, slots);
        } else {
            let (own, each) = (Arc::clone(&run), slots / helpers as u32);
            let work = move |helper: usize| own.in_order(helper as u32 * each, each);
            Pool::of_process(settings.threads).run(helpers, Arc::new(work));
        }
    }
    let failure = run.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    failure.map_or(Ok(()), Err)
}

/// The number of groups that can run at once.
fn slots(walk: &Walk) -> u32 {
    let threads = walk.scratch.map_or(HARDWARE_THREADS, |(_, threads)| threads.min(HARDWARE_THREADS));
    (threads / walk.walker.group_threads()).max(1)
}

impl Run {
    /// Whether the run must stop.
    fn ends(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn fail(&self, error: Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }

    fn group(&self, number: u64, slot: u32) -> Group {
        let bytes = self.walk.descriptor.shared;
        let fill = if self.settings.poison { POISON } else { 0 };
        let shared = (bytes > 0).then(|| Block::filled(bytes, fill));
        let apart = self.walk.program.machine().generation >= Generation::XeHpg;
        let barriers = apart.then(Barriers::default);
        let (number, running) = (self.walk.walker.group(number), Vec::new());
        Group { number, slot, shared, barriers, next: 0, running, moved: false }
    }

    /// Starts the next thread of a group; `None` if all have started.
    fn begin(&self, group: &mut Group) -> Option<Running> {
        let threads = self.walk.walker.group_threads();
        let number = group.next;
        if number == threads {
            return None;
        }
        group.next += 1;
        THREADS.add(1);
        let hardware_thread = group.slot * threads + number;
        let place = Place { group: group.number, thread: number, hardware_thread, barrier: group.slot };
        let start = Start {
            registers: self.walk.payload.registers(place),
            mask: self.walk.walker.mask(number),
            hardware_thread,
            in_group: number,
            group: group.number,
        };
        let mut thread = Thread::new(Arc::clone(&self.walk.program), start, group.shared.clone());
        if let Some(barriers) = &group.barriers {
            thread = thread.with_barriers(barriers.clone());
        }
        if self.settings.trace {
            thread.trace();
        }
        Some(Running { thread, number, waits: false, stuck: false })
    }

    /// Runs a thread for a turn. Returns whether it has not ended; at a barrier it waits.
    fn turn(&self, group: [u32; 3], running: &mut Running, instructions: u64) -> bool {
        let before = running.thread.instructions();
        let thread = &mut running.thread;
        let turn = turn(thread, &self.walk, self.settings, &*self.host, instructions);
        running.stuck = thread.instructions() == before;
        let fault = match turn {
            Turn::Ended => return false,
            Turn::On => return true,
            Turn::Stopped => {
                self.fail(Error::Stopped);
                return false;
            }
            Turn::Barrier if self.walk.descriptor.barrier => {
                running.waits = true;
                return true;
            }
            // A thread that is alone in its group does not wait.
            Turn::Barrier if self.walk.walker.group_threads() == 1 && !running.stuck => return true,
            Turn::Barrier => no_barrier(thread),
            Turn::Dependency => no_dependency(thread),
            Turn::Fault(fault) => fault,
        };
        let fault = located(fault, &self.walk, self.settings);
        self.fail(Error::Fault { walker: self.walk.number, group, thread: running.number, fault });
        false
    }

    /// Lets the threads of a group pass the barrier if all are there.
    fn pass(&self, group: &mut Group) {
        if !group.running.iter().all(|running| running.waits) {
            return;
        }
        if let (false, Some(first)) = (group.moved, group.running.first()) {
            let fault = first.thread.fault("it waits at a barrier to which no other thread comes");
            let fault = located(fault, &self.walk, self.settings);
            let (walker, thread) = (self.walk.number, first.number);
            self.fail(Error::Fault { walker, group: group.number, thread, fault });
        }
        group.moved = false;
        for running in &mut group.running {
            running.waits = false;
        }
    }

    /// Runs a group until it has ended, or until each of its threads had a turn and can continue. Returns
    /// whether it has not ended.
    fn round(&self, group: &mut Group) -> bool {
        if self.walk.descriptor.barrier {
            while let Some(running) = self.begin(group) {
                group.running.push(running);
            }
        }
        let number = group.number;
        let mut left = std::mem::take(&mut group.running);
        loop {
            left.retain_mut(|running| {
                if self.ends() || running.waits {
                    return !self.ends();
                }
                let stays = self.turn(number, running, TURN);
                group.moved |= !stays || !running.stuck;
                stays
            });
            if left.is_empty() || !left.iter().all(|running| running.waits) {
                break;
            }
            group.running = left;
            self.pass(group);
            left = std::mem::take(&mut group.running);
        }
        while let Some(mut running) = self.begin(group) {
            if self.ends() {
                return false;
            }
            if self.turn(number, &mut running, TURN) {
                left.push(running);
            }
        }
        group.running = left;
        !group.running.is_empty() && !self.ends()
    }

    /// Runs groups until there are none left: one after the other, except that long-running ones run
    /// together. It uses these slots.
    fn in_order(&self, first_slot: u32, slots: u32) {
        let chunk = (self.groups / (8 * self.settings.threads as u64)).clamp(1, CHUNK);
        let mut own = 0..0;
        let mut take = || {
            if own.is_empty() {
                let begin = self.next.fetch_add(chunk, Ordering::Relaxed).min(self.groups);
                own = begin..(begin + chunk).min(self.groups);
            }
            own.next()
        };
        let mut free: Vec<u32> = (first_slot..first_slot + slots).rev().collect();
        let mut live: Vec<Group> = Vec::new();
        while !self.ends() {
            if let Some(slot) = free.last()
                && let Some(number) = take()
            {
                live.push(self.group(number, *slot));
                free.pop();
            }
            if live.is_empty() {
                return;
            }
            live.retain_mut(|group| {
                let stays = self.round(group);
                if !stays {
                    free.push(group.slot);
                }
                stays
            });
        }
    }

    /// Runs groups in random order; their threads have turns of random length.
    fn in_random_order(&self, seed: u64, slots: u32) {
        let mut random = Random::new(seed, self.walk.number);
        let mut order = Permutation::new(self.groups, &mut random);
        let together = slots.min((RANDOM_THREADS / self.walk.walker.group_threads()).max(1));
        let mut free: Vec<u32> = (0..together).collect();
        let mut live: Vec<Group> = Vec::new();
        while !self.ends() {
            while let Some(slot) = free.last()
                && let Some(number) = order.next()
            {
                let mut group = self.group(number, *slot);
                free.pop();
                while let Some(running) = self.begin(&mut group) {
                    group.running.push(running);
                }
                live.push(group);
            }
            if live.is_empty() {
                return;
            }
            let chosen = random.below(live.len() as u64) as usize;
            if !self.random_turn(&mut live[chosen], &mut random) {
                free.push(live.swap_remove(chosen).slot);
            }
        }
    }

    /// Gives a turn to a thread of a group that does not wait. Returns whether the group has not ended.
    fn random_turn(&self, group: &mut Group, random: &mut Random) -> bool {
        let ready = group.running.iter().filter(|running| !running.waits).count() as u64;
        let chosen = random.below(ready) as usize;
        let able = (0..group.running.len()).filter(|index| !group.running[*index].waits);
        let Some(index) = able.into_iter().nth(chosen) else { return false };
        let instructions = 1 + random.below(RANDOM_TURN);
        let stays = self.turn(group.number, &mut group.running[index], instructions);
        group.moved |= !stays || !group.running[index].stuck;
        if !stays {
            group.running.swap_remove(index);
        }
        self.pass(group);
        !group.running.is_empty()
    }
}
