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
    printed: Printed,
    room: PrintfRoom,
}

static LAUNCHES: Mutex<BTreeMap<Launch, Lines>> = Mutex::new(BTreeMap::new());
/// Whether anything was ever printed, so that other launches do not take the lock.
static USED: AtomicBool = AtomicBool::new(false);

/// Prints a line; from plain Rust at once.
pub(super) fn print(launch: Launch, thread: [u32; 2], template: &Template, values: &[Value]) {
    if launch == Launch::NONE {
        println!("{}", template.render(values));
        return;
    }
    // Workers join before the launch asks for its lines.
    USED.store(true, Ordering::Relaxed);
    let mut launches = LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner);
    let Lines { printed, room } = launches.entry(launch).or_default();
    if room.take(values) {
        printed.lines.push(PrintfLine { thread, text: template.render(values) });
    } else {
        printed.dropped += 1;
    }
}

/// The lines of a launch. They are forgotten when this is dropped, also if a kernel's host code panics.
pub(super) struct Output(pub(super) Launch);

impl Output {
    pub(super) fn take(&self) -> Printed {
        if !USED.load(Ordering::Relaxed) {
            return Printed::default();
        }
        let mut launches = LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner);
        launches.remove(&self.0).unwrap_or_default().printed
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        drop(self.take());
    }
}
