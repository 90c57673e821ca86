//! The table of bad inputs and the errors that they must cause. No input may cause a panic, an abort, a hang
//! or partial output.
//!
//! The rows for files of the kernel cache are in `runtime/src/level_zero/cache/tests.rs`, since only a log
//! shows how these are handled.

// The messages of system errors are those of Unix.
#![cfg(unix)]

mod command_line;
mod environment;
mod files;
mod runtime;
mod texts;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use cm_test_support::programs::example;

/// The minimum number of rows.
const ENOUGH: usize = 300;

#[test]
fn the_list_is_long() {
    let rows = [
        command_line::ROWS.len(),
        command_line::PICTURES.len(),
        environment::ROWS.len(),
        runtime::ROWS.len(),
        texts::UNREADABLE.len(),
        texts::REFUSED.len(),
    ];
    assert!(rows.iter().sum::<usize>() >= ENOUGH, "{rows:?}");
}

/// Runs the example `linear` in a folder, on the CPU, on a machine without a GPU.
fn linear<'a>(
    folder: &Path,
    args: &[&str],
    variables: impl IntoIterator<Item = (&'a str, &'a OsStr)>,
) -> Output {
    let mut command = Command::new(example("linear"));
    for variable in
        ["CM_DEVICE", "CM_NUM_THREADS", "CM_CPU_ISA", "CM_CPU_ENGINE", "CM_CACHE", "RUST_BACKTRACE"]
    {
        command.env_remove(variable);
    }
    command.env("CM_LEVEL_ZERO_LOADER", "/not/there.so");
    command.current_dir(folder).args(args).envs(variables);
    command.output().expect("the program starts")
}

/// Checks the output of a program: the status, the words of the message, and that there is no panic. Returns
/// any fault.
fn complaint(what: &str, output: &Output, status: i32, says: &[&str]) -> Option<String> {
    let error = String::from_utf8_lossy(&output.stderr);
    let first = error.starts_with("error: ") && !error.contains("panicked");
    // The program prints one line; the option parser adds the usage.
    let brief = status != 1 || error.lines().count() == 1;
    let missing: Vec<_> = says.iter().filter(|words| !error.contains(**words)).collect();
    let right = output.status.code() == Some(status) && first && brief && missing.is_empty();
    (!right).then(|| format!("{what}: {}, not {status}; without {missing:?}: {error}", output.status))
}

/// Checks the rows in several threads, and fails with all complaints.
#[track_caller]
fn each<T: Sync>(rows: &[T], check: impl Fn(&T) -> Option<String> + Sync) {
    let wrong = thread::scope(|scope| {
        let check = &check;
        let halves: Vec<_> = rows
            .chunks(rows.len().div_ceil(4))
            .map(|rows| scope.spawn(move || rows.iter().filter_map(check).collect::<Vec<_>>()))
            .collect();
        halves.into_iter().flat_map(|half| half.join().expect("no check panics")).collect::<Vec<_>>()
    });
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
