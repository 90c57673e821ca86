//! `doctor`: what of Level Zero is on this machine, and what is missing for kernels to run on its GPU.
//!
//! ```text
//! cargo run --example doctor
//! ```
//!
//! The exit status is 0 where kernels run as well as the machine lets them: on its GPU, or on the CPU if it has
//! none; and 1 where something is missing or broken.

use std::process::ExitCode;

fn main() -> ExitCode {
    let found = cm::diagnose();
    print!("{found}");
    if found.is_healthy() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
