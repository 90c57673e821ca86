//! Finds the source line of a kernel fault, in program binaries with debug information in a folder.

use std::fs;
use std::path::Path;

use crate::binary::{Lines, kernels, lines};
use crate::log::error;
use crate::memory::Span;

/// The lines of the kernel with this code, if a program binary in the folder has them.
pub(super) fn lines_of(code: Span<'_>, folder: &Path) -> Option<Lines> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) => {
            error(format_args!("no lines of kernels: {}: {why}", folder.display()));
            return None;
        }
    };
    // Incomplete files and other files have no lines.
    let mut files = entries.filter_map(|entry| fs::read(entry.ok()?.path()).ok());
    files.find_map(|file| {
        let kernels = kernels(&file).ok()??;
        let kernel = kernels.iter().find(|kernel| code.begins_with(&kernel.code))?;
        lines(&file, &kernel.name).ok()?
    })
}
