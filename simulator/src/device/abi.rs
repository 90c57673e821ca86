//! Structures of the kernel driver interface: `include/uapi/drm/drm.h` and `i915_drm.h` of Linux.

use std::marker::PhantomData;

/// An error number of the C library, as a request reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno(pub(super) i32);

/// The result of a request.
pub(super) type Answer = Result<(), Errno>;

/// Structures that a program passes to a request.
///
/// # Safety
///
/// The layout is that of C, and all byte values are valid.
pub(super) unsafe trait Plain: Copy {}

// SAFETY: a number.
unsafe impl Plain for u8 {}
// SAFETY: a number.
unsafe impl Plain for u32 {}
// SAFETY: a number.
unsafe impl Plain for i32 {}
// SAFETY: numbers without padding.
unsafe impl Plain for [u64; 2] {}

/// The address of elements in the memory of the program.
///
/// It is null, or part of a structure that the program passed to a request. So it points to as many elements
/// as the request states, as the kernel expects.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Pointer<T>(u64, PhantomData<fn() -> T>);

impl<T> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pointer<T> {}

// SAFETY: a number.
unsafe impl<T> Plain for Pointer<T> {}

impl<T: Plain> Pointer<T> {
    /// A pointer with this address.
    ///
    /// # Safety
    ///
    /// The address is null, or that of elements that may be read and written during this request.
    pub(super) unsafe fn new(address: u64) -> Self {
        Self(address, PhantomData)
    }

    /// Whether it is null.
    pub(super) fn is_null(self) -> bool {
        self.0 == 0
    }

    fn element(self, index: usize) -> Result<*mut T, Errno> {
        if self.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        Ok((self.0 as *mut T).wrapping_add(index))
    }

    /// Reads an element. The index must be below the number that the request states.
    pub(super) fn read(self, index: usize) -> Result<T, Errno> {
        let element = self.element(index)?;
        // SAFETY: by the contract of the type, the program keeps this element during the request; all byte
        // values are valid.
        Ok(unsafe { element.read_unaligned() })
    }

    /// Writes an element. The index must be below the number that the request states.
    pub(super) fn write(self, index: usize, value: T) -> Answer {
        let element = self.element(index)?;
        // SAFETY: as above.
        unsafe { element.write_unaligned(value) };
        Ok(())
    }
}

impl Pointer<u8> {
    /// Writes bytes.
    pub(super) fn write_bytes(self, bytes: &[u8]) -> Answer {
        (0..).zip(bytes).try_for_each(|(index, byte)| self.write(index, *byte))
    }

    /// The address, for copying many bytes.
    pub(super) fn address(self) -> *mut u8 {
        self.0 as *mut u8
    }
}

macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident ($size:literal) { $($field:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub(super) struct $name {
            $(pub(super) $field: $type),*
        }
        // SAFETY: all fields are numbers and addresses without padding; the next line checks the size.
        unsafe impl Plain for $name {}
        const _: () = assert!(size_of::<$name>() == $size && 0 $(+ size_of::<$type>())* == $size);
    )* };
}

structures! {
    /// `drm_version`
    Version(64) {
        major: i32, minor: i32, patch: i32, pad: u32,
        name_length: u64, name: Pointer<u8>,
        date_length: u64, date: Pointer<u8>,
        description_length: u64, description: Pointer<u8>,
    }
    /// `drm_i915_getparam`
    GetParameter(16) { parameter: i32, pad: u32, value: Pointer<i32> }
    /// `drm_gem_close`
    Close(8) { handle: u32, pad: u32 }
    /// `drm_i915_gem_busy`
    Busy(8) { handle: u32, busy: u32 }
    /// `drm_i915_gem_create`
    Create(16) { size: u64, handle: u32, pad: u32 }
    /// `drm_i915_gem_create_ext`
    CreateExtended(24) { size: u64, handle: u32, flags: u32, extensions: u64 }
    /// `drm_i915_gem_pread`, `drm_i915_gem_pwrite`
    Transfer(32) { handle: u32, pad: u32, offset: u64, size: u64, data: Pointer<u8> }
    /// `drm_i915_gem_mmap`
    Map(40) { handle: u32, pad: u32, offset: u64, size: u64, address: u64, flags: u64 }
    /// `drm_i915_gem_mmap_offset`
    MapOffset(32) { handle: u32, pad: u32, offset: u64, flags: u64, extensions: u64 }
    /// `drm_i915_gem_set_domain`
    SetDomain(12) { handle: u32, read: u32, write: u32 }
    /// `drm_i915_gem_set_tiling`
    SetTiling(16) { handle: u32, mode: u32, stride: u32, swizzle: u32 }
    /// `drm_i915_gem_get_tiling`
    GetTiling(16) { handle: u32, mode: u32, swizzle: u32, physical_swizzle: u32 }
    /// `drm_i915_gem_get_aperture`
    GetAperture(16) { size: u64, available: u64 }
    /// `drm_i915_gem_exec_object2`
    Object(56) {
        handle: u32, relocations: u32, relocation_list: u64, alignment: u64, offset: u64, flags: u64,
        reserved: [u64; 2],
    }
    /// `drm_i915_gem_execbuffer2`
    Execute(64) {
        objects: Pointer<Object>, count: u32, start: u32, length: u32, unused: [u32; 3], fences: u64, flags: u64,
        context: u64, reserved: u64,
    }
    /// `drm_i915_gem_wait`
    Wait(16) { handle: u32, flags: u32, timeout: i64 }
    /// `drm_i915_gem_context_create_ext`
    CreateContext(16) { id: u32, flags: u32, extensions: Pointer<ContextExtension> }
    /// `drm_i915_gem_context_create_ext_setparam`, with its `i915_user_extension` in front
    ContextExtension(56) {
        next: Pointer<ContextExtension>, name: u32, flags: u32, reserved: [u32; 4], parameter: ContextParameter,
    }
    /// `drm_i915_gem_context_destroy`
    DestroyContext(8) { id: u32, pad: u32 }
    /// `drm_i915_gem_context_param`
    ContextParameter(24) { context: u32, size: u32, parameter: u64, value: u64 }
    /// `drm_i915_gem_context_param_sseu`
    Units(32) {
        class: u16, instance: u16, flags: u32, slices: u64, subslices: u64, least: u16, most: u16, reserved: u32,
    }
    /// `drm_i915_reg_read`
    ReadRegister(16) { offset: u64, value: u64 }
    /// `drm_i915_reset_stats`
    ResetStatistics(24) { context: u32, flags: u32, resets: u32, active: u32, pending: u32, pad: u32 }
    /// `drm_i915_gem_userptr`
    UserMemory(24) { address: u64, size: u64, flags: u32, handle: u32 }
    /// `drm_i915_query`
    Query(16) { count: u32, flags: u32, items: Pointer<QueryItem> }
    /// `drm_i915_query_item`
    QueryItem(24) { id: u64, length: i32, flags: u32, data: Pointer<u8> }
    /// `drm_i915_gem_vm_control`
    AddressSpaceControl(16) { extensions: u64, flags: u32, id: u32 }
}
