//! Kernels with debug information, in a folder for debuggers, profilers and the simulated GPU.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use cm_compiler::spirv::{DEBUG_OPTION, RegisterFile};

use super::cache::{Key, write};
use crate::error::LevelZeroError;

/// The folder; without it kernels have no debug information.
pub(crate) const VARIABLE: &str = "CM_DEBUG_INFO";

/// The destination of compiled kernels with source lines, if there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct DebugInfo {
    folder: Option<PathBuf>,
}

impl DebugInfo {
    /// The folder that `CM_DEBUG_INFO` names.
    pub(super) fn of_process() -> Self {
        static FOLDER: OnceLock<Option<OsString>> = OnceLock::new();
        let folder = FOLDER.get_or_init(|| std::env::var_os(VARIABLE).filter(|value| !value.is_empty()));
        Self { folder: folder.clone().map(PathBuf::from) }
    }

    #[cfg(test)]
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// Whether modules have the source lines of their instructions.
    pub(super) fn is_wanted(&self) -> bool {
        self.folder.is_some()
    }

    /// Writes the binary of a kernel.
    pub(super) fn keep(&self, kernel: &str, key: &Key, binary: &[u8]) -> Result<(), LevelZeroError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        write(folder, &format!("{kernel}-{}", key.file()), binary).map_err(|error| {
            LevelZeroError::DebugInfo {
                kernel: kernel.to_owned(),
                folder: folder.clone(),
                reason: error.to_string(),
            }
        })
    }
}

/// The options of the compiler for a module.
pub(super) fn build_options(registers: RegisterFile, debug_info: bool) -> String {
    let options = registers.build_options();
    if debug_info { format!("{options} {DEBUG_OPTION}") } else { options.to_owned() }
}
