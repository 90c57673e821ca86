//! Broken streams and outputs that cannot be written: the error names the frame, and all frames before it are
//! written.

use std::fs;

use super::*;

/// A stream, words of the error, and how many frames are written; `None` means no output.
type Row = (&'static str, fn() -> Vec<u8>, &'static [&'static str], Option<usize>);

const WIDTH: usize = 24;
const HEIGHT: usize = 10;
/// Bytes of a frame including its header line.
const FRAME: usize = 6 + WIDTH * HEIGHT * 3 / 2;

/// Three frames.
fn good() -> Vec<u8> {
    stream(&frames(3, WIDTH, HEIGHT, Some([2, 2])), "")
}

fn without_end(bytes: usize) -> Vec<u8> {
    let mut stream = good();
    stream.truncate(stream.len() - bytes);
    stream
}

fn first_line(line: &str) -> Vec<u8> {
    let mut stream = line.as_bytes().to_vec();
    stream.extend(b"\nFRAME\n");
    stream.extend([7; 100]);
    stream
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Truncated streams.
    ("nothing", Vec::new, &["empty"], None),
    ("a byte too few", || without_end(1), &["frame 3", "ends after 359 of its 360 bytes"], Some(2)),
    ("half a frame", || without_end(180), &["frame 3", "ends after 180 of its 360 bytes"], Some(2)),
    ("a frame of no bytes", || without_end(360), &["frame 3", "ends after 0 of its 360 bytes"], Some(2)),
    ("half a line of a frame", || without_end(363), &["frame 3", "ends in a line"], Some(2)),
    ("the first frame cut off", || without_end(2 * FRAME + 1), &["frame 1", "359 of its 360"], Some(0)),
    ("half a header", || b"YUV4MPEG2 W24 H10".to_vec(), &["ends in a line"], None),
    // Streams with additional data.
    ("a byte too many", || [good(), vec![0]].concat(), &["frame 4", "ends in a line"], Some(3)),
    ("a line too many", || [good(), b"BYE\n".to_vec()].concat(), &["frame 4", "does not begin with FRAME"], Some(3)),
    ("a word that begins with FRAME", || [good(), b"FRAMES\n".to_vec()].concat(), &["frame 4", "does not begin with FRAME"], Some(3)),
    ("two streams", || [good(), good()].concat(), &["frame 4", "does not begin with FRAME"], Some(3)),
    ("a line without end", || [good(), vec![b'F'; 5000]].concat(), &["frame 4", "more than 4096 bytes"], Some(3)),
    ("a line that is no text", || [good(), vec![0xff, 0xfe, b'\n']].concat(), &["frame 4", "not text"], Some(3)),
    // Headers.
    ("another format", || b"RIFF....WAVE\n".to_vec(), &["not a Y4M stream", "YUV4MPEG2"], None),
    ("bytes", || vec![0xff; 5000], &["not a Y4M stream"], None),
    ("no size", || first_line("YUV4MPEG2"), &["no width"], None),
    ("no height", || first_line("YUV4MPEG2 W24"), &["no height"], None),
    ("no width", || first_line("YUV4MPEG2 H24"), &["no width"], None),
    ("a width of 0", || first_line("YUV4MPEG2 W0 H10"), &["the width is `0`", "1 to 8192"], None),
    ("a height of 0", || first_line("YUV4MPEG2 W10 H0"), &["the height is `0`"], None),
    ("a negative width", || first_line("YUV4MPEG2 W-8 H8"), &["the width is `-8`"], None),
    ("a width that is no number", || first_line("YUV4MPEG2 Wide H8"), &["the width is `ide`"], None),
    ("an empty width", || first_line("YUV4MPEG2 W H8"), &["the width is ``"], None),
    ("a large width", || first_line("YUV4MPEG2 W8193 H8"), &["the width is `8193`", "1 to 8192"], None),
    ("a huge height", || first_line("YUV4MPEG2 W8 H18446744073709551615"), &["the height is `18446744073709551615`"], None),
    ("a height beyond all numbers", || first_line("YUV4MPEG2 W8 H99999999999999999999999"), &["the height is"], None),
    ("a product beyond all numbers", || first_line("YUV4MPEG2 W4294967296 H4294967296"), &["the width is"], None),
    ("a large stream that is not there", || first_line("YUV4MPEG2 W8192 H2048"), &["frame 1", "of its 25165824 bytes"], Some(0)),
    ("letters of several bytes", || first_line("YUV4MPEG2 \u{4e2d}W8 H8"), &["no width"], None),
    // Chroma.
    ("chroma of 10 bits", || first_line("YUV4MPEG2 W8 H8 C420p10"), &["chroma `420p10` is not supported", "yuv420p"], None),
    ("grey of 16 bits", || first_line("YUV4MPEG2 W8 H8 Cmono16"), &["`mono16` is not supported"], None),
    ("chroma for 4 columns", || first_line("YUV4MPEG2 W8 H8 C411"), &["`411` is not supported"], None),
    ("a plane of alpha", || first_line("YUV4MPEG2 W8 H8 C444alpha"), &["`444alpha` is not supported"], None),
    ("chroma without a name", || first_line("YUV4MPEG2 W8 H8 C"), &["`` is not supported"], None),
];

fn complains(output: &Output, words: &[&str]) -> Result<(), String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let brief = said.starts_with("error: ") && said.lines().count() == 1 && !said.contains("panicked");
    let missing: Vec<_> = words.iter().filter(|word| !said.contains(**word)).collect();
    match output.status.code() == Some(1) && brief && missing.is_empty() {
        true => Ok(()),
        false => Err(format!("{}, without {missing:?}: {said}", output.status)),
    }
}

#[test]
fn broken_streams_are_errors_that_name_the_frame() {
    let folder = folder();
    let whole = stream(&scalar::denoise(&frames(3, WIDTH, HEIGHT, Some([2, 2]))), "");
    for &(what, make, words, frames) in ROWS {
        let input = put(&folder, "in.y4m", &make());
        let target = folder.path().join("out.y4m");
        let _ = fs::remove_file(&target);
        let output = video(folder.path(), "cpu", &["denoise", "in.y4m", "out.y4m"]).output();
        let output = output.expect("the program starts");
        complains(&output, &[words, &["in.y4m: "]].concat())
            .unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        let found = fs::read(&target).ok();
        let Some(frames) = frames else {
            assert!(found.is_none(), "{what}: there is no output");
            continue;
        };
        let found = found.unwrap_or_else(|| panic!("{what}: there is an output"));
        if frames > 0 {
            assert!(found == whole[..whole.len() - (3 - frames) * FRAME], "{what}: {} bytes", found.len());
        } else {
            assert!(found.ends_with(b"\n") && found.starts_with(b"YUV4MPEG2 W"), "{what}: only the header");
        }
        // The same through a pipe.
        let bytes = fs::read(&input).expect("the input");
        let output = piped(video(folder.path(), "cpu", &["denoise", "-", "-"]), &bytes);
        complains(&output, &[words, &["the standard input: "]].concat())
            .unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        assert!(output.stdout == found, "{what}");
    }
}

/// The messages of system errors are those of Unix.
#[cfg(unix)]
#[test]
fn files_that_cannot_be_used() {
    let folder = folder();
    put(&folder, "in.y4m", &good());
    put(&folder, "grey.y4m", &stream(&frames(1, 8, 8, None), " Cmono"));
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    for (arguments, words) in [
        (&["scale", "missing.y4m", "out.y4m"][..], &["missing.y4m", "No such file"][..]),
        (&["scale", "folder", "out.y4m"], &["folder", "not a video"]),
        (&["scale", "in.y4m", "folder"], &["folder", "directory"]),
        (&["scale", "in.y4m", "missing/out.y4m"], &["missing/out.y4m", "No such file"]),
        (&["scale", "in.y4m", "in.y4m"], &["in.y4m", "the output is the input"]),
        (&["scale", "in.y4m", "folder/../in.y4m"], &["the output is the input"]),
        (&["colour", "grey.y4m", "out.y4m"], &["without chroma has no colours"]),
    ] {
        let output = video(folder.path(), "cpu", arguments).output().expect("the program starts");
        complains(&output, words).unwrap_or_else(|wrong| panic!("{arguments:?}: {wrong}"));
        assert!(!folder.path().join("out.y4m").exists(), "{arguments:?}");
        assert_eq!(fs::read(folder.path().join("in.y4m")).expect("the input"), good());
    }
    // Command lines that the option parser refuses.
    for arguments in [&[][..], &["blur"], &["scale", "a", "b", "c"], &["scale", "--frames", "-1"]] {
        let output = video(folder.path(), "cpu", arguments).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// A reader that disappears is reported as an error.
#[cfg(unix)]
#[test]
fn nobody_reads_the_output() {
    let folder = folder();
    put(&folder, "in.y4m", &stream(&frames(40, 320, 240, None), " Cmono"));
    let mut command = video(folder.path(), "cpu", &["scale", "in.y4m", "-"]);
    let mut program =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    drop(program.stdout.take());
    let output = program.wait_with_output().expect("the program ends");
    complains(&output, &["the standard output", "cannot be written", "Broken pipe"]).unwrap();
}

/// With this limit, the file is full in the middle of the third frame.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_whole_frames() {
    let folder = folder();
    let frames = frames(8, 160, 120, None);
    put(&folder, "in.y4m", &stream(&frames, " Cmono"));
    let mut shell = Command::new("sh");
    // If the signal is ignored, the write fails.
    shell.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" denoise in.y4m out.y4m"]);
    let output = shell.arg(example("video")).current_dir(folder.path()).env("CM_DEVICE", "cpu").output();
    complains(&output.expect("the program starts"), &["out.y4m", "cannot be written", "too large"]).unwrap();
    let found = fs::read(folder.path().join("out.y4m")).expect("an output");
    let expected = stream(&scalar::denoise(&frames), " Cmono");
    let (header, frame) = ("YUV4MPEG2 W160 H120 Cmono\n".len(), 6 + 160 * 120);
    let whole = (found.len() - header) / frame;
    assert!((2..8).contains(&whole), "{} bytes", found.len());
    assert!(found == expected[..header + whole * frame], "{} bytes", found.len());
}
