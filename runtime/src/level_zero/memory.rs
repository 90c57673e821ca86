//! Buffers on the device.
//!
//! They lie at the end of their allocations: drivers tell the hardware where an allocation ends, and the
//! hardware does the rest, zeros beyond it and writes dropped. What is left up to the end is cleared before a
//! launch if a kernel may have written it: of the last oword, or of 64 bytes where messages take addresses.

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

/// What drivers round the ends of allocations up to.
const PAGE: usize = 64 << 10;

/// Device memory: what a kernel sees as a buffer.
///
/// The hardware drops writes beyond the end of a buffer and gives zeros there, but drivers tell it the end of
/// the allocation. So buffers lie at the end of theirs. Of buffers that do not end where they may start some bytes
/// are left; they are kept zero: kernels may write there, and then they are cleared before the next launch.
pub(super) struct Memory {
    allocation: *mut u8,
    /// Of the buffer in the allocation.
    start: usize,
    bytes: usize,
    /// Bytes up to the end of the allocation.
    room: usize,
    /// Whether there may be something beyond the end.
    stale: AtomicBool,
    context: Arc<Context>,
}

// SAFETY: the pointer is to the device's memory and never read here; commands that use it go through the
// device's one stream.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory for so many bytes, at least one, whose bytes are not yet set.
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
        // At the end of the allocation, where the hardware keeps accesses from going on.
        let room = bytes.next_multiple_of(context.properties.target.buffer_start());
        let start = size - room;
        Ok(Self { allocation: allocation.cast(), start, bytes, room, stale: AtomicBool::new(true), context })
    }

    /// The context that it was made in.
    pub(super) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// What a kernel gets.
    pub(super) fn address(&self) -> u64 {
        self.first() as usize as u64
    }

    fn first(&self) -> *mut u8 {
        self.allocation.wrapping_add(self.start)
    }

    /// Records that all of it from byte `start` on gets the bytes of these rows, with another pitch, and zeros between
    /// them.
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
        // SAFETY: both have so many bytes.
        unsafe { copy(stream, &used, length, to.cast(), from.cast()) }.map(drop)
    }

    /// Records that its bytes from byte `start` on are copied out.
    pub(super) fn read(
        self: &Arc<Self>,
        stream: &mut Stream,
        start: usize,
    ) -> Result<Transfer, LevelZeroError> {
        let length = self.bytes - start;
        let staged = Arc::new(stream.staging.get(length)?);
        let from = self.first().wrapping_add(start);
        let used = [Used::read(self), Used::written(&staged)];
        // SAFETY: both have so many bytes.
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

    /// Whether there may be something beyond the end.
    pub(super) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    /// Says that a kernel may have written beyond the end.
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
/// Both places have so many bytes; they are in the two objects that are used, of which the target is written.
unsafe fn copy(
    stream: &mut Stream,
    used: &[Used; 2],
    bytes: usize,
    to: *mut std::ffi::c_void,
    from: *const std::ffi::c_void,
) -> Result<Outcome, LevelZeroError> {
    // SAFETY: what the caller promises, and both are kept; nothing is waited for or signalled.
    unsafe {
        stream.append(used, |api, list| {
            call!(
                api,
                zeCommandListAppendMemoryCopy(list, to, from, bytes, ptr::null_mut(), 0, ptr::null_mut())
            )
        })
    }
}
