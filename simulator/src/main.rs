//! `cm-simulator`: programs and kernels on a simulated Intel GPU.

mod commands;

use std::process::ExitCode;

use clap::Parser;

/// A simulated Intel GPU.
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    Run(commands::Run),
    Doctor(commands::Doctor),
}

fn main() -> ExitCode {
    match Command::parse() {
        Command::Run(run) => run.run(),
        Command::Doctor(doctor) => doctor.run(),
    }
}
