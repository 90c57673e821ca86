//! `cm-simulator`: programs and kernels on a simulated Intel GPU.

mod commands;

use std::process::ExitCode;

use clap::Parser;

/// A simulated Intel GPU.
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    Exec(commands::Exec),
}

fn main() -> ExitCode {
    match Command::parse() {
        Command::Exec(exec) => exec.run(),
    }
}
