//! A Level Zero context on a device: the parent of everything else.
//!
//! Every object created in a context (`Module`, `Image`, `Memory`, `Stream`, ..) holds a reference to it, so that no
//! handle outlives its parent. Dropping an object destroys its handle.

use std::ptr;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::properties::Properties;
use crate::error::LevelZeroError;

/// A context, its device and the device's properties. Every object created in it keeps it alive.
pub(super) struct Context {
    pub(super) api: &'static ze::Api,
    pub(super) device: ze::ze_device_handle_t,
    pub(super) handle: ze::ze_context_handle_t,
    pub(super) properties: Properties,
}

// SAFETY: drivers and devices live as long as the process, the context as long as this object, and Level Zero
// lets any thread use their handles at the same time (its functions on contexts and devices are thread-safe).
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// A new context of a driver, on one of its devices.
    pub(super) fn new(
        api: &'static ze::Api,
        driver: ze::ze_driver_handle_t,
        device: ze::ze_device_handle_t,
        properties: Properties,
    ) -> Result<Self, LevelZeroError> {
        let description = ze::ze_context_desc_t::new();
        let mut handle = ptr::null_mut();
        // SAFETY: the driver's handle is valid for the process; both pointers are to locals.
        unsafe { call!(api, zeContextCreate(driver, &description, &mut handle)) }?;
        Ok(Self { api, device, handle, properties })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the handle is this object's own, and everything created in it held the object and no longer exists.
        unsafe { destroy!(self.api, zeContextDestroy(self.handle)) }
    }
}
