//! Tests the example `video`: every kernel against plain loops, on each device, and broken streams.

mod broken;
mod scalar;
#[cfg(unix)]
mod signals;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cm_test_support::devices::level_zero;
use cm_test_support::noise;
use cm_test_support::programs::example;
use scalar::{Frame, Plane};
use tempfile::TempDir;

/// A kind of chroma, and the columns and rows of luma for each sample.
const CHROMA: [(&str, Option<[usize; 2]>); 7] = [
    (" C420jpeg", Some([2, 2])),
    (" C420mpeg2", Some([2, 2])),
    (" C420paldv", Some([2, 2])),
    ("", Some([2, 2])),
    (" C422", Some([2, 1])),
    (" C444", Some([1, 1])),
    (" Cmono", None),
];

/// The name of a kernel, and its effect on all frames.
type Kernel = (&'static str, fn(&[Frame]) -> Vec<Frame>);

const KERNELS: [Kernel; 4] = [
    ("denoise", scalar::denoise),
    ("deinterlace", scalar::deinterlace),
    ("scale", scalar::scale),
    ("colour", scalar::colour),
];

/// Moving, changing discs with noise: some blocks are equal to the previous ones, some similar, some
/// different.
fn frames(count: usize, width: usize, height: usize, chroma: Option<[usize; 2]>) -> Vec<Frame> {
    let mut noise = noise::stream(7);
    let mut plane = |n: usize, width: usize, height: usize, level: i32| {
        let n = n as i32;
        Plane::new(width, height, |x, y| {
            let disc = ((x - 2 * n) % 24 - 12).pow(2) + ((y + n) % 24 - 12).pow(2) < 90;
            let strength = if x < width as i32 / 2 { 27 } else { 30 };
            level + x % 50 + if disc { 90 } else { 0 } + (noise() >> strength) as i32
        })
    };
    (0..count)
        .map(|n| {
            let mut frame = vec![plane(n, width, height, 40)];
            if let Some([columns, rows]) = chroma {
                let (width, height) = (width.div_ceil(columns), height.div_ceil(rows));
                frame.extend([plane(n, width, height, 100), plane(n, width, height, 60)]);
            }
            frame
        })
        .collect()
}

/// A stream whose first line ends with these parameters.
fn stream(frames: &[Frame], parameters: &str) -> Vec<u8> {
    let luma = &frames[0][0];
    let mut bytes = format!("YUV4MPEG2 W{} H{}{parameters}\n", luma.width, luma.height).into_bytes();
    for frame in frames {
        bytes.extend(b"FRAME\n");
        frame.iter().for_each(|plane| bytes.extend(&plane.bytes));
    }
    bytes
}

/// The program in a folder.
fn video(folder: &Path, device: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(example("video"));
    command.current_dir(folder).args(arguments).env("CM_DEVICE", device);
    command
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The CPU, and Level Zero if it has a device.
fn devices() -> impl Iterator<Item = &'static str> {
    ["cpu"].into_iter().chain(level_zero().map(|_| "level-zero"))
}

#[track_caller]
fn succeeds(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

/// Runs a program with this input.
fn piped(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the program starts");
    let mut pipe = program.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // A failing program does not read all of its input.
        scope.spawn(move || drop(pipe.write_all(input)));
        program.wait_with_output().expect("the program ends")
    })
}

#[test]
fn kernels_agree_with_plain_loops_on_every_device() {
    let folder = folder();
    for device in devices() {
        for (name, by_loops) in KERNELS {
            for (width, height, count) in [(80, 48, 5), (35, 19, 3), (1, 1, 2), (16, 8, 1)] {
                for (chroma, sampling) in [CHROMA[0], CHROMA[4], CHROMA[5], CHROMA[6]] {
                    if name == "colour" && sampling.is_none() {
                        continue;
                    }
                    let frames = frames(count, width, height, sampling);
                    let parameters = format!(" F30:1 It{chroma} XABC");
                    fs::write(folder.path().join("in.y4m"), stream(&frames, &parameters)).expect("a file");
                    let output = video(folder.path(), device, &[name, "in.y4m", "out.y4m"]).output();
                    let said = succeeds(&output.expect("the program starts"));
                    assert!(said.contains(&format!("{count} frames of ")), "{said}");
                    let parameters = match name {
                        "deinterlace" => parameters.replace(" It", " Ip"),
                        _ => parameters,
                    };
                    let expected = stream(&by_loops(&frames), &parameters);
                    let found = fs::read(folder.path().join("out.y4m")).expect("an output");
                    let same = found.iter().zip(&expected).position(|(a, b)| a != b);
                    let what = format!("{name} {width} x {height}{chroma} on {device}");
                    assert!(found == expected, "{what}: {} bytes, byte {same:?}", found.len());
                }
            }
        }
    }
}

/// The stream of the tests must have blocks of every kind.
#[test]
fn streams_of_the_test_have_everything() {
    let frames = frames(5, 80, 48, None);
    let denoised = scalar::denoise(&frames);
    let kept = |a: &Frame, b: &Frame| {
        let same = a[0].bytes.iter().zip(&b[0].bytes).filter(|(a, b)| a == b).count();
        same * 100 / a[0].bytes.len()
    };
    let kept: Vec<_> = frames.iter().zip(&denoised).map(|(a, b)| kept(a, b)).collect();
    assert_eq!(kept[0], 100);
    assert!(kept[1..].iter().all(|kept| (5..95).contains(kept)), "{kept:?}");
    let deinterlaced = scalar::deinterlace(&frames);
    assert!(frames[3][0] != deinterlaced[3][0] && frames[0] == deinterlaced[0]);
}

#[test]
fn every_name_of_chroma_and_pipes() {
    let folder = folder();
    for (chroma, sampling) in CHROMA {
        let frames = frames(4, 32, 16, sampling);
        let given = stream(&frames, chroma);
        let expected = stream(&scalar::scale(&frames), chroma);
        let output = piped(video(folder.path(), "cpu", &["scale", "-", "-"]), &given);
        succeeds(&output);
        assert!(output.stdout == expected, "{chroma}");
        assert!(!output.stderr.contains(&b'\x1b'), "no bar where there is no terminal");
    }
    // Two programs in a shell pipe; and frame parameters, which are dropped.
    let frames = frames(4, 32, 16, Some([2, 2]));
    let with_parameters = stream(&frames, "");
    let with_parameters = replaced(&with_parameters, b"FRAME\n", b"FRAME Ip XHI=THERE\n");
    let first = piped(video(folder.path(), "cpu", &["scale", "-", "-"]), &with_parameters);
    let second = piped(video(folder.path(), "cpu", &["scale", "-", "-", "--frames", "3"]), &first.stdout);
    assert!(second.stdout == stream(&scalar::scale(&scalar::scale(&frames))[..3], ""));
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut result = vec![];
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|part| part == from) {
        result.extend(&rest[..at]);
        result.extend(to);
        rest = &rest[at + from.len()..];
    }
    result.extend(rest);
    result
}

/// Without an input, the program generates a video, which is the same on every device.
#[test]
fn streams_of_its_own() {
    for kernel in ["denoise", "deinterlace"] {
        let mut results: Vec<Vec<u8>> = vec![];
        for device in devices() {
            let folder = folder();
            let output = video(folder.path(), device, &[kernel, "--frames", "2"]).output();
            let said = succeeds(&output.expect("the program starts"));
            assert!(said.contains("2 frames of 640 x 360 in "), "{said}");
            results.push(fs::read(folder.path().join("video.y4m")).expect("an output"));
        }
        assert_eq!(
            results[0].len(),
            "YUV4MPEG2 W640 H360 F25:1 Ip A1:1 C420jpeg\n".len() + 2 * (6 + 345_600)
        );
        assert!(results.iter().all(|result| *result == results[0]), "{kernel}");
    }
}

/// Writes an input file for a program.
fn put(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}
