//! `cm-simulator doctor`: shows what is missing.

use std::process::ExitCode;

use super::{library, packages, say};

/// Lists the requirements of the simulator and names the missing ones.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {}

impl Doctor {
    /// Prints a line for each requirement. Fails if one is missing.
    pub(crate) fn run(self) -> ExitCode {
        let mut complete = true;
        let mut line = |present: bool, what: &str, where_or_remedy: &str| {
            complete &= present;
            let state = if present { "ok     " } else { "MISSING" };
            say(format_args!("{state} {what}: {where_or_remedy}"));
        };
        let system = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
        let known = cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"));
        line(known, "Linux on x86_64", &system);
        match library::find() {
            Ok(path) => line(true, "the simulated device", &path.display().to_string()),
            Err(remedy) => line(false, "the simulated device", &remedy),
        }
        let search_path = std::env::var_os("LD_LIBRARY_PATH");
        for library in &packages::LIBRARIES {
            let what = format!("{} ({})", library.role, library.file);
            match library.find(search_path.as_deref()) {
                Some(path) => line(true, &what, &path.display().to_string()),
                None => line(false, &what, &packages::remedy(&[library])),
            }
        }
        let missing = packages::missing();
        if !missing.is_empty() {
            say(format_args!("on Debian: {}", packages::remedy(&missing)));
        }
        if complete {
            say("run a program on the simulated GPU: cm-simulator run PROGRAM ARGUMENTS..");
        }
        if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
