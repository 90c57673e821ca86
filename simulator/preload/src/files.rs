//! Files: `open`, `close`, `ioctl` and `fopen`.
//!
//! In C, `open` and `ioctl` are variadic. On the systems that this crate supports, variadic arguments are
//! passed in registers like all others. If the caller omits one, the register has some value, which the C
//! library also ignores.

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use cm_simulator::device::{self, files};

use crate::next::{guarded, next, path_with, set_errno};

/// The type of graphics requests to the kernel.
const GRAPHICS: c_ulong = b'd' as c_ulong;

/// Opens a file of the device; `None` for other files.
///
/// # Safety
///
/// The path is null or a terminated string.
unsafe fn open_ours(path: *const c_char) -> Option<c_int> {
    // SAFETY: guaranteed by the caller.
    let opened = if unsafe { path_with(path, b'd') } == Some(files::NODE) {
        guarded(device::open)
    } else {
        // SAFETY: guaranteed by the caller.
        let path = unsafe { path_with(path, b's') }?;
        match guarded(|| Ok(files::open_file(path))) {
            Ok(opened) => opened?,
            Err(number) => Err(number),
        }
    };
    Some(opened.unwrap_or_else(|number| {
        set_errno(number);
        -1
    }))
}

macro_rules! open_with_mode {
    ($($name:ident $text:literal),*) => { $(
        /// The function of the C library with this name, extended by the files of the device.
        ///
        /// # Safety
        ///
        /// As in C.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
            // SAFETY: in C, the path is a terminated string.
            if let Some(opened) = unsafe { open_ours(path) } {
                return opened;
            }
            type Open = unsafe extern "C" fn(*const c_char, c_int, ...) -> c_int;
            // SAFETY: the function has this type in the C library, and the arguments are the caller's.
            unsafe { next!($text as Open)(path, flags, mode) }
        }
    )* };
}
open_with_mode!(open c"open", open64 c"open64");

macro_rules! open_without_mode {
    ($($name:ident $text:literal),*) => { $(
        /// The function of the C library with this name, extended by the files of the device.
        ///
        /// # Safety
        ///
        /// As in C.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(path: *const c_char, flags: c_int) -> c_int {
            // SAFETY: in C, the path is a terminated string.
            if let Some(opened) = unsafe { open_ours(path) } {
                return opened;
            }
            type Open = unsafe extern "C" fn(*const c_char, c_int) -> c_int;
            // SAFETY: the function has this type in the C library, and the arguments are the caller's.
            unsafe { next!($text as Open)(path, flags) }
        }
    )* };
}
open_without_mode!(__open_2 c"__open_2", __open64_2 c"__open64_2");

/// `close` of the C library, which also closes the device.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    // The descriptor is closed even if there is a fault in the device.
    let _ = guarded(|| {
        device::close(descriptor);
        Ok(())
    });
    type Close = unsafe extern "C" fn(c_int) -> c_int;
    // SAFETY: the function has this type in the C library.
    unsafe { next!(c"close" as Close)(descriptor) }
}

/// `ioctl` of the C library, extended by the requests of the device.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    if request >> 8 & 0xff == GRAPHICS {
        let number = (request & 0xff) as u8;
        // SAFETY: in C, the argument is what the kernel expects for the request.
        let answer = guarded(|| Ok(unsafe { device::request(descriptor, number, argument) }));
        match answer {
            Ok(None) => {}
            Ok(Some(Ok(()))) => return 0,
            Ok(Some(Err(number))) | Err(number) => {
                set_errno(number);
                return -1;
            }
        }
    }
    type Ioctl = unsafe extern "C" fn(c_int, c_ulong, ...) -> c_int;
    // SAFETY: the function has this type in the C library, and the arguments are the caller's.
    unsafe { next!(c"ioctl" as Ioctl)(descriptor, request, argument) }
}

macro_rules! open_stream {
    ($($name:ident $text:literal),*) => { $(
        /// The function of the C library with this name, extended by the files of the device (`std::ifstream`
        /// calls it).
        ///
        /// # Safety
        ///
        /// As in C.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
            // SAFETY: in C, the path is a terminated string.
            if let Some(path) = unsafe { path_with(path, b's') }
                && let Ok(Some(Ok(descriptor))) = guarded(|| Ok(files::open_file(path)))
            {
                // SAFETY: the descriptor is new, and the mode is a terminated string.
                return unsafe { libc::fdopen(descriptor, c"r".as_ptr()) };
            }
            type Open = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut libc::FILE;
            // SAFETY: the function has this type in the C library, and the arguments are the caller's.
            unsafe { next!($text as Open)(path, mode) }
        }
    )* };
}
open_stream!(fopen c"fopen", fopen64 c"fopen64");
