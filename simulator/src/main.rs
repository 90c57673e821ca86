//! `cm-simulator`: programs and kernels on a simulated Intel GPU.

mod commands;

use std::process::ExitCode;

use clap::Parser;

/// Runs programs and kernels on a simulated Intel GPU.
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    #[cfg(target_os = "linux")]
    Run(commands::Run),
    Exec(Box<commands::Exec>),
    #[cfg(target_os = "linux")]
    Doctor(commands::Doctor),
}

fn main() -> ExitCode {
    match Command::parse() {
        #[cfg(target_os = "linux")]
        Command::Run(run) => run.run(),
        Command::Exec(exec) => exec.run(),
        #[cfg(target_os = "linux")]
        Command::Doctor(doctor) => doctor.run(),
    }
}
