//! `cm-simulator run` and `doctor`: what a program gets, and what the simulator leaves alone.

use std::process::Command;

use crate::processes::{program, simulator};

#[test]
fn a_program_keeps_its_arguments_output_and_status() {
    let output = simulator(&["--no-checks"], "sh")
        .args(["-c", "printf 'a\\nb\\nc\\n' | cat | wc -l; echo $CM_SIMULATOR; exit 7"])
        .output()
        .expect("sh");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3\n1\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn options_become_variables_of_the_program() {
    let options = ["--no-checks", "--mode=async", "--poison", "--shuffle=5"];
    let show = "echo $CM_SIMULATOR_MODE $CM_SIMULATOR_POISON $CM_SIMULATOR_SHUFFLE $LD_PRELOAD";
    let output = simulator(&options, "sh")
        .env("LD_PRELOAD", "libc.so.6")
        .env("CM_SIMULATOR_MODE", "hybrid")
        .args(["-c", show])
        .output()
        .expect("sh");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("async 1 5 /"), "{text}");
    assert!(text.trim_end().ends_with("libcm_simulator_preload.so:libc.so.6"), "{text}");
}

#[test]
fn what_cannot_start_is_status_125_with_the_reason() {
    for (options, name, reason) in [
        (&["--no-checks"][..], "/no/such/program", "cannot run /no/such/program: No such file"),
        (
            &["--no-checks", "--mode=fast"],
            "true",
            "CM_SIMULATOR_MODE is \"fast\": `hybrid` or `async` expected",
        ),
        (&["--no-checks", "--device=0x56a0"], "true", "one of 0x1912, 0x1916, 0x5912, 0x3e92 expected"),
    ] {
        let output = simulator(options, name).output().expect("the simulator");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(reason), "{said} lacks {reason}");
        assert_eq!(output.status.code(), Some(125), "{options:?}");
    }
}

/// The files of programs, and folders with their entries, are those of the system.
#[test]
fn files_and_folders_are_left_alone() {
    let show = "ls /sys/class | sort; ls -a / | sort; cat /proc/version; ls /dev/dri/by-path 2>&1";
    let plain = Command::new("sh").args(["-c", show]).output().expect("sh");
    let simulated = simulator(&["--no-checks"], "sh").args(["-c", show]).output().expect("sh");
    assert_eq!(String::from_utf8_lossy(&plain.stdout), String::from_utf8_lossy(&simulated.stdout));
}

#[test]
fn the_doctor_names_everything() {
    let output =
        Command::new(program()).arg("doctor").env("LD_LIBRARY_PATH", "/none").output().expect("the doctor");
    let said = String::from_utf8_lossy(&output.stdout);
    for need in [
        "Linux on x86_64",
        "libcm_simulator_preload.so",
        "libze_loader.so.1",
        "libze_intel_gpu.so.1",
        "libiga64.so.1",
    ] {
        assert!(said.contains(need), "{said} lacks {need}");
    }
    assert_eq!(output.status.success(), !said.contains("MISSING"), "{said}");
    assert_eq!(said.contains("apt-get install"), said.contains("MISSING"), "{said}");
}
