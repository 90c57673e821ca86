//! The commands of `cm-simulator`.

#[cfg(target_os = "linux")]
mod doctor;
mod exec;
#[cfg(target_os = "linux")]
mod library;
#[cfg(target_os = "linux")]
mod packages;
#[cfg(target_os = "linux")]
mod run;

use std::fmt::Display;
use std::io::Write as _;

#[cfg(target_os = "linux")]
pub(crate) use doctor::Doctor;
pub(crate) use exec::Exec;
#[cfg(target_os = "linux")]
pub(crate) use run::Run;

/// Prints a line. The line is lost if the standard output is closed, as by `| head -1`.
fn say(line: impl Display) {
    _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints a message on standard error. The message is lost if that is closed.
fn complain(message: impl Display) {
    _ = writeln!(std::io::stderr(), "cm-simulator: {message}");
}
