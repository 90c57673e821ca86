//! Processes with the simulated GPU, and the tests that check their output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::probes::MODULE;

/// The program of the simulator.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_cm-simulator"))
}

/// A command for a program with the simulated GPU and these options, without settings from the environment of
/// the test.
pub(crate) fn simulator(options: &[&str], name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program());
    for (variable, _) in std::env::vars_os() {
        let shown = variable.to_string_lossy();
        if shown.starts_with("CM_SIMULATOR") || shown == "LD_PRELOAD" {
            command.env_remove(&variable);
        }
    }
    command.arg("run").args(options).arg(name);
    command
}

/// The kernel module; `None` if Intel's compiler or driver is missing, which is a failure if
/// `CM_REQUIRE_LEVEL_ZERO` is set.
pub(crate) fn module() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let healthy = Command::new(program()).arg("doctor").output().expect("the doctor");
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        std::fs::create_dir_all(&folder).expect("a folder");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/driver/kernels.cl");
        let compiled = Command::new("ocloc")
            .args(["compile", "-q", "-device", "skl", "-file", source, "-output", "kernels", "-out_dir"])
            .args([folder.as_os_str(), "-options".as_ref(), "-cl-std=CL2.0".as_ref()])
            .output();
        match compiled {
            Ok(compiled) if healthy.status.success() => {
                assert!(compiled.status.success(), "ocloc: {compiled:?}");
                Some(folder.join("kernels_Gen9core.spv"))
            }
            absent => {
                let required = std::env::var_os("CM_REQUIRE_LEVEL_ZERO").is_some_and(|value| value != "0");
                assert!(!required, "CM_REQUIRE_LEVEL_ZERO is set: {absent:?} {healthy:?}");
                None
            }
        }
    };
    let built = BUILT.get_or_init(build).as_deref();
    if built.is_none() {
        eprintln!("skipped: Intel's driver or ocloc is missing (`cm-simulator doctor`)");
    }
    built
}

/// The output of a probe.
struct Said {
    output: Output,
    lines: String,
    errors: String,
}

/// Runs a probe; `None` if there is no driver.
fn probe_in(name: &str, options: &[&str], variables: &[(&str, &str)]) -> Option<Said> {
    let module = module()?;
    let own = std::env::current_exe().expect("a test has a path");
    let output = simulator(options, own)
        .args(["--exact", &format!("probes::{name}"), "--ignored", "--nocapture", "--test-threads=1"])
        .env(MODULE, module)
        .envs(variables.iter().copied())
        .output()
        .expect("the simulator");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(Said { output, lines, errors })
}

impl Said {
    #[track_caller]
    fn answer(&self, name: &str) -> &str {
        let begin = format!("{name}: ");
        let line = self.lines.lines().find_map(|line| line.strip_prefix(&*begin));
        line.unwrap_or_else(|| panic!("no {name} in {}\n{}", self.lines, self.errors))
    }

    #[track_caller]
    fn succeeded(self) -> Self {
        assert!(self.output.status.success(), "{}\n{}", self.lines, self.errors);
        self
    }

    #[track_caller]
    fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.errors.contains(word), "`{}` does not say `{word}`", self.errors);
        }
    }
}

#[test]
fn the_driver_sees_a_gpu() {
    let Some(said) = probe_in("properties", &[], &[]) else { return };
    let said = said.succeeded();
    assert!(said.answer("name").contains("HD Graphics 530"), "{}", said.answer("name"));
    assert_eq!(said.answer("id"), "0x8086 0x1912");
    assert_eq!((said.answer("shape"), said.answer("clock")), ("1 3 8 7", "1150"));
    assert_eq!(
        (said.answer("shared"), said.answer("time goes on"), said.answer("api")),
        ("65536", "true", "1")
    );
    for (device, id, shape, shared) in [
        ("--device=0x5912", "0x8086 0x5912", "1 3 8 7", "65536"),
        ("--device=0x9a49", "0x8086 0x9a49", "1 6 16 7", "65536"),
        ("--device=0x4680", "0x8086 0x4680", "1 2 16 7", "65536"),
        ("--device=0x56a0", "0x8086 0x56a0", "8 4 16 8", "65536"),
    ] {
        let Some(said) = probe_in("properties", &[device], &[]) else { return };
        let said = said.succeeded();
        assert_eq!((said.answer("id"), said.answer("shape"), said.answer("shared")), (id, shape, shared));
    }
}

#[test]
fn no_folder_is_not_that_of_the_card() {
    let Some(said) = probe_in("folders", &[], &[]) else { return };
    let said = said.succeeded();
    let answers = ["open", "none closed", "entries", "closed"].map(|name| said.answer(name));
    assert_eq!(answers, ["true", "-1", "1", "0"]);
}

#[test]
fn launches_give_the_same_with_all_settings() {
    let validation = [("ZE_ENABLE_VALIDATION_LAYER", "1"), ("ZE_ENABLE_PARAMETER_VALIDATION", "1")];
    for options in [
        &[][..],
        &["--mode=async"],
        &["--mode=async", "--delay-us=2000"],
        &["--poison", "--threads=1"],
        &["--threads=7"],
        &["--shuffle=1"],
        &["--shuffle=2", "--poison", "--mode=async"],
        &["--fault=continue", "--wait-ms=0"],
        &["--device=0x9a49", "--shuffle=3", "--poison"],
        &["--device=0x56a0"],
        &["--device=0x56a0", "--shuffle=3", "--poison"],
    ] {
        let Some(said) = probe_in("launches", options, &validation) else { return };
        let said = said.succeeded();
        for kernel in ["saxpy", "reduce", "histogram"] {
            assert_eq!(said.answer(kernel), "true", "{options:?}");
        }
        let Some(said) = probe_in("copies", options, &validation) else { return };
        assert_eq!(said.succeeded().answer("same"), "true", "{options:?}");
    }
}

#[test]
fn host_threads_share_the_device() {
    for options in [&[][..], &["--mode=async", "--delay-us=500"]] {
        let Some(said) = probe_in("host_threads", options, &[]) else { return };
        assert_eq!(said.succeeded().answer("right"), "8");
    }
}

#[test]
fn a_seed_shows_a_race_and_repeats_it() {
    let race = |option: &str| {
        let said = probe_in("race", &[option], &[])?.succeeded();
        Some(said.answer("memory").to_owned())
    };
    let Some(in_order) = race("--threads=1") else { return };
    assert!(in_order.starts_with("[100, 0, 1, 2, 3,"), "{in_order}");
    let first = race("--shuffle=1").expect("a driver");
    let count: u32 = first
        .trim_start_matches('[')
        .split(',')
        .next()
        .and_then(|count| count.parse().ok())
        .expect("a number");
    assert!((1..100).contains(&count), "a race loses counts: {first}");
    assert_eq!(race("--shuffle=1"), Some(first.clone()));
    assert_ne!(race("--shuffle=2"), Some(first));
}

#[test]
fn poison_shows_uninitialised_memory() {
    let Some(clean) = probe_in("uninitialised", &[], &[]) else { return };
    assert_eq!(clean.succeeded().answer("memory"), format!("{:?}", [0; 64]));
    let poisoned = probe_in("uninitialised", &["--poison"], &[]).expect("a driver").succeeded();
    assert_eq!(poisoned.answer("memory"), format!("{:?}", [i32::from_le_bytes([0xcd; 4]); 64]));
}

#[test]
fn a_group_that_waits_for_another_lets_it_run() {
    for option in ["--threads=1", "--shuffle=4"] {
        let Some(said) = probe_in("handshake", &[option], &[]) else { return };
        assert_eq!(said.succeeded().answer("memory"), "[1, 1]", "{option}");
    }
}

#[test]
fn a_wild_pointer_is_a_lost_device() {
    let Some(said) = probe_in("wild_pointer", &[], &[]) else { return };
    assert!(said.answer("result").contains("DEVICE_LOST"), "{}", said.answer("result"));
    said.says(&[
        "cm-simulator: walker 1, group (0, 0, 0), thread 0: at byte ",
        " of the kernel (`send",
        "0x123456789",
        "the device is lost",
    ]);
    let continued = probe_in("wild_pointer", &["--fault=continue"], &[]).expect("a driver").succeeded();
    assert_eq!(continued.answer("saxpy"), "true");
    continued.says(&["0x123456789"]);
}

#[test]
fn an_endless_thread_is_a_lost_device() {
    for option in ["--mode=hybrid", "--mode=async", "--shuffle=3"] {
        let Some(said) = probe_in("endless", &["--instructions=100000", option], &[]) else { return };
        assert!(said.answer("result").contains("DEVICE_LOST"), "{option}: {}", said.answer("result"));
        said.says(&["group (0, 0, 0), thread 0: at byte ", "): 100000 instructions without an end"]);
    }
}

#[test]
fn a_walker_is_logged_counted_and_dumped() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dump");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let (dump, log) =
        (format!("--dump={}", folder.display()), format!("--log-file={}", folder.join("log").display()));
    let Some(said) = probe_in("uninitialised", &["--log=4", "--stats", &dump, &log], &[]) else { return };
    let said = said.succeeded();
    assert_eq!(said.answer("result"), "ZE_RESULT_SUCCESS (0x0)");
    let log = std::fs::read_to_string(folder.join("log")).expect("a log");
    for word in [
        "EXECBUFFER2",
        "walker 1: kernel",
        "PIPE_CONTROL",
        "MI_BATCH_BUFFER_END",
        "I915_GEM_USERPTR",
        "1 walkers",
    ] {
        assert!(log.contains(word), "the log lacks {word}");
    }
    let process = std::fs::read_dir(&folder).expect("a folder").flatten().find(|entry| entry.path().is_dir());
    let process = process.expect("a folder of the process").path();
    for end in ["isa", "grf", "payload", "txt"] {
        let file = process.join(format!("w000001.{end}"));
        assert!(file.metadata().is_ok_and(|data| data.len() > 0), "{}", file.display());
    }
}
