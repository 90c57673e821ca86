//! The media pipeline: `MEDIA_OBJECT` and `MEDIA_OBJECT_WALKER`, whose threads have places and may wait for each other.
//!
//! A thread's registers: the header, with the place in its second and the colour in its third dword; constants
//! (`MEDIA_CURBE_LOAD`) as the interface descriptor says; the inline data of the command; its indirect data, each from a
//! register on. Place and colour are where `BuildIRImpl.cpp` of Intel's graphics compiler takes them from, the order of the
//! others is that of kernels of Intel's vaapi-driver (`vme8.inc`).

mod command;
mod crew;
mod loops;
#[cfg(test)]
mod patterns;
mod scoreboard;
#[cfg(test)]
mod tests;

pub(super) use scoreboard::Scoreboard;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use self::command::{Common, MediaWalker, Object};
use self::loops::Position;
use self::scoreboard::Board;
use super::descriptor::Walker;
use super::dump::dump;
use super::error::Error;
use super::payload::Place;
use super::pipelines::report;
use super::shuffle::Random;
use super::statistics::NANOSECONDS;
use super::target::{Next, Target};
use super::walk::Walk;
use crate::dispatch::{REGISTER, REGISTERS};
use crate::generation::Generation;
use crate::log::{Level, error, note, on};

/// What a command gives to its threads.
struct Task {
    walk: Arc<Walk>,
    inline: Vec<u8>,
    indirect: Vec<u8>,
}

/// A thread that has not begun.
#[derive(Clone, Copy)]
struct Waiting {
    /// The number of its task.
    task: u32,
    position: Position,
    /// Entries of the scoreboard that hold for it.
    mask: u8,
}

/// Threads in the order of their dispatch.
#[derive(Default)]
pub(super) struct Objects {
    tasks: Vec<Task>,
    threads: Vec<Waiting>,
    /// Kernels by the numbers of their interface descriptors.
    descriptors: HashMap<u32, Arc<Walk>>,
}

impl Task {
    /// Reads what a command's threads need. The kernel may be one that is there.
    fn read(target: &mut Target<'_>, common: Common, known: Option<Arc<Walk>>) -> Result<Self, Error> {
        let walk = match known {
            Some(walk) => walk,
            None => Arc::new(walk(target, common.descriptor)?),
        };
        let (length, offset) = common.indirect;
        let mut indirect = Vec::new();
        if length > 0 {
            let address = target.state.bases.indirect + u64::from(offset);
            let span = target.memory.at(address).and_then(|span| span.part(0, length as usize));
            let span = span.ok_or(Error::NotMapped { what: "indirect data of threads", address })?;
            indirect = span.copied(length as usize);
        }
        let task = Self { walk, inline: common.inline, indirect };
        let registers = task.first_indirect() + task.indirect.len().div_ceil(REGISTER);
        if registers > REGISTERS {
            return Err(Error::Payload { walker: task.walk.number, registers });
        }
        Ok(task)
    }

    /// The registers with which inline and indirect data begin.
    fn first_inline(&self) -> usize {
        1 + self.walk.descriptor.per_thread
    }

    fn first_indirect(&self) -> usize {
        self.first_inline() + self.inline.len().div_ceil(REGISTER)
    }

    /// The registers of a thread.
    fn registers(&self, position: Position, hardware_thread: u32) -> Vec<u8> {
        let place = u32::from(position.x) | u32::from(position.y) << 16;
        let place = Place { group: [place, 0, 0], thread: 0, hardware_thread, barrier: 0 };
        let mut registers = self.walk.payload.registers(place);
        registers[8..12].copy_from_slice(&u32::from(position.colour).to_le_bytes());
        for (first, bytes) in [(self.first_inline(), &self.inline), (self.first_indirect(), &self.indirect)] {
            registers[first * REGISTER..][..bytes.len()].copy_from_slice(bytes);
        }
        registers
    }
}

/// What the threads of an interface descriptor see. But for places it is what a walker with a group of one thread has.
fn walk(target: &mut Target<'_>, descriptor: u32) -> Result<Walk, Error> {
    let mut command = [0; Walker::WORDS];
    command[1] = descriptor;
    [command[7], command[10], command[12], command[13], command[14]] = [1, 1, 1, u32::MAX, u32::MAX];
    let walk = target.state.walk(&target.memory, &command, target.settings.poison)?;
    let missing = |what, number| Err(Error::Unsupported { what, number });
    match walk {
        None => missing("interface descriptor", descriptor),
        // Later ones have the place elsewhere in the header, and no scoreboard.
        Some(walk) if walk.program.machine().generation != Generation::Gen9 => {
            missing("media thread of a generation after Gen9 with descriptor", descriptor)
        }
        Some(walk) if walk.descriptor.cross_thread > 0 => {
            missing("media thread with data of a group", walk.descriptor.cross_thread as u32)
        }
        Some(walk) => Ok(walk),
    }
}

/// Executes `MEDIA_OBJECT`: its thread begins with those of the next commands, if they are of this kind.
pub(super) fn object(target: &mut Target<'_>, words: &[u32]) -> Result<Next, Error> {
    let Object { common, position } = Object::decode(words)?;
    let mask = common.mask;
    let known = target.objects.descriptors.get(&common.descriptor).cloned();
    let descriptor = common.descriptor;
    let task = Task::read(target, common, known)?;
    let objects = &mut target.objects;
    objects.descriptors.insert(descriptor, Arc::clone(&task.walk));
    objects.threads.push(Waiting { task: objects.tasks.len() as u32, position, mask });
    objects.tasks.push(task);
    Ok(Next::Following)
}

/// Executes `MEDIA_OBJECT_WALKER`.
pub(super) fn walk_objects(target: &mut Target<'_>, words: &[u32]) -> Result<Next, Error> {
    let MediaWalker { common, loops } = MediaWalker::decode(words)?;
    let positions = loops.positions()?;
    if positions.is_empty() {
        return Ok(Next::Following);
    }
    let mask = common.mask;
    let task = Task::read(target, common, None)?;
    note(
        Level::Walkers,
        format_args!("MEDIA_OBJECT_WALKER: {} threads, entries {mask:#x}, {loops:?}", positions.len()),
    );
    let threads = positions.into_iter().map(|position| Waiting { task: 0, position, mask }).collect();
    run(target, Objects { tasks: vec![task], threads, ..Objects::default() })?;
    Ok(Next::Following)
}

/// Runs the threads of the last `MEDIA_OBJECT`s.
pub(super) fn run_objects(target: &mut Target<'_>) -> Result<(), Error> {
    if target.objects.threads.is_empty() {
        return Ok(());
    }
    let objects = std::mem::take(&mut target.objects);
    note(Level::Walkers, format_args!("MEDIA_OBJECT: {} threads", objects.threads.len()));
    run(target, objects)
}

fn run(target: &Target<'_>, objects: Objects) -> Result<(), Error> {
    let settings = target.settings;
    let mut last = 0;
    for task in &objects.tasks {
        // Tasks of a kernel share it.
        if task.walk.number <= last {
            continue;
        }
        last = task.walk.number;
        if on(Level::Walkers) {
            report(&task.walk);
        }
        if let Some(folder) = &settings.dump {
            dump(&task.walk, folder);
        }
    }
    let begin = Instant::now();
    let scoreboard = target.state.front_end.scoreboard;
    note(Level::Walkers, format_args!("  {scoreboard:?}"));
    let threads = objects.threads.iter().map(|thread| (thread.position, thread.mask));
    let number = objects.tasks[0].walk.number;
    let random = settings.shuffle.map(|seed| Random::new(!seed, number));
    let board = Board::new(&scoreboard, threads, random);
    let result = crew::run(objects, board, settings, target.host.clone());
    NANOSECONDS.add(begin.elapsed().as_nanos() as u64);
    match result {
        Err(why) if !settings.faults_hang && why != Error::Stopped => {
            error(format_args!("{why}"));
            Ok(())
        }
        result => result,
    }
}
