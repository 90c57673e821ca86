//! The other end of `CM_COMPILER`: a program that compiles kernels for another program.

use std::io::{self, Read, Write};

use crate::level_zero;

/// Compiles one kernel for the process that started this one, and returns when it has answered.
///
/// A crash of the driver's compiler ends the process that it runs in. If the environment variable `CM_COMPILER`
/// names a program, that program compiles the kernels that are not in the cache, and its crash is
/// [`LevelZeroError::CompilerCrashed`](crate::LevelZeroError::CompilerCrashed). The program only calls this
/// function:
///
/// ```no_run
/// fn main() -> std::io::Result<()> {
///     cm::compile_for_parent()
/// }
/// ```
///
/// The example `compile` is such a program. It must use the same version of `cm` as the program that launches.
/// There is no time limit: a launch waits until the program ends.
///
/// # Errors
/// If standard input is not a request, or standard output cannot be written.
pub fn compile_for_parent() -> io::Result<()> {
    let mut request = Vec::new();
    io::stdin().lock().read_to_end(&mut request)?;
    let answer = level_zero::compile_requested(&request).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidData, "this is no request of cm: set CM_COMPILER")
    })?;
    let mut out = io::stdout().lock();
    out.write_all(&answer)?;
    out.flush()
}
