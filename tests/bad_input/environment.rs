//! Environment variables of the library, tested with the example `linear`.

use std::ffi::OsStr;

use super::{complaint, each, linear};

/// A variable, its value, and words of the message.
type Row = (&'static str, &'static str, &'static [&'static str]);

pub(crate) const ROWS: &[Row] = &[
    ("CM_DEVICE", "", &["CM_DEVICE is ``", "expected `cpu`, `level-zero` or `level-zero:N`"]),
    ("CM_DEVICE", "gpu", &["CM_DEVICE is `gpu`"]),
    ("CM_DEVICE", "CPU", &["CM_DEVICE is `CPU`"]),
    ("CM_DEVICE", " cpu", &["CM_DEVICE is ` cpu`"]),
    ("CM_DEVICE", "best", &["CM_DEVICE is `best`"]),
    ("CM_DEVICE", "level-zero:", &["CM_DEVICE is `level-zero:`"]),
    ("CM_DEVICE", "level-zero:-1", &["CM_DEVICE is `level-zero:-1`"]),
    ("CM_DEVICE", "level-zero:99999999999999999999", &["CM_DEVICE is `level-zero:9"]),
    // A requested device is never replaced by another one.
    ("CM_DEVICE", "level-zero", &["no Level Zero loader", "/not/there.so"]),
    ("CM_DEVICE", "level-zero:7", &["no Level Zero loader"]),
    ("CM_NUM_THREADS", "", &["CM_NUM_THREADS is ``", "a number of threads, 1 to 1024"]),
    ("CM_NUM_THREADS", "0", &["CM_NUM_THREADS is `0`"]),
    ("CM_NUM_THREADS", "-1", &["CM_NUM_THREADS is `-1`"]),
    ("CM_NUM_THREADS", "1025", &["CM_NUM_THREADS is `1025`"]),
    ("CM_NUM_THREADS", "2.0", &["CM_NUM_THREADS is `2.0`"]),
    ("CM_NUM_THREADS", "all", &["CM_NUM_THREADS is `all`"]),
    ("CM_NUM_THREADS", "99999999999999999999", &["CM_NUM_THREADS is `9"]),
    ("CM_CPU_ISA", "", &["CM_CPU_ISA is ``", "`baseline`, `avx2` or `avx512`"]),
    ("CM_CPU_ISA", "sse", &["CM_CPU_ISA is `sse`"]),
    ("CM_CPU_ISA", "AVX2", &["CM_CPU_ISA is `AVX2`"]),
    ("CM_CPU_ISA", "avx2,avx512", &["CM_CPU_ISA is `avx2,avx512`"]),
    ("CM_CPU_ENGINE", "", &["CM_CPU_ENGINE is ``", "`native` or `ir`"]),
    ("CM_CPU_ENGINE", "IR", &["CM_CPU_ENGINE is `IR`"]),
    // Stacks that no thread can have: rayon's own pool would panic.
    #[cfg(target_os = "linux")]
    ("RUST_MIN_STACK", "70368744177664", &["worker threads could not be started", "CM_NUM_THREADS"]),
];

#[test]
fn variables() {
    let folder = tempfile::tempdir().expect("a folder");
    each(ROWS, |&(variable, value, says)| {
        let output = linear(folder.path(), &[], [(variable, OsStr::new(value))]);
        let says = [&["cannot open the device: "], says].concat();
        complaint(&format!("{variable}={value}"), &output, 1, &says)
    });
    assert!(!folder.path().join("linear.png").exists(), "nothing is written");
}

#[cfg(unix)]
#[test]
fn variables_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().expect("a folder");
    each(&["CM_DEVICE", "CM_NUM_THREADS", "CM_CPU_ISA", "CM_CPU_ENGINE"], |variable| {
        let output = linear(folder.path(), &[], [(*variable, OsStr::from_bytes(b"c\xff"))]);
        complaint(variable, &output, 1, &[variable, "expected"])
    });
}

/// A wrong value is an error even if a good one follows.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [("CM_NUM_THREADS", "7"), ("RUST_MIN_STACK", "70368744177664")];
    let output = linear(folder.path(), &[], variables.map(|(name, value)| (name, OsStr::new(value))));
    assert_eq!(complaint("stacks", &output, 1, &["7 worker threads could not be started"]), None);
}
