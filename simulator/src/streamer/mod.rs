//! The command streamer: reads and executes the batches of a context.

mod commands;
mod compute_walker;
mod descriptor;
mod dump;
mod error;
mod formats;
mod groups;
mod host;
mod media;
mod memory_interface;
mod objects;
mod payload;
mod pipelines;
mod pool;
mod programs;
mod registers;
mod shuffle;
mod source;
mod state;
mod statistics;
mod surface_state;
mod target;
#[cfg(test)]
mod tests;
mod turn;
mod walk;

pub(crate) use error::Error;
pub(crate) use host::Host;
pub(crate) use statistics::report_at_exit;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::log::{Level, note};
use crate::settings::Settings;
use state::State;
use target::{Next, Target};
use walk::SharedMemory;

/// The maximum nesting of batches.
const DEPTH: usize = 4;

/// The command streamer of a context.
pub(crate) struct Streamer {
    state: State,
    settings: &'static Settings,
}

impl Streamer {
    pub(crate) fn new(settings: &'static Settings) -> Self {
        Self { state: State::new(settings.product.machine()), settings }
    }

    /// Runs a batch to its end.
    pub(crate) fn run(&mut self, memory: SharedMemory, batch: u64, host: Arc<dyn Host>) -> Result<(), Error> {
        statistics::BATCHES.add(1);
        let objects = media::Objects::default();
        let mut target = Target { state: &mut self.state, memory, settings: self.settings, host, objects };
        let mut callers = Vec::new();
        let mut at = batch;
        let mut words = Vec::new();
        loop {
            if target.host.stopped() {
                return Err(Error::Stopped);
            }
            let row = read(&target, at, &mut words)?;
            note(Level::Commands, format_args!("{at:#x}: {} ({} words)", row.name, words.len()));
            let following = at + 4 * words.len() as u64;
            if !row.gathers() {
                objects::run_last(&mut target)?;
            }
            at = match (row.execute)(&mut target, &words)? {
                Next::Following => following,
                Next::Jump(to) => to,
                Next::Call(_) if callers.len() == DEPTH => return Err(Error::Nested { address: at }),
                Next::Call(to) => {
                    callers.push(following);
                    to
                }
                Next::Return => match callers.pop() {
                    Some(caller) => caller,
                    None => return Ok(()),
                },
            };
        }
    }
}

/// Reads the words of the command at an address.
fn read(target: &Target<'_>, address: u64, words: &mut Vec<u32>) -> Result<&'static commands::Row, Error> {
    let not_mapped = || Error::NotMapped { what: "command", address };
    let span = target.memory.at(address).ok_or_else(not_mapped)?;
    let word =
        |index: usize| span.four(4 * index).map(|word| word.load(Ordering::Relaxed)).ok_or_else(not_mapped);
    let header = word(0)?;
    let row = commands::find(header)?;
    words.clear();
    for index in 0..row.words(header)? {
        words.push(word(index)?);
    }
    Ok(row)
}
