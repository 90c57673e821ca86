//! Errors of a kernel or its files.

use std::path::PathBuf;

use cm_simulator::eu::DecodeError;
use cm_simulator::launch;

/// Why the execution of a kernel failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot read {path}: {why}")]
    Read { path: PathBuf, why: std::io::Error },
    #[error("cannot write {path}: {why}")]
    Write { path: PathBuf, why: std::io::Error },
    #[error("{path} is no program binary: {why}")]
    Binary { path: PathBuf, why: String },
    #[error("{path} has no kernel {name}")]
    NoKernel { path: PathBuf, name: String },
    #[error("{path}: {why}")]
    Decode { path: PathBuf, why: DecodeError },
    #[error("--info is for program binaries: {path} has no names")]
    NoInfo { path: PathBuf },
    #[error("--alias {entry}: there is no --mem at {address:#x} of {bytes} bytes")]
    Alias { entry: u32, address: u64, bytes: u32 },
    #[error(transparent)]
    Launch(#[from] launch::Error),
}
