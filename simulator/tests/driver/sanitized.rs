//! A program for AddressSanitizer: it asks the driver for its devices, and on request writes beyond an
//! allocation.

use std::ffi::{CStr, c_char, c_int, c_void};

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn main() {
    let name = |name: &CStr| name.as_ptr();
    // SAFETY: the functions have the types of the Level Zero header; the library is never closed.
    let (devices, ends_inside) = unsafe {
        let loader = dlopen(name(c"libze_loader.so.1"), 2);
        assert!(!loader.is_null(), "no loader");
        type Init = unsafe extern "C" fn(u32) -> u32;
        type Get = unsafe extern "C" fn(*mut u32, *mut *mut c_void) -> u32;
        type Devices = unsafe extern "C" fn(*mut c_void, *mut u32, *mut *mut c_void) -> u32;
        let init: Init = std::mem::transmute(dlsym(loader, name(c"zeInit")));
        let drivers: Get = std::mem::transmute(dlsym(loader, name(c"zeDriverGet")));
        let devices: Devices = std::mem::transmute(dlsym(loader, name(c"zeDeviceGet")));
        let (mut count, mut driver, mut device) = (1, std::ptr::null_mut(), std::ptr::null_mut());
        assert_eq!((init(0), drivers(&mut count, &mut driver)), (0, 0));
        assert_eq!(devices(driver, &mut count, &mut device), 0);
        let bytes = vec![0_u8; 8];
        let wrong = std::env::args().len();
        (count, wrong == 1 || *bytes.as_ptr().wrapping_add(std::hint::black_box(6 + wrong)) == 0)
    };
    println!("{devices} {ends_inside}");
}
