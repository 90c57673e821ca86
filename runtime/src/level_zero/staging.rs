//! Host memory that the device can access: copies to and from the device go through it.
//!
//! A copy owns its memory until the device has completed it; then another copy can use the memory. So copies wait
//! neither for each other nor for launches, unless together they need more than [`MOST`].

use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use crate::error::LevelZeroError;

/// The bytes that the commands of a device may hold, and the bytes that are kept for later copies.
pub(super) const MOST: usize = 256 << 20;

/// Memory that no copy uses.
pub(super) struct Staging {
    idle: Vec<StagingMemory>,
    context: Arc<Context>,
}

/// The bytes of a copy to or from the device.
pub(super) struct StagingMemory {
    memory: NonNull<u8>,
    bytes: usize,
    context: Arc<Context>,
}

// SAFETY: the memory is this object's own, and Level Zero lets any thread use and free it.
unsafe impl Send for StagingMemory {}
// SAFETY: shared memory is read only after the device has completed its commands; see `bytes`.
unsafe impl Sync for StagingMemory {}

impl Staging {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { idle: Vec::new(), context }
    }

    /// Memory for at least this number of bytes, with any contents.
    pub(super) fn get(&mut self, bytes: usize) -> Result<StagingMemory, LevelZeroError> {
        let fits = self.idle.iter().enumerate().filter(|(_, memory)| memory.bytes >= bytes);
        if let Some((index, _)) = fits.min_by_key(|(_, memory)| memory.bytes) {
            return Ok(self.idle.swap_remove(index));
        }
        // Replaces one that is too small, so that there are never more than were in use at once.
        self.idle.pop();
        match StagingMemory::new(Arc::clone(&self.context), bytes) {
            // The others may be what fills the memory.
            Err(error) if error.is_memory() && !self.idle.is_empty() => {
                self.idle.clear();
                StagingMemory::new(Arc::clone(&self.context), bytes)
            }
            made => made,
        }
    }

    /// Takes memory back, unless it is still shared. What was idle for longest is freed if it is too much.
    pub(super) fn put_back(&mut self, memory: Arc<StagingMemory>) {
        self.idle.extend(Arc::into_inner(memory));
        let mut kept: usize = self.idle.iter().map(StagingMemory::len).sum();
        while kept > MOST {
            kept -= self.idle.remove(0).len();
        }
    }
}

impl StagingMemory {
    fn new(context: Arc<Context>, bytes: usize) -> Result<Self, LevelZeroError> {
        let description = ze::ze_host_mem_alloc_desc_t::new();
        let mut memory = ptr::null_mut();
        // SAFETY: the context lives; the result goes to a local. Empty memory could be another's.
        unsafe {
            call!(context.api, zeMemAllocHost(context.handle, &description, bytes.max(1), 64, &mut memory))
        }?;
        let memory = NonNull::new(memory.cast::<u8>())
            .ok_or(LevelZeroError::OutOfHostMemory { call: "zeMemAllocHost" })?;
        // SAFETY: this number of bytes was just allocated. They are written before they are used as `u8`.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(Self { memory, bytes, context })
    }

    /// Its first bytes, for writing before the device gets it.
    pub(super) fn bytes_mut(&mut self, bytes: usize) -> &mut [u8] {
        let bytes = bytes.min(self.bytes);
        // SAFETY: at least this number of bytes is allocated and initialised; they live as long as the object, which is
        // borrowed exclusively, so no command uses it: commands keep it shared.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), bytes) }
    }

    /// Its first bytes.
    ///
    /// # Safety
    /// The device has completed all commands that write it.
    pub(super) unsafe fn bytes(&self, bytes: usize) -> &[u8] {
        let bytes = bytes.min(self.bytes);
        // SAFETY: as above; only the device writes shared memory, and it has completed its commands.
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), bytes) }
    }

    /// The number of its bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Its address.
    pub(super) fn address(&self) -> *mut u8 {
        self.memory.as_ptr()
    }
}

impl Drop for StagingMemory {
    fn drop(&mut self) {
        let Context { api, handle, .. } = *self.context;
        // SAFETY: it was allocated in this context; commands keep it until the device has completed them.
        unsafe { destroy!(api, zeMemFree(handle, self.memory.as_ptr().cast())) }
    }
}
