//! Program binaries: what Intel's compiler makes of a module, in either of its formats.

mod kernel;
mod lines;
mod tokens;
mod zebin;

pub use kernel::{Argument, ArgumentKind, Implicit, Kernel, ProgramData};
pub use lines::{Lines, SourceLine};

/// What every ELF file begins with.
const ELF: &[u8] = b"\x7fELF";

/// The kernels of a program binary. `None` of other files.
///
/// # Errors
///
/// What is wrong with the binary.
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

/// The lines of the source of a kernel of a program binary. `None` where the binary was made without debug information.
///
/// # Errors
///
/// What is wrong with the debug information.
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
