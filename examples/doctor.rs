//! `doctor`: what of Level Zero is on this machine, and what is missing for kernels to run on its GPU.
//!
//! ```text
//! cargo run --example doctor
//! ```
//!
//! The exit status is 0 where a GPU can be used.

use std::process::ExitCode;

fn main() -> ExitCode {
    let found = cm::diagnose();
    print!("{found}");
    if found.problem().is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
