//! `doctor`: shows the state of Level Zero on this machine, and what is missing to run kernels on its GPU.
//!
//! ```text
//! cargo run --example doctor
//! ```
//!
//! The exit status is 0 if kernels run as well as the machine allows: on its GPU, or on the CPU if it has
//! none. It is 1 if something is missing or broken.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let found = cm::diagnose();
    // Its lines are lost if the standard output is closed.
    let _ = write!(std::io::stdout(), "{found}");
    if found.is_healthy() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
