//! `cm-simulator run` and `doctor`: the environment of a program, and what the simulator does not change.

use std::process::Command;

use crate::processes::{module, program, simulator};

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
fn a_sanitizer_is_told_to_accept_the_library() {
    for (before, after) in [(None, "verify_asan_link_order=0"), (Some("a=1"), "a=1:verify_asan_link_order=0")]
    {
        let mut command = simulator(&["--no-checks", "--sanitizer"], "sh");
        command.env_remove("ASAN_OPTIONS").envs(before.map(|options| ("ASAN_OPTIONS", options)));
        let output = command
            .args(["-c", "echo $NEOReadDebugKeys $DisableDeepBind $ASAN_OPTIONS"])
            .output()
            .expect("sh");
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("1 1 {after}\n"));
    }
}

/// AddressSanitizer aborts a process that opens a library with `RTLD_DEEPBIND`, as the driver does by
/// default.
#[test]
fn a_program_with_a_sanitizer_has_the_device() {
    if module().is_none() {
        return;
    }
    let built = concat!(env!("CARGO_TARGET_TMPDIR"), "/sanitized");
    let compiled = Command::new("rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "-Zsanitizer=address",
            "--target",
            "x86_64-unknown-linux-gnu",
            "--edition",
            "2024",
            "-o",
            built,
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/driver/sanitized.rs"))
        .output()
        .expect("rustc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = |options: &[&str], arguments: &[&str]| {
        let output = simulator(options, built)
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .args(arguments)
            .output()
            .expect("the program");
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (said, trouble) = run(&["--sanitizer"], &[]);
    assert_eq!(said, "1 true\n", "{trouble}");
    let (said, trouble) = run(&["--sanitizer"], &["wrong", "wrong"]);
    assert!(said.is_empty() && trouble.contains("heap-buffer-overflow"), "{said}{trouble}");
    let (said, trouble) = run(&[], &[]);
    assert!(said.is_empty() && trouble.contains("RTLD_DEEPBIND"), "{said}{trouble}");
}

#[test]
fn what_cannot_start_is_status_125_with_the_reason() {
    for (options, name, reason) in [
        (&["--no-checks"][..], "/no/such/program", "cannot run /no/such/program: No such file"),
        (
            &["--no-checks", "--mode=fast"],
            "true",
            "CM_SIMULATOR_MODE (option `--mode`) is \"fast\": `hybrid` or `async` expected",
        ),
        (&["--no-checks", "--device=0x0bd5"], "true", "one of 0x1912, 0x1916, 0x5912, 0x3e92, 0x9a49, "),
    ] {
        let output = simulator(options, name).output().expect("the simulator");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(reason), "{said} lacks {reason}");
        assert_eq!(output.status.code(), Some(125), "{options:?}");
    }
}

/// Programs see the files and folders of the system unchanged.
#[test]
fn files_and_folders_are_left_alone() {
    let show = "ls /sys/class | sort; ls -a / | sort; cat /proc/version; ls /dev/dri/by-path 2>&1";
    let plain = Command::new("sh").args(["-c", show]).output().expect("sh");
    let simulated = simulator(&["--no-checks"], "sh").args(["-c", show]).output().expect("sh");
    assert_eq!(String::from_utf8_lossy(&plain.stdout), String::from_utf8_lossy(&simulated.stdout));
}

#[test]
fn messages_without_their_file_are_on_standard_error() {
    let output = simulator(&["--no-checks", "--log=1", "--log-file=/no/folder/log"], "sh")
        .args(["-c", "exec 3</dev/dri/renderD128"])
        .output()
        .expect("sh");
    let said = String::from_utf8_lossy(&output.stderr);
    let why = "cm-simulator: cannot write the messages to /no/folder/log, so they are here: No such file";
    assert!(said.contains(why) && said.contains("the render node is open: descriptor 3"), "{said}");
}

/// In a child of `fork`, the nodes of the parent are ordinary files, also if it opens the node itself.
#[test]
fn a_forked_child_does_not_have_the_nodes_of_its_parent() {
    let script = "exec 3</dev/dri/renderD128; (exec 4</dev/dri/renderD128; exec 3<&-; exec 4<&-); exec 3<&-";
    let output = simulator(&["--no-checks", "--log=1"], "sh").args(["-c", script]).output().expect("sh");
    let said = String::from_utf8_lossy(&output.stderr);
    let counts =
        ["is open: ", "is closed: ", "is closed: descriptor 3"].map(|what| said.matches(what).count());
    assert_eq!(counts, [2, 2, 1], "{said}");
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
