//! Programs that tests start, with a time limit.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Whether an environment variable says that tests must not be skipped: it is set, and not 0.
pub fn is_required(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value != "0")
}

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Whether it succeeded.
    pub success: bool,
    /// Everything that it printed, and the reason if a signal or the time limit ended it.
    pub text: String,
}

/// Runs a program in a folder. A program that is still running after `limit` is ended.
///
/// # Panics
/// If the program does not start, or the folder is not writable.
pub fn run(command: &mut Command, folder: &Path, limit: Duration) -> Ended {
    // A file, because a full pipe that is not read blocks the writer.
    let log = folder.join("log");
    let file = File::create(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
    let copy = file.try_clone().expect("a second handle of an open file");
    let child = command.current_dir(folder).stdout(file).stderr(copy).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    let status = loop {
        match child.try_wait().expect("the state of a child process") {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => {
                // It may have ended in the meantime.
                drop(child.kill());
                drop(child.wait());
                break None;
            }
            None => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let mut text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
    match status {
        Some(status) if status.success() => Ended { success: true, text },
        Some(status) => {
            text.push_str(&format!("\n{status}"));
            Ended { success: false, text }
        }
        None => {
            text.push_str(&format!("\nstill running after {} s", limit.as_secs()));
            Ended { success: false, text }
        }
    }
}
