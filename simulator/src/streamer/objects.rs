//! Commands that start threads of the media pipeline: Intel's PRM, Skylake, volume 2a.

use std::sync::Arc;
use std::time::Instant;

use super::descriptor::Walker;
use super::dump::dump;
use super::error::Error;
use super::media::{Common, MediaWalker, Object, Objects, Task, run};
use super::pipelines::report;
use super::statistics::NANOSECONDS;
use super::target::{Next, Target};
use super::walk::Walk;
use crate::generation::Generation;
use crate::log::{Level, error, note, on};

/// `MEDIA_OBJECT`: its thread starts together with those of the next commands, if they are of this kind.
pub(super) fn object(target: &mut Target<'_>, words: &[u32]) -> Result<Next, Error> {
    let Object { common, position } = Object::decode(words)?;
    let (kernel, mask) = (common.descriptor, common.mask);
    let task = match target.objects.kernel(kernel) {
        Some(walk) => task(target, walk, common)?,
        None => {
            let walk = walk(target, kernel)?;
            task(target, walk, common)?
        }
    };
    target.objects.add(kernel, task, position, mask);
    Ok(Next::Following)
}

/// `MEDIA_OBJECT_WALKER`.
pub(super) fn walk_objects(target: &mut Target<'_>, words: &[u32]) -> Result<Next, Error> {
    let MediaWalker { common, loops } = MediaWalker::decode(words)?;
    let positions = loops.positions()?;
    if positions.is_empty() {
        return Ok(Next::Following);
    }
    note(Level::Walkers, format_args!("MEDIA_OBJECT_WALKER: entries {:#x}, {loops:?}", common.mask));
    let (kernel, mask) = (common.descriptor, common.mask);
    let walk = walk(target, kernel)?;
    let task = task(target, walk, common)?;
    run_all(target, Objects::of(task, positions, mask))?;
    Ok(Next::Following)
}

/// Runs the threads of the preceding `MEDIA_OBJECT`s.
pub(super) fn run_last(target: &mut Target<'_>) -> Result<(), Error> {
    if target.objects.len() == 0 {
        return Ok(());
    }
    let objects = std::mem::take(&mut target.objects);
    run_all(target, objects)
}

/// The environment of the threads of an interface descriptor. Apart from positions, it is that of a walker
/// with a group of one thread.
fn walk(target: &mut Target<'_>, descriptor: u32) -> Result<Arc<Walk>, Error> {
    let mut command = [0; Walker::WORDS];
    command[1] = descriptor;
    [command[7], command[10], command[12], command[13], command[14]] = [1, 1, 1, u32::MAX, u32::MAX];
    let walk = target.state.walk(&target.memory, &command, target.settings.poison)?;
    let missing = |what, number| Err(Error::Unsupported { what, number });
    match walk {
        None => missing("interface descriptor", descriptor),
        // Later generations have the position elsewhere in the header, and no scoreboard.
        Some(walk) if walk.program.machine().generation != Generation::Gen9 => {
            missing("media thread of a generation after Gen9 with descriptor", descriptor)
        }
        Some(walk) if walk.descriptor.cross_thread > 0 => {
            missing("media thread with data of a group", walk.descriptor.cross_thread as u32)
        }
        Some(walk) => Ok(Arc::new(walk)),
    }
}

/// Reads the data that the threads of a command need.
fn task(target: &Target<'_>, walk: Arc<Walk>, common: Common) -> Result<Task, Error> {
    let (length, offset) = common.indirect;
    let mut indirect = Vec::new();
    if length > 0 {
        let address = target.state.bases.indirect + u64::from(offset);
        let span = target.memory.at(address).and_then(|span| span.part(0, length as usize));
        let span = span.ok_or(Error::NotMapped { what: "indirect data of threads", address })?;
        indirect = span.copied(length as usize);
    }
    Task::new(walk, common.inline, indirect)
}

fn run_all(target: &Target<'_>, objects: Objects) -> Result<(), Error> {
    let settings = target.settings;
    let mut last = 0;
    for task in &objects.tasks {
        // Tasks of the same kernel share it.
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
    let scoreboard = target.state.front_end.scoreboard;
    note(Level::Walkers, format_args!("  {} threads, {scoreboard:?}", objects.len()));
    let begin = Instant::now();
    let result = run(objects, &scoreboard, settings, target.host.clone());
    NANOSECONDS.add(begin.elapsed().as_nanos() as u64);
    match result {
        Err(why) if !settings.faults_hang && why != Error::Stopped => {
            error(format_args!("{why}"));
            Ok(())
        }
        result => result,
    }
}
