//! Program binaries: the output of Intel's compiler for a module, in either of its formats.

mod kernel;
mod lines;
mod tokens;
mod zebin;

pub use kernel::{Argument, ArgumentKind, Implicit, Kernel, ProgramData};
pub use lines::{Lines, SourceLine};

/// The first bytes of every ELF file.
const ELF: &[u8] = b"\x7fELF";

/// The kernels of a program binary; `None` for other files.
///
/// # Errors
///
/// The fault of the binary.
pub fn kernels(file: &[u8]) -> Result<Option<Vec<Kernel>>, String> {
    if file.starts_with(tokens::MAGIC) {
        return tokens::kernels(file).map(Some);
    }
    if !file.starts_with(ELF) {
        return Ok(None);
    }
    match zebin::kernels(file)? {
        Some(kernels) => Ok(Some(kernels)),
        None => tokens::kernels(tokens::find(file, tokens::DEVICE_BINARY)?).map(Some),
    }
}

/// The source lines of a kernel of a program binary; `None` if the binary was made without debug information.
///
/// # Errors
///
/// The fault of the debug information.
pub fn lines(file: &[u8], kernel: &str) -> Result<Option<Lines>, String> {
    if !file.starts_with(ELF) {
        return Ok(None);
    }
    if zebin::kernels(file)?.is_some() {
        return Lines::read(file, &format!(".text.{kernel}"));
    }
    let Ok(debug) = tokens::find(file, tokens::DEVICE_DEBUG) else { return Ok(None) };
    match tokens::debug_information(debug, kernel)? {
        Some(elf) => Lines::read(elf, ".text"),
        None => Ok(None),
    }
}
