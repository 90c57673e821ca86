//! Compiles a kernel for another process.

use super::compiler_process::{Request, answer};
use super::devices::LevelZero;
use super::module::{Module, Source};
use crate::error::LevelZeroError;

/// The answer to a request; `None` if the bytes are not a request.
pub(crate) fn compile_requested(request: &[u8]) -> Option<Vec<u8>> {
    let request = Request::from_bytes(request)?;
    let binary = LevelZero::get().and_then(|started| compile(started, &request));
    if let Err(error) = &binary {
        // The asking process compiles itself, and reports the error.
        tracing::debug!(kernel = request.kernel, %error, "not compiled");
    }
    Some(answer(binary.ok().flatten().as_deref()))
}

/// The binary; `None` if this process does not have the device.
fn compile(started: &LevelZero, request: &Request) -> Result<Option<Vec<u8>>, LevelZeroError> {
    let of = |uuid: &[u8]| uuid == request.uuid;
    let Some(index) = started.devices().iter().position(|found| of(&found.properties.uuid)) else {
        return Ok(None);
    };
    let gpu = started.open(index)?;
    let Request { kernel: name, words, options, .. } = request;
    Module::compiled(&gpu.context, Source { name, words, options }).map(Some)
}
