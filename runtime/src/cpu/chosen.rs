//! The choice of the engine that runs a kernel.

use std::sync::LazyLock;

use crate::engine::CpuEngine;
use crate::environment;
use crate::error::Error;

/// The engine that `CM_CPU_ENGINE` names, if it is set; read once.
static ASKED: LazyLock<Result<Option<CpuEngine>, Error>> = LazyLock::new(|| {
    environment::choice("CM_CPU_ENGINE", |value| value.parse().map_err(|_| "`native` or `ir`"))
});

/// The engine that `CM_CPU_ENGINE` names.
///
/// # Errors
/// [`Error::Environment`] if it does not name an engine.
pub(super) fn asked() -> Result<Option<CpuEngine>, Error> {
    ASKED.clone()
}

/// The engine for a kernel: the choice of the device or the environment, otherwise its own code if it is optimised.
///
/// # Errors
/// [`Error::Environment`] for `CM_CPU_ENGINE`.
pub(super) fn engine(device: Option<CpuEngine>, optimised: bool) -> Result<CpuEngine, Error> {
    let own = if optimised { CpuEngine::Native } else { CpuEngine::Ir };
    Ok(device.or(asked()?).unwrap_or(own))
}
