//! Links, permissions, pipes and devices.

use std::fs;
use std::io::pipe;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::desk::{Desk, colours, error_text, scalar};

#[test]
fn permissions_and_links_stay_as_they_are() {
    let desk = Desk::new();
    let mode = |name: &str| fs::metadata(desk.path(name)).expect("the file").permissions().mode() & 0o7777;
    fs::write(desk.path("plain"), "").expect("the file is written");
    desk.run(&[]);
    assert_eq!(mode("linear.png"), mode("plain"));

    let path = desk.path("linear.png");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("linear.png", desk.path("link.png")).expect("a link");
    let before = desk.get("linear.png");
    desk.run(&["linear.png", "link.png", "--in-place"]);
    assert!(desk.path("link.png").is_symlink());
    assert_eq!((desk.get("linear.png"), mode("linear.png")), (scalar(&before).into(), 0o640));

    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).expect("permissions");
    assert!(desk.fail(&[]).contains("read-only"));
}

/// Pipes and devices are not images, alone or in a folder.
#[test]
fn only_regular_files_are_read() {
    let desk = Desk::new();
    let pipe = desk.path("pipe.png");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    symlink("/dev/zero", desk.path("zero.png")).expect("a link");
    for name in ["pipe.png", "zero.png"] {
        let error = desk.fail(&[name, "out.png"]);
        assert!(error.contains("not a regular file"), "{error}");
    }
    desk.put("a.png", colours(4, 4));
    let text = desk.run(&[".", "out"]);
    assert!(text.contains("1 of 1 images") && text.contains("no images: 2"), "{text}");
}

/// `/dev/full` behaves like a full disk.
#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full");
        return;
    }
    let desk = Desk::new();
    symlink("/dev/full", desk.path("full.png")).expect("a link");
    let output = desk.command_of("horizontal_difference", &["full.png"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(error_text(&output).contains("full.png"), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let output = desk.command_of("horizontal_difference", &["whole.png"]).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(desk.get("whole.png").height(), 480);
}

#[test]
fn products_of_matrices_are_those_of_loops() {
    let desk = Desk::new();
    let output = desk.command_of("matrix_product", &["96"]).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let ways = ["tiles of 16 columns", "tiles of 8 columns", "2-D blocks", "2-D blocks, 256 registers"];
    for way in ways {
        assert!(said.contains(&format!("{way}: 96 x 96 in")), "{said}");
    }
    assert_eq!(said.matches("the same bits").count(), ways.len(), "{said}");
    for (size, error) in
        [("0", "a multiple of 32 from 32 to 4096"), ("33", "a multiple of 32"), ("x", "`x` is not a size")]
    {
        let output = desk.command_of("matrix_product", &[size]).output().expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(error_text(&output).contains(error), "{output:?}");
    }
}

#[test]
fn a_reader_that_left_is_no_error() {
    let desk = Desk::new();
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let status = desk.command(&[]).stdout(writer).status().expect("the program starts");
    assert!(status.success());
    assert_eq!(desk.names("."), ["linear.png"]);
}
