//! Thread spaces with dependencies: the order of threads, masks of dependencies, and kernels of video and
//! images, in all executions.

mod masks;
mod order;
mod rules;
mod video;

use std::process::Command;

use cm::prelude::*;
use cm_test_support::devices::level_zero;

/// The CPU with 1, 2 and 5 worker threads, and the Level Zero device if there is one.
fn devices() -> Vec<Device> {
    let cpus = [1, 2, 5].map(|threads| Device::cpu_with_threads(threads).expect("worker threads"));
    cpus.into_iter().chain(level_zero().cloned()).collect()
}

/// Whether this CPU has an instruction set.
fn has(isa: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    let present = match isa {
        "avx2" => is_x86_feature_detected!("avx2"),
        "avx512" => is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq"),
        _ => false,
    };
    #[cfg(not(target_arch = "x86_64"))]
    let present = false;
    isa == "baseline" || present
}

/// Runs the tests of this module in processes with other instruction sets.
#[test]
fn all_instruction_sets_give_the_same_bytes() {
    for isa in ["baseline", "avx2", "avx512"] {
        if !has(isa) {
            eprintln!("skipped: this CPU has no {isa}");
            continue;
        }
        let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
        command.args(["waves::", "--skip", "all_instruction_sets"]).env("CM_CPU_ISA", isa);
        command.env("CM_CPU_ENGINE", "native");
        // The GPU does not use these instruction sets.
        command.env("CM_LEVEL_ZERO_LOADER", "there is none.so").env("CM_REQUIRE_LEVEL_ZERO", "0");
        let output = command.output().expect("the program starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains("waves::video::"), "{isa}: {printed}");
    }
}
