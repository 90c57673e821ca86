//! The settings: environment variables of a process that uses the device, and options of `cm-simulator run`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use crate::product::{self, Product};

/// The number of hardware threads if scratch space does not limit it. More host threads would have no work.
pub const HARDWARE_THREADS: u32 = 512;

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The environment variable.
    pub variable: &'static str,
    /// The option of `cm-simulator run`, without dashes.
    pub option: &'static str,
    /// The name of its value. A switch has none: its variable is `1`.
    pub value: Option<&'static str>,
    /// What it does.
    pub meaning: &'static str,
}

const fn setting(
    variable: &'static str,
    option: &'static str,
    value: Option<&'static str>,
    meaning: &'static str,
) -> Setting {
    Setting { variable, option, value, meaning }
}

/// All settings. `simulator/README.md` has the same table.
pub const SETTINGS: [Setting; 16] = [
    setting(
        "CM_SIMULATOR_LOG",
        "log",
        Some("LEVEL"),
        "the messages: 1 for submissions and unsupported requests, 2 also for requests, walkers and surfaces, 3 also for buffers and base addresses, 4 also for every command",
    ),
    setting(
        "CM_SIMULATOR_LOG_FILE",
        "log-file",
        Some("FILE"),
        "append messages to FILE instead of writing them to stderr",
    ),
    setting(
        "CM_SIMULATOR_MODE",
        "mode",
        Some("MODE"),
        "hybrid: a submission returns when its batch has ended or waits for an event (default); async: a submission returns at once, as with a real kernel",
    ),
    setting(
        "CM_SIMULATOR_DELAY_US",
        "delay-us",
        Some("MICROSECONDS"),
        "sleep this many microseconds before every batch; with `async` this exposes missing synchronisation in the host program",
    ),
    setting(
        "CM_SIMULATOR_WAIT_MS",
        "wait-ms",
        Some("MILLISECONDS"),
        "the longest wait of a submission in mode `hybrid`, in milliseconds (default: 10000)",
    ),
    setting(
        "CM_SIMULATOR_THREADS",
        "threads",
        Some("COUNT"),
        "the number of host threads that run GPU threads (default: one per core)",
    ),
    setting(
        "CM_SIMULATOR_POISON",
        "poison",
        None,
        "fill the registers after the payload, and new shared local memory, with 0xCD instead of 0; this exposes uses of uninitialised data",
    ),
    setting(
        "CM_SIMULATOR_SHUFFLE",
        "shuffle",
        Some("SEED"),
        "run thread groups in random order and interleave their threads; the seed determines the order, so that a race can be repeated",
    ),
    setting(
        "CM_SIMULATOR_INSTRUCTIONS",
        "instructions",
        Some("COUNT"),
        "the maximum number of instructions per thread; one more is a fault (default: 4294967296)",
    ),
    setting(
        "CM_SIMULATOR_FAULT",
        "fault",
        Some("ACTION"),
        "hang: a fault loses the device (default); continue: a fault only aborts its walker",
    ),
    setting(
        "CM_SIMULATOR_DUMP",
        "dump",
        Some("FOLDER"),
        "write the dispatch, code, payload and surfaces of each walker to FOLDER/PID",
    ),
    // The variable of cm, which writes its kernels there.
    setting(
        "CM_DEBUG_INFO",
        "debug-info",
        Some("FOLDER"),
        "search FOLDER for program binaries with debug information, so that faults name the source line; programs \
         that use cm write theirs there",
    ),
    setting(
        "CM_SIMULATOR_STATS",
        "stats",
        None,
        "print the numbers of batches, walkers, threads and instructions at exit",
    ),
    setting(
        "CM_SIMULATOR_TRACE",
        "trace",
        None,
        "print every instruction with its results; all GPU threads then run on one host thread",
    ),
    setting("CM_SIMULATOR_DEVICE", "device", Some("ID"), "the PCI id of the simulated GPU (default: 0x1912)"),
    setting(
        "CM_SIMULATOR_IGA",
        "iga",
        Some("FILE"),
        "the path of Intel's disassembler, if libiga64.so.1 is not found",
    ),
];

/// A variable whose value is not one of its values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}{} is {value:?}: {expected} expected", option(variable))]
pub struct BadSetting {
    /// The environment variable.
    pub variable: &'static str,
    /// Its value.
    pub value: OsString,
    /// What it may be.
    pub expected: String,
}

/// How messages name the option beside its variable.
fn option(variable: &str) -> String {
    let known = SETTINGS.iter().find(|setting| setting.variable == variable);
    known.map(|setting| format!(" (option `--{}`)", setting.option)).unwrap_or_default()
}

/// When a submission returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// When its batch has ended or waits for something.
    Hybrid,
    /// At once.
    Async,
}

/// The values of all settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub(crate) log: u32,
    pub(crate) log_file: Option<PathBuf>,
    pub(crate) mode: Mode,
    pub(crate) delay: Duration,
    pub(crate) wait: Duration,
    pub(crate) threads: usize,
    pub(crate) poison: bool,
    pub(crate) shuffle: Option<u64>,
    pub(crate) instructions: u64,
    pub(crate) faults_hang: bool,
    pub(crate) dump: Option<PathBuf>,
    pub(crate) debug_info: Option<PathBuf>,
    pub(crate) stats: bool,
    pub(crate) trace: bool,
    pub(crate) product: &'static Product,
}

/// The variables of a process or a test.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<OsString>);

impl Variables<'_> {
    /// A variable that is not empty.
    fn get(&self, variable: &str) -> Option<OsString> {
        (self.0)(variable).filter(|value| !value.is_empty())
    }

    /// A variable as what `parse` makes of it.
    fn parsed<T>(
        &self,
        variable: &'static str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, BadSetting> {
        let Some(value) = self.get(variable) else { return Ok(None) };
        match value.to_str().and_then(parse) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(BadSetting { variable, value, expected: expected.to_owned() }),
        }
    }

    fn number(&self, variable: &'static str) -> Result<Option<u64>, BadSetting> {
        self.parsed(variable, "a number", number)
    }

    fn switch(&self, variable: &'static str) -> Result<bool, BadSetting> {
        let parse = |value: &str| ["0", "1"].iter().position(|known| *known == value);
        Ok(self.parsed(variable, "0 or 1", parse)? == Some(1))
    }
}

/// A decimal number, or a hexadecimal one with `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Settings {
    /// Reads all settings. `variable` gives the value of an environment variable.
    ///
    /// # Errors
    ///
    /// [`BadSetting`] names the first variable with a value that it cannot have.
    pub fn read(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, BadSetting> {
        let from = Variables(variable);
        let mode = |value: &str| match value {
            "hybrid" => Some(Mode::Hybrid),
            "async" => Some(Mode::Async),
            _ => None,
        };
        let hangs = |value: &str| match value {
            "hang" => Some(true),
            "continue" => Some(false),
            _ => None,
        };
        let threads =
            |value: &str| value.parse().ok().filter(|count| (1..=HARDWARE_THREADS as usize).contains(count));
        let level = |value: &str| value.parse().ok().filter(|level| *level <= 4);
        // Lines of two threads would mix.
        let trace = from.switch("CM_SIMULATOR_TRACE")?;
        let cores = || if trace { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
        Ok(Self {
            log: from.parsed("CM_SIMULATOR_LOG", "a level from 0 to 4", level)?.unwrap_or(0),
            log_file: from.get("CM_SIMULATOR_LOG_FILE").map(PathBuf::from),
            mode: from.parsed("CM_SIMULATOR_MODE", "`hybrid` or `async`", mode)?.unwrap_or(Mode::Hybrid),
            delay: Duration::from_micros(from.number("CM_SIMULATOR_DELAY_US")?.unwrap_or(0)),
            wait: Duration::from_millis(from.number("CM_SIMULATOR_WAIT_MS")?.unwrap_or(10_000)),
            threads: from
                .parsed("CM_SIMULATOR_THREADS", &format!("1 to {HARDWARE_THREADS}"), threads)?
                .unwrap_or_else(cores),
            poison: from.switch("CM_SIMULATOR_POISON")?,
            shuffle: from.number("CM_SIMULATOR_SHUFFLE")?,
            instructions: from.number("CM_SIMULATOR_INSTRUCTIONS")?.unwrap_or(1 << 32),
            faults_hang: from.parsed("CM_SIMULATOR_FAULT", "`hang` or `continue`", hangs)?.unwrap_or(true),
            dump: from.get("CM_SIMULATOR_DUMP").map(PathBuf::from),
            debug_info: from.get("CM_DEBUG_INFO").map(PathBuf::from),
            stats: from.switch("CM_SIMULATOR_STATS")?,
            trace,
            product: from
                .parsed("CM_SIMULATOR_DEVICE", &product::known(), |value| product::find(number(value)?))?
                .unwrap_or(&product::PRODUCTS[0]),
        })
    }

    /// The settings of this process: its environment variables when they were first asked for.
    pub(crate) fn of_process() -> &'static Result<Self, BadSetting> {
        static SETTINGS_OF_PROCESS: OnceLock<Result<Settings, BadSetting>> = OnceLock::new();
        SETTINGS_OF_PROCESS.get_or_init(|| Self::read(&|variable| std::env::var_os(OsStr::new(variable))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, BadSetting> {
        Settings::read(&|asked| {
            variables.iter().find(|(variable, _)| *variable == asked).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn defaults() {
        let settings = read(&[("CM_SIMULATOR_MODE", "")]).expect("no bad setting");
        assert_eq!((settings.log, settings.mode, settings.shuffle), (0, Mode::Hybrid, None));
        assert_eq!((settings.wait, settings.delay), (Duration::from_secs(10), Duration::ZERO));
        assert_eq!((settings.poison, settings.faults_hang, settings.product.id), (false, true, 0x1912));
        assert!(settings.threads >= 1);
    }

    #[test]
    fn values() {
        let settings = read(&[
            ("CM_SIMULATOR_MODE", "async"),
            ("CM_SIMULATOR_DELAY_US", "0x10"),
            ("CM_SIMULATOR_SHUFFLE", "7"),
            ("CM_SIMULATOR_FAULT", "continue"),
            ("CM_SIMULATOR_POISON", "1"),
            ("CM_SIMULATOR_DEVICE", "0x5912"),
        ])
        .expect("no bad setting");
        assert_eq!((settings.mode, settings.delay), (Mode::Async, Duration::from_micros(16)));
        assert_eq!((settings.shuffle, settings.faults_hang, settings.poison), (Some(7), false, true));
        assert_eq!(settings.product.id, 0x5912);
    }

    #[test]
    fn bad_values_name_the_variable_and_what_it_may_be() {
        for (variable, value, expected) in [
            ("CM_SIMULATOR_MODE", "fast", "`hybrid` or `async`"),
            ("CM_SIMULATOR_LOG", "5", "0 to 4"),
            ("CM_SIMULATOR_THREADS", "0", "1 to 512"),
            ("CM_SIMULATOR_DELAY_US", "-1", "a number"),
            ("CM_SIMULATOR_POISON", "yes", "0 or 1"),
            ("CM_SIMULATOR_FAULT", "ignore", "`hang` or `continue`"),
            ("CM_SIMULATOR_DEVICE", "0x0bd5", "0x1912"),
        ] {
            let error = read(&[(variable, value)]).expect_err("a bad setting").to_string();
            for part in [variable, value, expected] {
                assert!(error.contains(part), "{error} lacks {part}");
            }
        }
    }

    #[test]
    fn the_readme_has_the_table() {
        let readme = include_str!("../README.md");
        for of in SETTINGS {
            let option = match of.value {
                Some(value) => format!("--{}={value}", of.option),
                None => format!("--{}", of.option),
            };
            let row = format!("| `{}` | `{option}` | {} |", of.variable, of.meaning);
            assert!(readme.contains(&row), "simulator/README.md lacks the row\n{row}");
        }
        assert_eq!(readme.matches("| `CM_").count(), SETTINGS.len(), "rows of simulator/README.md");
    }
}
