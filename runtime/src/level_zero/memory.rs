//! Buffers on the device.
//!
//! Buffers are at the end of their allocations. Drivers tell the hardware the end of an allocation, and the hardware
//! returns zeros beyond it and drops writes. The rest of the last oword (or of 64 bytes, where messages take addresses)
//! is cleared before a launch if a kernel may have written it.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use super::stream::{Outcome, Stream, Used};
use super::transfer::Transfer;
use crate::error::LevelZeroError;
use crate::rows::Rows;

/// The alignment to which drivers round up the ends of allocations.
const PAGE: usize = 64 << 10;

/// Device memory: a buffer for kernels.
///
/// The hardware drops writes beyond the end of a buffer and returns zeros there, but drivers tell it the end of the
/// allocation. So a buffer is at the end of its allocation. If the size of a buffer is not a multiple of its alignment,
/// some bytes remain after it. They are kept zero: if a kernel may have written them, they are cleared before the next
/// launch.
pub(super) struct Memory {
    allocation: *mut u8,
    /// The offset of the buffer in the allocation.
    start: usize,
    bytes: usize,
    /// Bytes up to the end of the allocation.
    room: usize,
    /// Whether there may be non-zero bytes beyond the end.
    stale: AtomicBool,
    context: Arc<Context>,
}

// SAFETY: the pointer is to device memory and never read here; commands that use it go through the
// device's one stream.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory for this number of bytes, at least one, with undefined contents.
    pub(super) fn new(context: Arc<Context>, bytes: usize) -> Result<Self, LevelZeroError> {
        let description = ze::ze_device_mem_alloc_desc_t::new();
        let mut allocation = ptr::null_mut();
        let Context { api, device, handle, .. } = *context;
        let size = bytes.next_multiple_of(PAGE);
        // SAFETY: the context and its device live; the result goes to a local.
        unsafe { call!(api, zeMemAllocDevice(handle, &description, size, PAGE, device, &mut allocation)) }?;
        if allocation.is_null() {
            return Err(LevelZeroError::OutOfDeviceMemory { call: "zeMemAllocDevice" });
        }
        // At the end of the allocation, beyond which the hardware stops accesses.
        let room = bytes.next_multiple_of(context.properties.target.buffer_start());
        let start = size - room;
        Ok(Self { allocation: allocation.cast(), start, bytes, room, stale: AtomicBool::new(true), context })
    }

    /// Whether it was created in this context.
    pub(super) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// The address that a kernel gets.
    pub(super) fn address(&self) -> u64 {
        self.first() as usize as u64
    }

    fn first(&self) -> *mut u8 {
        self.allocation.wrapping_add(self.start)
    }

    /// Records a copy of these rows, with another pitch and zeros between them, to all bytes from `start` on.
    pub(super) fn write(
        self: &Arc<Self>,
        stream: &mut Stream,
        start: usize,
        rows: Rows<'_>,
        pitch: usize,
    ) -> Result<(), LevelZeroError> {
        let length = self.bytes - start;
        let mut staged = stream.staging.get(length)?;
        let bytes = staged.bytes_mut(length);
        if pitch > rows.row {
            bytes.fill(0);
        }
        rows.copy_to(bytes, pitch);
        let staged = Arc::new(staged);
        let (to, from) = (self.first().wrapping_add(start), staged.address());
        let used = [Used::written(self), Used::read(&staged)];
        // SAFETY: both have this number of bytes.
        unsafe { copy(stream, &used, length, to.cast(), from.cast()) }.map(drop)
    }

    /// Records a copy of the bytes from `start` on to the host.
    pub(super) fn read(
        self: &Arc<Self>,
        stream: &mut Stream,
        start: usize,
    ) -> Result<Transfer, LevelZeroError> {
        let length = self.bytes - start;
        let staged = Arc::new(stream.staging.get(length)?);
        let from = self.first().wrapping_add(start);
        let used = [Used::read(self), Used::written(&staged)];
        // SAFETY: both have this number of bytes.
        let outcome = unsafe { copy(stream, &used, length, staged.address().cast(), from.cast()) }?;
        Ok(Transfer::new(staged, length, outcome))
    }

    /// Sets all bytes, or those beyond the end, to zero.
    pub(super) fn clear(self: &Arc<Self>, stream: &mut Stream, beyond: bool) -> Result<(), LevelZeroError> {
        let start = if beyond { self.bytes } else { 0 };
        let length = self.room - start;
        if length > 0 {
            let zero = 0u8;
            // SAFETY: `start` and `length` are inside the allocation, which is kept; the pattern is read
            // during the call.
            unsafe {
                stream.append(&[Used::written(self)], |api, list| {
                    call!(
                        api,
                        zeCommandListAppendMemoryFill(
                            list,
                            self.first().wrapping_add(start).cast(),
                            (&raw const zero).cast(),
                            1,
                            length,
                            ptr::null_mut(),
                            0,
                            ptr::null_mut()
                        )
                    )
                })
            }?;
        }
        self.stale.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Whether there may be non-zero bytes beyond the end.
    pub(super) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    /// Records that a kernel may have written beyond the end.
    pub(super) fn set_stale(&self) {
        self.stale.store(true, Ordering::Relaxed);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it was allocated in this context, and the stream keeps the object while the device uses it.
        unsafe { destroy!(self.context.api, zeMemFree(self.context.handle, self.allocation.cast())) }
    }
}

/// # Safety
/// Both places have this number of bytes. They are in the two objects of `used`, of which the target is written.
unsafe fn copy(
    stream: &mut Stream,
    used: &[Used; 2],
    bytes: usize,
    to: *mut std::ffi::c_void,
    from: *const std::ffi::c_void,
) -> Result<Outcome, LevelZeroError> {
    // SAFETY: guaranteed by the caller, and both are kept; no events are used.
    unsafe {
        stream.append(used, |api, list| {
            call!(
                api,
                zeCommandListAppendMemoryCopy(list, to, from, bytes, ptr::null_mut(), 0, ptr::null_mut())
            )
        })
    }
}
