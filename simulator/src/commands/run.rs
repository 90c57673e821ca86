//! `cm-simulator run`: runs a program with the simulated GPU.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::{Arg, ArgAction, ArgMatches, FromArgMatches};
use cm_simulator::settings::{SETTINGS, Settings};

use super::{complain, library, packages};

/// The exit status if the program cannot be started.
const CANNOT_START: u8 = 125;
/// The variable that tells a program that it was started here.
const MARK: &str = "CM_SIMULATOR";
const PRELOAD: &str = "LD_PRELOAD";
/// The variable with the options of AddressSanitizer.
const SANITIZER: &str = "ASAN_OPTIONS";
/// Variables that make Intel's driver open libraries without `RTLD_DEEPBIND`, because AddressSanitizer ends
/// processes that use it.
const DRIVER_UNDER_SANITIZER: [(&str, &str); 2] = [("NEOReadDebugKeys", "1"), ("DisableDeepBind", "1")];

/// Runs a program and its child processes with the simulated GPU under Intel's Level Zero driver.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    settings: Chosen,
    /// Skip the search for the driver's libraries, which may be in an unusual folder
    #[arg(long)]
    no_checks: bool,
    /// Support programs with AddressSanitizer: the driver opens libraries without RTLD_DEEPBIND, and the sanitizer
    /// accepts a library before its own
    #[arg(long)]
    sanitizer: bool,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// The settings that are given as options: variables and values. The options are those of the table of
/// settings.
#[derive(Debug)]
struct Chosen(Vec<(&'static str, OsString)>);

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = SETTINGS.iter().filter_map(|setting| {
            let value = match setting.value {
                Some(_) => matches.get_one::<OsString>(setting.option)?.clone(),
                None => matches.get_flag(setting.option).then(|| "1".into())?,
            };
            Some((setting.variable, value))
        });
        Ok(Self(chosen.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Chosen {
    fn augment_args(command: clap::Command) -> clap::Command {
        let option = |setting: &cm_simulator::settings::Setting| {
            let option = Arg::new(setting.option).long(setting.option).help(setting.meaning);
            match setting.value {
                Some(value) => {
                    option.value_name(value).value_parser(clap::value_parser!(OsString)).require_equals(true)
                }
                None => option.action(ArgAction::SetTrue),
            }
        };
        command.args(SETTINGS.iter().map(option))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl Run {
    /// Replaces this process by the program.
    pub(crate) fn run(self) -> ExitCode {
        let why = match self.command() {
            Ok(mut command) => {
                let why = command.exec();
                format!("cannot run {}: {why}", command.get_program().display())
            }
            Err(why) => why,
        };
        complain(why);
        ExitCode::from(CANNOT_START)
    }

    fn command(self) -> Result<Command, String> {
        let missing = packages::missing();
        if !self.no_checks && !missing.is_empty() {
            let files: Vec<_> = missing.iter().map(|library| library.file).collect();
            return Err(format!(
                "missing: {}; on Debian: {} (--no-checks starts the program all the same)",
                files.join(", "),
                packages::remedy(&missing)
            ));
        }
        let Chosen(chosen) = self.settings;
        let read = |variable: &str| {
            let option = chosen.iter().find(|(name, _)| *name == variable);
            option.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(variable))
        };
        Settings::read(&read).map_err(|bad| bad.to_string())?;
        let preload = preload(&library::find()?, std::env::var_os(PRELOAD).as_deref())?;
        let [program, arguments @ ..] = &self.program[..] else {
            return Err("no program".to_owned());
        };
        let mut command = Command::new(program);
        command.args(arguments).env(PRELOAD, preload).env(MARK, "1").envs(chosen);
        if self.sanitizer {
            command.envs(DRIVER_UNDER_SANITIZER);
            let options = std::env::var_os(SANITIZER);
            command.env(SANITIZER, with_link_order(options.as_deref()));
        }
        Ok(command)
    }
}

/// The options of AddressSanitizer, extended so that it need not be the first library.
fn with_link_order(options: Option<&OsStr>) -> OsString {
    let mut value = options.unwrap_or_default().to_owned();
    if !value.is_empty() {
        value.push(":");
    }
    value.push("verify_asan_link_order=0");
    value
}

/// The value of `LD_PRELOAD`: the library, then the existing ones.
fn preload(library: &Path, others: Option<&OsStr>) -> Result<OsString, String> {
    // The dynamic linker treats blanks and colons as the end of a name, and `$` as the start of a variable.
    let text = library.to_str().filter(|text| !text.contains([' ', ':', '$', '\t', '\n']));
    let text = text.ok_or_else(|| {
        format!("{} cannot be preloaded: its path has a blank, a colon or a dollar sign", library.display())
    })?;
    let mut value = OsString::from(text);
    let others = others.and_then(OsStr::to_str).unwrap_or_default();
    for other in others.split([' ', ':']).filter(|other| !other.is_empty() && *other != text) {
        value.push(":");
        value.push(other);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        run: Run,
    }

    fn parsed(line: &str) -> Run {
        Line::try_parse_from(line.split(' ')).expect("a command line").run
    }

    #[test]
    fn options_are_settings_and_the_rest_is_the_program() {
        let run = parsed("run --mode=async --poison --shuffle=7 cargo test --poison -- --mode=hybrid");
        let expected =
            [("CM_SIMULATOR_MODE", "async"), ("CM_SIMULATOR_POISON", "1"), ("CM_SIMULATOR_SHUFFLE", "7")];
        assert_eq!(run.settings.0, expected.map(|(variable, value)| (variable, value.into())));
        assert_eq!(run.program, ["cargo", "test", "--poison", "--", "--mode=hybrid"]);
        assert!(Line::try_parse_from(["run"]).is_err());
    }

    #[test]
    fn the_library_comes_first_and_once() {
        let library = Path::new("/here/lib.so");
        assert_eq!(preload(library, None).as_deref(), Ok("/here/lib.so".as_ref()));
        let others = OsStr::new("/other.so:/here/lib.so");
        assert_eq!(preload(library, Some(others)).as_deref(), Ok("/here/lib.so:/other.so".as_ref()));
        assert!(preload(Path::new("/my files/lib.so"), None).expect_err("a blank").contains("blank"));
    }
}
