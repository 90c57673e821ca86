//! The original functions of the C library.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of the C library. Its address is looked up at the first call.
pub(crate) struct Next {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Next {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self { name, found: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address. If the C library does not have it, the process is aborted, because no call could be
    /// handled.
    pub(crate) fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if !found.is_null() {
            return found;
        }
        // SAFETY: the name is a terminated string.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if found.is_null() {
            std::process::abort();
        }
        self.found.store(found, Ordering::Relaxed);
        found
    }
}

/// The next function with a name, as a function of this type.
///
/// The macro must be used in unsafe code: the type must be that of the C library.
macro_rules! next {
    ($name:literal as $type:ty) => {{
        static NEXT: crate::next::Next = crate::next::Next::new($name);
        let address = NEXT.address();
        std::mem::transmute::<*mut std::ffi::c_void, $type>(address)
    }};
}
pub(crate) use next;

/// Sets the error number of the C library.
pub(crate) fn set_errno(number: c_int) {
    // SAFETY: the address is that of the error number of this thread.
    unsafe { *libc::__errno_location() = number };
}

/// Runs code of this library. A panic must not reach the caller, so it becomes the error `EIO`.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, c_int>) -> Result<T, c_int> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(libc::EIO))
}

/// The bytes of a path if it begins with a slash and this letter. Other paths do not concern the device; most
/// paths of a program are rejected here.
///
/// # Safety
///
/// The path is null or a terminated string that lives as long as `'a`.
pub(crate) unsafe fn path_with<'a>(path: *const c_char, letter: u8) -> Option<&'a [u8]> {
    if path.is_null() {
        return None;
    }
    let first = path.cast::<u8>();
    // SAFETY: the second byte is read only if the first one is not the end.
    let begins = unsafe { *first == b'/' && *first.add(1) == letter };
    // SAFETY: guaranteed by the caller.
    begins.then(|| unsafe { CStr::from_ptr(path) }.to_bytes())
}
