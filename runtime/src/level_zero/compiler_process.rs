//! A process that compiles kernels for this one: if the driver's compiler crashes, the kernel is an error and the
//! program continues.
//!
//! The user's own executable cannot be that process, because it would run its `main`. So `CM_COMPILER` names a
//! program that calls `cm::compile_for_parent`, such as the example `compile`. The request goes to its standard
//! input, and the answer comes from its standard output. It always answers unless it crashes.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

use sha2::{Digest, Sha256};

use crate::error::LevelZeroError;

/// The program that compiles.
const VARIABLE: &str = "CM_COMPILER";
/// The first bytes of requests and answers. The numbers are the versions of the format.
const REQUEST: &[u8] = b"cm compile 3\n";
const ANSWER: &[u8] = b"cm compiled 2\n";
const HASH: usize = 32;
pub(super) const UUID: usize = 16;

/// The program that compiles kernels for this process, if there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct CompilerProcess {
    program: Option<PathBuf>,
}

/// A request: the code to compile, and its device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    pub(super) kernel: String,
    pub(super) uuid: [u8; UUID],
    /// The options of the compiler.
    pub(super) options: String,
    pub(super) words: Vec<u32>,
}

impl Request {
    fn to_bytes(&self) -> Vec<u8> {
        let (name, options) = (self.kernel.as_bytes(), self.options.as_bytes());
        let [name_length, options_length, count] =
            [name.len(), options.len(), self.words.len()].map(|length| (length as u64).to_le_bytes());
        let lengths = [name_length, options_length, count].concat();
        [REQUEST, &self.uuid, &lengths, name, options, bytemuck::cast_slice(&self.words)].concat()
    }

    /// `None` if the bytes are not a request.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (uuid, rest) = bytes.strip_prefix(REQUEST)?.split_first_chunk()?;
        let (lengths, rest) = rest.split_at_checked(3 * size_of::<u64>())?;
        let (lengths, []) = lengths.as_chunks() else { return None };
        let lengths = lengths.iter().map(|length| usize::try_from(u64::from_le_bytes(*length)).ok());
        let [name, options, count] = lengths.collect::<Option<Vec<_>>>()?[..] else { return None };
        let (name, rest) = rest.split_at_checked(name)?;
        let (options, words) = rest.split_at_checked(options)?;
        let (words, []) = words.as_chunks() else { return None };
        if words.len() != count {
            return None;
        }
        Some(Self {
            kernel: String::from_utf8(name.to_vec()).ok()?,
            uuid: *uuid,
            options: String::from_utf8(options.to_vec()).ok()?,
            words: words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
        })
    }
}

/// The bytes of an answer: the binary, or none if the asking process must compile (and report the error).
pub(super) fn answer(binary: Option<&[u8]>) -> Vec<u8> {
    match binary {
        None => [ANSWER, b"0"].concat(),
        Some(binary) => {
            let length = (binary.len() as u64).to_le_bytes();
            [ANSWER, b"1", &length, Sha256::digest(binary).as_slice(), binary].concat()
        }
    }
}

/// The binary of an answer. The outer `None` means that the bytes are not an answer.
fn answered(bytes: &[u8]) -> Option<Option<Vec<u8>>> {
    // The driver may print something before the answer, and after it.
    let at = bytes.windows(ANSWER.len()).position(|window| window == ANSWER)?;
    match bytes[at + ANSWER.len()..] {
        [b'0', ..] => Some(None),
        [b'1', ref rest @ ..] => {
            let (length, rest) = rest.split_first_chunk()?;
            let (hash, rest) = rest.split_at_checked(HASH)?;
            let binary = rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            (Sha256::digest(binary).as_slice() == hash).then(|| Some(binary.to_vec()))
        }
        _ => None,
    }
}

impl CompilerProcess {
    /// The program that `CM_COMPILER` names.
    pub(super) fn of_process() -> Self {
        static PROGRAM: OnceLock<Option<OsString>> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| std::env::var_os(VARIABLE).filter(|value| !value.is_empty()));
        Self { program: program.clone().map(PathBuf::from) }
    }

    #[cfg(test)]
    pub(super) fn at(program: PathBuf) -> Self {
        Self { program: Some(program) }
    }

    /// The binary of a kernel; `None` if this process must compile it.
    pub(super) fn compile(&self, request: &Request, device: &str) -> Result<Option<Vec<u8>>, LevelZeroError> {
        let Some(program) = &self.program else { return Ok(None) };
        let mut command = Command::new(program);
        command.env_remove(VARIABLE).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: std::io::Error| LevelZeroError::CompilerStart {
            program: program.clone(),
            reason: error.to_string(),
        };
        let mut child = command.spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        // Written while the answer is read: a process that does not read the request may write.
        let output = thread::scope(|scope| {
            let write = move || {
                // A process that has ended does not read it; then there is no answer either.
                let _ = stdin.map(|mut stdin| stdin.write_all(&request.to_bytes()));
            };
            match thread::Builder::new().spawn_scoped(scope, write) {
                Ok(_) => child.wait_with_output(),
                Err(error) => {
                    // It gets no request. If it cannot be killed, it has ended.
                    let _ = child.kill();
                    child.wait().and(Err(error))
                }
            }
        });
        let output = output.map_err(failed)?;
        answered(&output.stdout).ok_or_else(|| {
            let (kernel, device, reason) = (request.kernel.clone(), device.to_owned(), reason(&output));
            // The codes of exceptions on Windows are negative.
            if output.status.code().is_none_or(|code| code < 0) {
                LevelZeroError::CompilerCrashed { kernel, device, reason }
            } else {
                LevelZeroError::CompilerAnswer { program: program.clone(), kernel, device, reason }
            }
        })
    }
}

/// How a process ended, and its last output.
fn reason(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let mut reason = output.status.to_string();
    let lines: Vec<_> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    for line in &lines[lines.len().saturating_sub(4)..] {
        // Writing to a string does not fail.
        let _ = write!(reason, "; {line}");
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            kernel: "k".into(),
            uuid: [7; UUID],
            options: "-vc-codegen".into(),
            words: vec![0x0723_0203, 1, 2],
        }
    }

    #[test]
    fn requests_and_answers_come_back() {
        assert_eq!(Request::from_bytes(&request().to_bytes()), Some(request()));
        let bytes = request().to_bytes();
        for length in 0..bytes.len() {
            assert_eq!(Request::from_bytes(&bytes[..length]), None, "{length} bytes");
        }
        assert_eq!(answered(&answer(None)), Some(None));
        assert_eq!(answered(&answer(Some(b"binary"))), Some(Some(b"binary".to_vec())));
        assert_eq!(
            answered(&[b"a warning\n", &*answer(Some(b"binary")), b"goodbye\n"].concat()),
            Some(Some(b"binary".into()))
        );
        assert_eq!(answered(&[&*answer(None), b"goodbye\n"].concat()), Some(None));
        let whole = answer(Some(b"binary"));
        for length in 0..whole.len() {
            assert_eq!(answered(&whole[..length]), None, "{length} bytes");
        }
    }
}

#[cfg(all(test, unix))]
mod faults;
