//! Starts Level Zero and finds its devices.
//!
//! The loader is opened once and stays open for the life of the process. Every GPU is asked for its limits; without a
//! GPU, `probe` finds out why.

use std::ffi::OsString;
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use level_zero_sys as ze;

use super::api::{call, other_error};
use super::cache::Cache;
use super::compiler_process::CompilerProcess;
use super::context::Context;
use super::debug_info::DebugInfo;
use super::gpu::Gpu;
use super::probe::Probe;
use super::properties::Properties;
use crate::error::LevelZeroError;

/// Names a loader library to use instead of the system's.
pub(crate) const LOADER_VARIABLE: &str = "CM_LEVEL_ZERO_LOADER";

/// Level Zero, started once per process.
pub(crate) struct LevelZero {
    api: &'static ze::Api,
    devices: Vec<Found>,
    /// The cache of compiled kernels.
    pub(super) cache: Cache,
    pub(super) compiler: CompilerProcess,
    pub(super) debug_info: DebugInfo,
    /// The devices in use.
    open: Mutex<Vec<Weak<Gpu>>>,
}

/// A device.
pub(crate) struct Found {
    driver: ze::ze_driver_handle_t,
    device: ze::ze_device_handle_t,
    pub(crate) properties: Properties,
}

// SAFETY: handles of drivers and devices are valid in all threads until the process ends.
unsafe impl Send for Found {}
// SAFETY: as above.
unsafe impl Sync for Found {}

impl LevelZero {
    /// The instance of this process.
    pub(crate) fn get() -> Result<&'static Self, LevelZeroError> {
        static STARTED: OnceLock<Result<LevelZero, LevelZeroError>> = OnceLock::new();
        let start = || {
            // For the life of the process, like the loader itself.
            let api = Box::leak(Box::new(loader()?.api().clone()));
            Self::start(api, Probe::look)
        };
        STARTED.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    /// Starts it and searches for devices; if there are none, `look` is called to find out why.
    pub(super) fn start(api: &'static ze::Api, look: impl FnOnce() -> Probe) -> Result<Self, LevelZeroError> {
        let init = api.zeInit.ok_or_else(|| LevelZeroError::TooOld { missing: "zeInit".into() })?;
        // SAFETY: the function takes any flags.
        match unsafe { init(ze::ZE_INIT_FLAG_GPU_ONLY) } {
            ze::ZE_RESULT_SUCCESS => {}
            // Nothing else may be called now: some loaders crash.
            result @ (ze::ZE_RESULT_ERROR_UNINITIALIZED
            | ze::ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE
            | ze::ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS) => {
                return Err(look().explain(ze::result_name(result).unwrap_or("an unknown result")));
            }
            result => return Err(other_error("zeInit", result)),
        }
        let devices = find(api)?;
        if devices.is_empty() {
            return Err(look().explain("no GPU"));
        }
        Ok(Self {
            api,
            devices,
            cache: Cache::of_process().clone(),
            compiler: CompilerProcess::of_process(),
            debug_info: DebugInfo::of_process(),
            open: Mutex::default(),
        })
    }

    /// The devices that were found.
    pub(crate) fn devices(&self) -> &[Found] {
        &self.devices
    }

    /// A device; the same object for as long as it is in use.
    pub(super) fn open(&self, index: usize) -> Result<Arc<Gpu>, LevelZeroError> {
        let count = self.devices.len();
        let found = self.devices.get(index).ok_or(LevelZeroError::NoSuchDevice { index, count })?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.resize(count, Weak::new());
        if let Some(gpu) = open[index].upgrade() {
            return Ok(gpu);
        }
        let context = Context::new(self.api, found.driver, found.device, found.properties.clone())?;
        let gpu = Arc::new(Gpu::new(
            Arc::new(context),
            self.cache.clone(),
            self.compiler.clone(),
            self.debug_info.clone(),
        )?);
        open[index] = Arc::downgrade(&gpu);
        Ok(gpu)
    }
}

/// The number of devices.
pub(crate) fn count() -> Result<usize, LevelZeroError> {
    Ok(LevelZero::get()?.devices().len())
}

/// One of the devices, from 0.
pub(crate) fn open(index: usize) -> Result<Arc<Gpu>, LevelZeroError> {
    LevelZero::get()?.open(index)
}

/// The loader library: the named one, or the system's.
pub(crate) fn loader() -> Result<ze::Loader, LevelZeroError> {
    loader_at(std::env::var_os(LOADER_VARIABLE))
}

/// The loader library that the variable names; without a name, the system's.
fn loader_at(named: Option<OsString>) -> Result<ze::Loader, LevelZeroError> {
    // SAFETY: a library with the names of the Level Zero loader is the Level Zero loader; a user who names another one
    // asserts that it is one.
    let loaded = unsafe {
        match named.filter(|path| !path.is_empty()) {
            Some(path) => ze::Loader::load_from(path),
            None => ze::Loader::load(),
        }
    };
    loaded.map_err(|error| {
        let tried: Vec<String> =
            error.attempts.iter().map(|tried| format!("`{}` ({})", tried.name, tried.message)).collect();
        LevelZeroError::NoLoader { tried: tried.join(", ") }
    })
}

/// The GPUs of all drivers. A GPU that cannot be used does not affect the others.
fn find(api: &ze::Api) -> Result<Vec<Found>, LevelZeroError> {
    let (mut found, mut problem) = (Vec::new(), None);
    // SAFETY: the function fills at most as many handles as the count says.
    let drivers = unsafe { list(|count, handles| call!(api, zeDriverGet(count, handles))) }?;
    for driver in drivers {
        // A driver that cannot be used does not hide the devices of others.
        let devices = devices(api, driver).unwrap_or_else(|error| vec![Err(error)]);
        for device in devices {
            match device {
                Ok(device) => found.push(device),
                Err(error) => {
                    tracing::warn!(%error, "a device or driver of Level Zero cannot be used");
                    problem = problem.or(Some(error));
                }
            }
        }
    }
    match problem {
        Some(problem) if found.is_empty() => Err(problem),
        _ => Ok(found),
    }
}

/// The GPUs of a driver, and the problems of those that cannot be used.
fn devices(
    api: &ze::Api,
    driver: ze::ze_driver_handle_t,
) -> Result<Vec<Result<Found, LevelZeroError>>, LevelZeroError> {
    // SAFETY: the function fills at most as many handles as the count says; the driver handle came from the
    // loader.
    let devices = unsafe { list(|count, handles| call!(api, zeDeviceGet(driver, count, handles))) }?;
    let found = devices.into_iter().filter_map(|device| {
        let properties = Properties::ask(api, driver, device).transpose()?;
        Some(properties.map(|properties| Found { driver, device, properties }))
    });
    Ok(found.collect())
}

/// Handles from a function that first returns their number.
///
/// # Safety
/// The function writes at most as many handles as the number it is given.
unsafe fn list<T>(
    mut get: impl FnMut(*mut u32, *mut *mut T) -> Result<(), LevelZeroError>,
) -> Result<Vec<*mut T>, LevelZeroError> {
    let mut count = 0;
    get(&mut count, ptr::null_mut())?;
    let mut handles = vec![ptr::null_mut(); count as usize];
    if count > 0 {
        get(&mut count, handles.as_mut_ptr())?;
    }
    // The second call may have found fewer.
    handles.truncate(count as usize);
    Ok(handles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_name_is_not_set() {
        let name =
            |named: Option<&str>| loader_at(named.map(Into::into)).map(|loader| loader.name().to_owned());
        assert_eq!(name(Some("")), name(None));
        let error = name(Some("/not/there")).unwrap_err();
        assert!(
            matches!(&error, LevelZeroError::NoLoader { tried } if tried.contains("/not/there")),
            "{error}"
        );
    }
}
