//! Messages of the device: errors, and the messages that the setting `log` enables.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::OnceLock;

use crate::settings::Settings;

/// The minimum value of the setting `log` for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Submissions and unsupported requests.
    Submissions = 1,
    /// Requests, walkers and surfaces.
    Walkers = 2,
    /// Buffers and base addresses.
    Buffers = 3,
    /// Every command.
    Commands = 4,
}

/// Whether messages of a level are enabled.
pub(crate) fn on(level: Level) -> bool {
    Settings::of_process().as_ref().is_ok_and(|settings| settings.log >= level as u32)
}

/// Writes a message if its level is enabled.
pub(crate) fn note(level: Level, message: fmt::Arguments<'_>) {
    if on(level) {
        error(message);
    }
}

/// Writes a message.
pub(crate) fn error(message: fmt::Arguments<'_>) {
    static TO: OnceLock<Option<File>> = OnceLock::new();
    let to = TO.get_or_init(|| {
        let path = Settings::of_process().as_ref().ok()?.log_file.as_ref()?;
        let opened = OpenOptions::new().append(true).create(true).open(path);
        let refused = |why: &std::io::Error| {
            let path = path.display();
            _ = writeln!(
                std::io::stderr(),
                "cm-simulator: cannot write the messages to {path}, so they are here: {why}"
            );
        };
        opened.inspect_err(refused).ok()
    });
    // One write for each line keeps the lines of several processes whole. If nobody can read it, the message
    // is lost.
    let line = format!("cm-simulator: {message}\n");
    let _ = match to.as_ref() {
        Some(mut file) => file.write_all(line.as_bytes()),
        None => std::io::stderr().lock().write_all(line.as_bytes()),
    };
}
