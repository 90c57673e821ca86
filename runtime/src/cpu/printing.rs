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
    add(launch, [x, y, z], values, || template.render(values));
}

/// Adds a line if there is room for its values.
fn add(launch: Launch, [x, y, z]: [u32; 3], values: &[Value], render: impl FnOnce() -> String) {
    // Workers join before the launch asks for its lines.
    USED.store(true, Ordering::Relaxed);
    let has_room = with_lines(launch, |Lines { dropped, room, .. }| {
        let taken = room.take(values);
        *dropped += u64::from(!taken);
        taken
    });
    if has_room {
        // Not under the lock, which all launches share.
        let line = PrintfLine { thread: [x, y], text: render() };
        with_lines(launch, |Lines { lines, .. }| lines.push((z, line)));
    }
}

fn with_lines<T>(launch: Launch, change: impl FnOnce(&mut Lines) -> T) -> T {
    let mut launches = LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner);
    change(launches.entry(launch).or_default())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_do_not_wait_for_the_lines_of_others() {
        let [outer, inner] = [(); 2].map(|()| Output(Launch::new()));
        add(outer.0, [1, 2, 0], &[], || {
            add(inner.0, [3, 4, 0], &[], || "first".to_owned());
            "second".to_owned()
        });
        let texts = [&inner, &outer].map(|output| output.take().lines[0].text.clone());
        assert_eq!(texts, ["first", "second"]);
    }
}
