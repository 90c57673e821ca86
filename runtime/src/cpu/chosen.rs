//! The choice of the engine that runs a kernel.

use std::env::VarError;
use std::sync::LazyLock;

use crate::engine::CpuEngine;
use crate::error::Error;

/// The engine that `CM_CPU_ENGINE` names, if it is set; read once. Or its value, if that is not an engine.
static ASKED: LazyLock<Result<Option<CpuEngine>, String>> = LazyLock::new(|| {
    let value = match std::env::var("CM_CPU_ENGINE") {
        Ok(value) => value,
        Err(VarError::NotPresent) => return Ok(None),
        Err(VarError::NotUnicode(value)) => value.to_string_lossy().into_owned(),
    };
    match CpuEngine::ALL.iter().find(|engine| engine.name() == value) {
        Some(engine) => Ok(Some(*engine)),
        None => Err(value),
    }
});

/// The engine that `CM_CPU_ENGINE` names.
///
/// # Errors
/// [`Error::Environment`] if it does not name an engine.
pub(super) fn asked() -> Result<Option<CpuEngine>, Error> {
    ASKED.clone().map_err(|value| Error::Environment {
        variable: "CM_CPU_ENGINE",
        value,
        expected: "`native` or `ir`",
    })
}

/// The engine for a kernel: the choice of the device or the environment, otherwise its own code if it is optimised.
///
/// # Errors
/// [`Error::Environment`] for `CM_CPU_ENGINE`.
pub(super) fn engine(device: Option<CpuEngine>, optimised: bool) -> Result<CpuEngine, Error> {
    let own = if optimised { CpuEngine::Native } else { CpuEngine::Ir };
    Ok(device.or(asked()?).unwrap_or(own))
}
