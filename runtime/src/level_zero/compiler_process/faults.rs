//! Processes that crash, on the mock: the error names the kernel, and the next launch works.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A program with these lines.
fn script(folder: &tempfile::TempDir, lines: &str) -> CompilerProcess {
    let path = folder.path().join("program");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    CompilerProcess::at(path)
}

fn compile(lines: &str, size: usize) -> Result<Option<Vec<u8>>, LevelZeroError> {
    let folder = tempfile::tempdir().unwrap();
    let request = Request {
        kernel: "step".into(),
        uuid: [1; UUID],
        options: "-vc-codegen".into(),
        words: vec![5; size],
    };
    script(&folder, lines).compile(&request, "made-up")
}

#[test]
fn a_process_without_an_answer_is_an_error_that_names_the_kernel_and_who_is_at_fault() {
    for (lines, words) in [
        ("kill -SEGV $$", "SIGSEGV"),
        ("cat > /dev/null; kill -ABRT $$", "SIGABRT"),
        ("echo 'LLVM ERROR: Cannot select' >&2; exit 1", "exit status: 1; LLVM ERROR: Cannot select"),
        ("kill -KILL $$", "SIGKILL"),
        ("exit 0", "exit status: 0"),
        ("echo something else", "exit status: 0"),
        ("cat", "exit status: 0"),
        ("printf 'cm compiled 2\\n'; kill -SEGV $$", "SIGSEGV"),
        ("printf 'cm compiled 2\\n1half of a hash'", "exit status: 0"),
        ("for n in 1 2 3 4 5 6; do echo $n >&2; done; exit 2", "exit status: 2; 3; 4; 5; 6"),
        ("yes | head -c 300000 >&2; exit 3", "exit status: 3; y; y; y; y"),
    ] {
        // A large request is not read completely.
        for size in [1, 100_000] {
            let error = compile(lines, size).unwrap_err();
            let (crashed, kernel, device, reason) = match &error {
                LevelZeroError::CompilerCrashed { kernel, device, reason } => (true, kernel, device, reason),
                LevelZeroError::CompilerAnswer { kernel, device, reason, .. } => {
                    (false, kernel, device, reason)
                }
                _ => panic!("{error}"),
            };
            assert_eq!(crashed, words.starts_with("SIG"), "{error}");
            assert_eq!((&**kernel, &**device), ("step", "made-up"));
            assert!(reason.contains(words), "{lines}: {reason}");
            assert!(error.to_string().contains("`step` for made-up"), "{error}");
        }
    }
}

#[test]
fn answers_are_taken() {
    assert_eq!(compile("cat > /dev/null; printf 'cm compiled 2\\n0'", 100_000), Ok(None));
    assert_eq!(
        CompilerProcess::default().compile(
            &Request::from_bytes(
                &Request {
                    kernel: "k".into(),
                    uuid: [1; UUID],
                    options: "-vc-codegen".into(),
                    words: vec![]
                }
                .to_bytes()
            )
            .unwrap(),
            ""
        ),
        Ok(None)
    );
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let process = CompilerProcess::at("/not/there".into());
    let request =
        Request { kernel: "step".into(), uuid: [1; UUID], options: "-vc-codegen".into(), words: vec![5] };
    let error = process.compile(&request, "made-up").unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, LevelZeroError::CompilerStart { .. }), "{text}");
    assert!(["CM_COMPILER", "/not/there", "No such file"].iter().all(|words| text.contains(words)), "{text}");
}
