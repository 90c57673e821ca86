//! Buffers on the device.
//!
//! Buffers are at the end of their allocations. Drivers tell the hardware the end of an allocation, and the hardware
//! returns zeros beyond it and drops writes. The rest of the last oword (or of 64 bytes, where messages take addresses)
//! is cleared before a launch if a kernel may have written it.
//!
//! If the device has no memory of its own, buffers are in memory of the host (`Properties::host_memory`). Then the host
//! accesses them itself when no pending command conflicts, or when it has to wait for the result anyway: a copy is one
//! copy of bytes, without staging and without a command.

use std::ops::Range;
use std::ptr;
use std::slice;
use std::sync::Arc;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use super::outcome::{Done, Outcome, completed};
use super::stream::{Stream, Used};
use super::transfer::Transfer;
use crate::error::LevelZeroError;
use crate::rows::Rows;

/// The alignment to which drivers round up the ends of allocations.
const PAGE: usize = 64 << 10;

/// Memory that the device accesses: a buffer for kernels.
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
    /// Whether the host can access it.
    on_host: bool,
    /// Whether all bytes have a value, by the first command that clears or writes them.
    filled: Done,
    /// Whether the bytes beyond the end are zeros.
    mended: Done,
    context: Arc<Context>,
}

// SAFETY: commands that use the memory go through the device's one stream, and the host uses it only with exclusive
// access to the stream.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory for this number of bytes, at least one. The contents are zeros on the host and undefined elsewhere.
    pub(super) fn new(context: Arc<Context>, bytes: usize) -> Result<Self, LevelZeroError> {
        let mut allocation = ptr::null_mut();
        let Context { api, device, handle, .. } = *context;
        let size = bytes.next_multiple_of(PAGE);
        let on_host = context.properties.host_memory;
        if on_host {
            let description = ze::ze_host_mem_alloc_desc_t::new();
            // SAFETY: the context lives; the result goes to a local.
            unsafe { call!(api, zeMemAllocHost(handle, &description, size, PAGE, &mut allocation)) }?;
            if allocation.is_null() {
                return Err(LevelZeroError::OutOfHostMemory { call: "zeMemAllocHost" });
            }
            // SAFETY: this number of bytes was just allocated. They are written before they are used as `u8`.
            unsafe { allocation.cast::<u8>().write_bytes(0, size) };
        } else {
            let description = ze::ze_device_mem_alloc_desc_t::new();
            // SAFETY: the context and its device live; the result goes to a local.
            unsafe {
                call!(api, zeMemAllocDevice(handle, &description, size, PAGE, device, &mut allocation))
            }?;
            if allocation.is_null() {
                return Err(LevelZeroError::OutOfDeviceMemory { call: "zeMemAllocDevice" });
            }
        }
        // At the end of the allocation, beyond which the hardware stops accesses.
        let room = bytes.next_multiple_of(context.properties.target.buffer_start());
        let start = size - room;
        let zeros = || if on_host { Done::already() } else { Done::default() };
        let (allocation, filled, mended) = (allocation.cast(), zeros(), zeros());
        Ok(Self { allocation, start, bytes, room, on_host, filled, mended, context })
    }

    /// Whether it was created in this context.
    pub(super) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// Whether the host can access it.
    pub(super) fn is_on_host(&self) -> bool {
        self.on_host
    }

    /// The address that a kernel gets.
    pub(super) fn address(&self) -> u64 {
        self.first() as usize as u64
    }

    /// Panics unless the buffer has these bytes: raw copies rely on it.
    fn check(&self, range: &Range<usize>) {
        assert!(range.start <= range.end && range.end <= self.bytes, "a part that is inside of its buffer");
    }

    fn first(&self) -> *mut u8 {
        self.allocation.wrapping_add(self.start)
    }

    /// The number of bytes of the buffer.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Copies these rows, with another pitch and zeros between them, to these bytes. Records a command unless the host
    /// can do it now; waits for the result if `waits`. Returns the outcome.
    pub(super) fn write(
        self: &Arc<Self>,
        stream: &mut Stream,
        range: Range<usize>,
        rows: Rows<'_>,
        pitch: usize,
        waits: bool,
    ) -> Result<Outcome, LevelZeroError> {
        self.check(&range);
        let length = range.len();
        let fill = |bytes: &mut [u8]| {
            if pitch > rows.row {
                bytes.fill(0);
            }
            rows.copy_to(bytes, pitch);
        };
        if waits && self.on_host {
            stream.settle(&Used::written(self))?;
        }
        let whole = length == self.bytes;
        if !whole {
            self.refill(stream)?;
        }
        if let Some(bytes) = self.on_host_mut(stream) {
            fill(&mut bytes[range]);
            if whole && !self.filled.is_set() {
                self.filled.set(completed());
            }
            return Ok(completed());
        }
        let mut staged = stream.staged(length)?;
        fill(staged.bytes_mut(length));
        let staged = Arc::new(staged);
        let (to, from) = (self.first().wrapping_add(range.start), staged.address());
        let used = [Used::written(self), Used::read(&staged)];
        // SAFETY: both have this number of bytes.
        let outcome = unsafe { copy(stream, &used, length, to.cast(), from.cast()) }?;
        // Once all bytes have a value, a copy that fails leaves the previous ones.
        if whole && !self.filled.is_set() {
            self.filled.set(Arc::clone(&outcome));
        }
        if waits {
            stream.finish()?;
        }
        Ok(outcome)
    }

    /// Copies these bytes to the host. Records a command unless the host can do it now.
    pub(super) fn read(
        self: &Arc<Self>,
        stream: &mut Stream,
        range: Range<usize>,
    ) -> Result<Transfer, LevelZeroError> {
        self.check(&range);
        self.refill(stream)?;
        let length = range.len();
        let mut staged = stream.staged(length)?;
        if self.on_host && stream.is_free(&Used::read(self)) {
            // SAFETY: no pending command writes it, and nobody adds one, because the stream is borrowed.
            staged.bytes_mut(length).copy_from_slice(unsafe { &self.host_bytes()[range] });
            return Ok(Transfer::new(Arc::new(staged), length, completed()));
        }
        let staged = Arc::new(staged);
        let from = self.first().wrapping_add(range.start);
        let used = [Used::read(self), Used::written(&staged)];
        // SAFETY: both have this number of bytes.
        let outcome = unsafe { copy(stream, &used, length, staged.address().cast(), from.cast()) }?;
        Ok(Transfer::new(staged, length, outcome))
    }

    /// Waits for these bytes, and uses them.
    pub(super) fn with_bytes<T>(
        self: &Arc<Self>,
        stream: &mut Stream,
        range: Range<usize>,
        act: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, LevelZeroError> {
        if self.on_host {
            self.refill(stream)?;
            stream.settle(&Used::read(self))?;
            // SAFETY: no pending command writes it, and nobody adds one, because the stream is borrowed.
            return Ok(act(unsafe { &self.host_bytes()[range] }));
        }
        let transfer = self.read(stream, range)?;
        let result = act(transfer.wait(stream)?);
        transfer.end(stream);
        Ok(result)
    }

    /// All bytes up to the end of the allocation, if the host can write them now.
    fn on_host_mut<'a>(self: &'a Arc<Self>, stream: &'a mut Stream) -> Option<&'a mut [u8]> {
        let free = self.on_host && stream.is_free(&Used::written(self));
        // SAFETY: the host can access this number of bytes, which were initialised; they live as long as this
        // object. No pending command uses them, and neither the device nor the host gets access while the
        // stream is borrowed.
        free.then(|| unsafe { slice::from_raw_parts_mut(self.first(), self.room) })
    }

    /// All bytes up to the end of the allocation, for reading.
    ///
    /// # Safety
    /// It is on the host. No pending command writes it, and the stream stays borrowed while the bytes are used.
    unsafe fn host_bytes(&self) -> &[u8] {
        // SAFETY: guaranteed by the caller; the bytes were initialised and live as long as this object.
        unsafe { slice::from_raw_parts(self.first(), self.room) }
    }

    /// Sets all bytes to zero. Records a command unless the host can do it now.
    pub(super) fn clear(self: &Arc<Self>, stream: &mut Stream) -> Result<(), LevelZeroError> {
        let outcome = self.clear_from(stream, 0)?;
        self.filled.set(Arc::clone(&outcome));
        self.mended.set(outcome);
        Ok(())
    }

    /// Prepares it for a kernel: clears the bytes beyond the end, unless they are zeros.
    pub(super) fn mend(self: &Arc<Self>, stream: &mut Stream) -> Result<(), LevelZeroError> {
        self.refill(stream)?;
        if !self.mended.is_set() {
            let outcome = self.clear_from(stream, self.bytes)?;
            self.mended.set(outcome);
        }
        Ok(())
    }

    /// Clears all bytes again if the batch that was to do it could not be submitted: they have no value then.
    fn refill(self: &Arc<Self>, stream: &mut Stream) -> Result<(), LevelZeroError> {
        if self.filled.has_failed() { self.clear(stream) } else { Ok(()) }
    }

    /// Sets the bytes from `start` up to the end of the allocation to zero.
    fn clear_from(self: &Arc<Self>, stream: &mut Stream, start: usize) -> Result<Outcome, LevelZeroError> {
        if let Some(bytes) = self.on_host_mut(stream) {
            bytes[start..].fill(0);
            return Ok(completed());
        }
        let (zero, length) = (0u8, self.room - start);
        if length == 0 {
            return Ok(completed());
        }
        // SAFETY: `start` and `length` are inside the allocation, which is kept; the pattern is read during the
        // call.
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
        }
    }

    /// Records that a kernel may have written beyond the end.
    pub(super) fn set_stale(&self) {
        self.mended.unset();
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
