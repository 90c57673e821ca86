//! After Ctrl-C, all frames that were read are written completely.

use std::io::Read;
use std::process::{Child, ChildStdin};
use std::time::{Duration, Instant};

use super::*;

/// A program, and its input, which stays open.
fn endless(arguments: &[&str], folder: &TempDir, frames: &[Frame]) -> (Child, ChildStdin) {
    let mut command = video(folder.path(), "cpu", arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the program starts");
    let mut pipe = program.stdin.take().expect("a pipe");
    pipe.write_all(&stream(frames, " Cmono")).expect("the program reads");
    // Half of another frame.
    pipe.write_all(b"FRAME\n").and_then(|()| pipe.write_all(&[1; 50])).expect("the program reads");
    (program, pipe)
}

fn interrupt(program: &Child) {
    let sent = Command::new("kill").args(["-INT", &program.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

#[test]
fn ctrl_c_leaves_whole_frames() {
    let folder = folder();
    let frames = frames(3, 32, 16, None);
    let (mut program, input) = endless(&["scale", "-", "out.y4m"], &folder, &frames);
    let expected = stream(&scalar::scale(&frames), " Cmono");
    // All complete frames are written, although the stream has not ended.
    let start = Instant::now();
    let path = folder.path().join("out.y4m");
    while fs::metadata(&path).map_or(0, |file| file.len()) < expected.len() as u64 {
        assert!(start.elapsed() < Duration::from_secs(60), "the frames come out before the end");
        std::thread::sleep(Duration::from_millis(10));
    }
    interrupt(&program);
    let status = program.wait().expect("it ends, though its input does not");
    assert_eq!(status.code(), Some(130));
    drop(input);
    let mut said = String::new();
    program.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(said.contains("stopped after 3 frames of 16 x 8"), "{said}");
    assert!(fs::read(path).expect("an output") == expected);
}

#[test]
fn pressed_again_it_ends_at_once() {
    let folder = folder();
    // More than a pipe holds, so the program waits for a reader.
    let frames = frames(40, 320, 240, None);
    let mut command = video(folder.path(), "cpu", &["denoise", "in.y4m", "-"]);
    put(&folder, "in.y4m", &stream(&frames, " Cmono"));
    let mut program =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // The program has begun to write.
    let mut first = [0; 9];
    program.stdout.as_mut().expect("a pipe").read_exact(&mut first).expect("a header");
    assert_eq!(&first, b"YUV4MPEG2");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&program);
    std::thread::sleep(Duration::from_millis(300));
    assert!(program.try_wait().expect("a status").is_none(), "it wants to write the frames that it has");
    // Signals that follow each other closely may arrive as one.
    let status = loop {
        interrupt(&program);
        std::thread::sleep(Duration::from_millis(50));
        if let Some(status) = program.try_wait().expect("a status") {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
}
