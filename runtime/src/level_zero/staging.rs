//! Host memory that the device can reach: copies to and from the device go by way of it.

use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use crate::error::LevelZeroError;

/// Bytes on their way to or from the device. It grows to what is needed.
pub(super) struct Staging {
    memory: Option<NonNull<u8>>,
    bytes: usize,
    context: Arc<Context>,
}

impl Staging {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { memory: None, bytes: 0, context }
    }

    /// Memory for so many bytes, which hold whatever they hold.
    pub(super) fn get(&mut self, bytes: usize) -> Result<&mut [u8], LevelZeroError> {
        let memory = match self.memory {
            Some(memory) if self.bytes >= bytes => memory,
            _ => {
                self.free();
                let description = ze::ze_host_mem_alloc_desc_t::new();
                let mut memory = ptr::null_mut();
                let Context { api, handle, .. } = *self.context;
                // SAFETY: the context lives; the result goes to a local. Empty memory could be another's.
                unsafe { call!(api, zeMemAllocHost(handle, &description, bytes.max(1), 64, &mut memory)) }?;
                let memory = NonNull::new(memory.cast::<u8>())
                    .ok_or(LevelZeroError::OutOfHostMemory { call: "zeMemAllocHost" })?;
                // SAFETY: so many bytes were just allocated. They are written before they are seen as `u8`.
                unsafe { memory.write_bytes(0, bytes) };
                (self.memory, self.bytes) = (Some(memory), bytes);
                memory
            }
        };
        // SAFETY: at least so many bytes are allocated and initialised; they live as long as the object,
        // which is borrowed exclusively, and whoever lets the device write them waits for it before.
        Ok(unsafe { slice::from_raw_parts_mut(memory.as_ptr(), bytes) })
    }

    /// Leaks the memory: the device may still use it.
    pub(super) fn abandon(&mut self) {
        (self.memory, self.bytes) = (None, 0);
    }

    fn free(&mut self) {
        if let Some(memory) = self.memory.take() {
            let Context { api, handle, .. } = *self.context;
            // SAFETY: it was allocated in this context, and the device is done with it.
            unsafe { destroy!(api, zeMemFree(handle, memory.as_ptr().cast())) }
            self.bytes = 0;
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.free();
    }
}
