//! The lines that the kernel threads of a launch print, until the launch has completed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use cm_compiler::printf::{Printed as Value, Template};
use cm_compiler::spirv::{PrintfLine, PrintfRoom};

use super::thread::Launch;
use crate::printf::Printed;

/// The output of a launch so far.
#[derive(Default)]
struct Lines {
    /// The lines, with the third coordinates of their threads.
    lines: Vec<(u32, PrintfLine)>,
    dropped: u64,
    room: PrintfRoom,
}

static LAUNCHES: Mutex<BTreeMap<Launch, Lines>> = Mutex::new(BTreeMap::new());
/// Whether anything was ever printed, so that other launches do not take the lock.
static USED: AtomicBool = AtomicBool::new(false);

/// Prints a line; from plain Rust at once.
pub(super) fn print(launch: Launch, [x, y, z]: [u32; 3], template: &Template, values: &[Value]) {
    if launch == Launch::NONE {
        println!("{}", template.render(values));
        return;
    }
    // Workers join before the launch asks for its lines.
    USED.store(true, Ordering::Relaxed);
    let mut launches = LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner);
    let Lines { lines, dropped, room } = launches.entry(launch).or_default();
    if room.take(values) {
        lines.push((z, PrintfLine { thread: [x, y], text: template.render(values) }));
    } else {
        *dropped += 1;
    }
}

/// The lines of a launch. They are forgotten when this is dropped, also if a kernel's host code panics.
pub(super) struct Output(pub(super) Launch);

impl Output {
    /// The lines; those of threads that differ only in the third coordinate are in the order of these threads.
    pub(super) fn take(&self) -> Printed {
        if !USED.load(Ordering::Relaxed) {
            return Printed::default();
        }
        let mut launches = LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner);
        let Lines { mut lines, dropped, .. } = launches.remove(&self.0).unwrap_or_default();
        drop(launches);
        // Stable, as is the sort by the other coordinates: engines run several threads step by step.
        lines.sort_by_key(|(z, _)| *z);
        Printed { lines: lines.into_iter().map(|(_, line)| line).collect(), dropped }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        drop(self.take());
    }
}
