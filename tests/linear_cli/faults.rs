//! Killed programs, full disks, too little memory: each output is complete or does not exist.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use cm_test_support::noise::byte;
use image::{DynamicImage, RgbImage, RgbaImage};

use crate::desk::{Desk, colours, error_text, scalar};

/// Runs a command under limits that a shell sets.
fn limited(command: &Command, limits: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits}; exec \"$@\""), "sh"]).arg(command.get_program());
    shell.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// The number of images in a folder; each must be complete. Files that a killed program leaves have other
/// names.
fn whole(desk: &Desk, folder: &str, expected: &RgbImage) -> usize {
    if !desk.path(folder).exists() {
        return 0;
    }
    let names = desk.names(folder);
    let images: Vec<_> = names.iter().filter(|name| !name.starts_with(".linear-")).collect();
    for name in &images {
        let image = desk.get(&format!("{folder}/{name}"));
        assert_eq!(image.into_rgb8(), *expected, "{name}");
    }
    images.len()
}

/// A folder with this many equal images. Returns the filtered image.
fn album(desk: &Desk, count: usize) -> RgbImage {
    fs::create_dir(desk.path("in")).expect("a folder");
    let image = desk.put("in/00.png", colours(96, 64));
    for n in 1..count {
        fs::copy(desk.path("in/00.png"), desk.path(&format!("in/{n:02}.png"))).expect("a copy");
    }
    scalar(&image)
}

/// With these limits, the system kills the program while it writes a large image.
const KILLED: &str = "ulimit -c 0; ulimit -f 60";

#[test]
fn a_batch_that_is_killed_leaves_whole_outputs() {
    let desk = Desk::new();
    let expected = album(&desk, 12);
    let small = fs::read(desk.path("in/00.png")).expect("the image is there");
    // A batch processes files in the order of their names.
    for number in [0, 1, 7, 11] {
        let _ = fs::remove_dir_all(desk.path("out"));
        let large = format!("in/{number:02}.png");
        desk.put(&large, colours(300, 200));
        let output = limited(&desk.command(&["in", "out"]), KILLED).output().expect("the program starts");
        assert_eq!(output.status.code(), None, "a signal ends it: {output:?}");
        assert_eq!(whole(&desk, "out", &expected), number);
        fs::write(desk.path(&large), &small).expect("the image is written");
    }
    // The next run writes the missing images.
    desk.run(&["in", "out"]);
    assert_eq!(whole(&desk, "out", &expected), 12);
}

#[test]
fn a_replacement_that_is_killed_leaves_the_old_image() {
    let desk = Desk::new();
    let before = desk.put("a.png", colours(300, 200));
    let after = DynamicImage::ImageRgb8(scalar(&before));
    let command = desk.command(&["a.png", "a.png", "--in-place"]);
    let output = limited(&command, KILLED).output().expect("the program starts");
    assert_eq!(output.status.code(), None, "a signal ends it: {output:?}");
    assert!(desk.get("a.png") == before);
    desk.run(&["a.png", "a.png", "--in-place"]);
    assert!(desk.get("a.png") == after);
}

/// A limit on file sizes acts like a full disk: if its signal is ignored, the write is an error.
#[test]
fn a_disk_that_is_full_is_an_error() {
    let desk = Desk::new();
    let expected = album(&desk, 3);
    let image = desk.put("large.png", colours(300, 200));
    fs::write(desk.path("out.png"), "old").expect("the file is written");
    // Blocks of 512 or 1024 bytes, depending on the shell.
    let limits = "trap '' XFSZ; ulimit -f 60";
    for args in [
        &["large.png", "out.png"][..],
        &["large.png", "new.png"],
        &["in/00.png", "out.png", "--compare=large.png"],
    ] {
        let output = limited(&desk.command(args), limits).output().expect("the program starts");
        let error = error_text(&output);
        if args.len() == 2 {
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert!(error.contains("cannot write") && error.contains("File too large"), "{error}");
        }
    }
    assert!(!desk.path("new.png").exists());
    // A batch continues with the images that fit.
    image.save(desk.path("in/01.png")).expect("the image is written");
    let output = limited(&desk.command(&["in", "out"]), limits).output().expect("the program starts");
    let error = error_text(&output);
    assert!(error.contains("01.png: File too large") && error.contains("1 of 3 images failed"), "{error}");
    assert_eq!(whole(&desk, "out", &expected), 2);
    assert_eq!(desk.names("out"), ["00.png", "02.png"], "nothing unfinished is left");
    // With the signal, the program is killed, and the target is unchanged.
    fs::write(desk.path("out.png"), "old").expect("the file is written");
    let output = limited(&desk.command(&["large.png", "out.png"]), KILLED).output().expect("it starts");
    assert_eq!(output.status.code(), None, "{output:?}");
    assert_eq!(fs::read(desk.path("out.png")).expect("the file"), b"old");
}

/// A separate disk, if the user may create one.
#[cfg(target_os = "linux")]
#[test]
fn a_small_disk_fills_up() {
    let desk = Desk::new();
    let expected = album(&desk, 12);
    let disk = desk.path("out");
    fs::create_dir(&disk).expect("a folder");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this user cannot mount a disk");
        return;
    }
    struct Mounted<'a>(&'a Path);
    impl Drop for Mounted<'_> {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(self.0).status();
        }
    }
    let _mounted = Mounted(&disk);
    let output = desk.command(&["in", "out"]).output().expect("the program starts");
    let error = error_text(&output);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(error.contains("cannot write") && error.contains("No space left on device"), "{error}");
    let count = whole(&desk, "out", &expected);
    assert!((1..12).contains(&count), "{count}");
    assert_eq!(desk.names("out").len(), count, "nothing unfinished is left");
}

/// For every limit, the program either reports too little memory, or succeeds.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_an_error() {
    let desk = Desk::new();
    fs::create_dir(desk.path("in")).expect("a folder");
    let noisy = RgbaImage::from_fn(600, 600, |x, y| {
        image::Rgba([0, 1, 2, 3].map(|c| byte((x * 4 + y * 2400 + c) as usize)))
    });
    desk.put("in/a.png", noisy);
    let mut outcomes = [0, 0];
    for (args, first) in [(&["in", "out"][..], 26), (&["in", "out", "--compare"], 30)] {
        for megabytes in (first..first + 20).step_by(4) {
            let mut command = desk.command(args);
            command.env("CM_NUM_THREADS", "1").env("CM_DEVICE", "cpu").env_remove("LD_PRELOAD");
            let output = limited(&command, &format!("ulimit -v {megabytes}000")).output().expect("it starts");
            let error = error_text(&output);
            match output.status.code() {
                Some(0) => outcomes[0] += 1,
                Some(1) => {
                    assert!(error.contains("memory"), "{megabytes} MB: {error}");
                    outcomes[1] += 1;
                }
                _ => panic!("{megabytes} MB: {output:?}"),
            }
        }
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
}

#[test]
fn forbidden_places_are_errors() {
    let desk = Desk::new();
    desk.put("in.png", colours(4, 4));
    desk.put("secret.png", colours(4, 4));
    fs::create_dir(desk.path("locked")).expect("a folder");
    let mode = |name: &str, mode| {
        fs::set_permissions(desk.path(name), fs::Permissions::from_mode(mode)).expect("permissions");
    };
    mode("locked", 0o555);
    mode("secret.png", 0o000);
    mode(".", 0o755);
    mode("in.png", 0o644);
    // The superuser may write anywhere, so then the program runs as the user `nobody`.
    let superuser = fs::write(desk.path("locked/probe"), "").is_ok();
    for (args, message) in [
        (["in.png", "locked/out.png"], "Permission denied"),
        (["in.png", "locked/new/out.png"], "Permission denied"),
        (["secret.png", "locked/out.png"], "cannot read secret.png: Permission denied"),
    ] {
        let mut command = desk.command(&args);
        if superuser {
            command.uid(65534).gid(65534);
        }
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                eprintln!(
                    "skipped: this user may write anywhere, and nobody cannot run the program: {error}"
                );
                return;
            }
        };
        let error = error_text(&output);
        assert!(output.status.code() == Some(1) && error.contains(message), "{args:?}: {output:?}");
    }
    mode("locked", 0o755);
}
