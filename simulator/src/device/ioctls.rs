//! The requests of the kernel driver interface, one row each.

use std::ffi::{CStr, c_void};

use super::abi::*;
use super::node::Node;
use crate::log::{Level, note};

/// A request.
struct Row {
    number: u8,
    name: &'static str,
    answer: Handler,
}

/// Answers a request.
///
/// # Safety
///
/// The address is null, or that of the structure of the request, as the kernel expects it.
type Handler = unsafe fn(&Node, *mut c_void) -> Answer;

macro_rules! rows {
    ($($number:literal $name:literal $structure:ty => $answer:ident;)*) => {
        const ROWS: &[Row] = &[$(Row {
            number: $number,
            name: $name,
            // SAFETY: the caller gives the guarantee that `answer_with` needs.
            answer: |node, argument| unsafe { answer_with::<$structure>(node, argument, Node::$answer) },
        }),*];
    };
}

// Numbers of `drm.h`; from 0x40 on, of `i915_drm.h`.
rows! {
    0x00 "VERSION" Version => version;
    0x09 "GEM_CLOSE" Close => close_buffer;
    0x0c "GET_CAP" [u64; 2] => capability;
    0x46 "I915_GETPARAM" GetParameter => get_parameter;
    0x57 "I915_GEM_BUSY" Busy => busy;
    0x5b "I915_GEM_CREATE" Create => create;
    0x5c "I915_GEM_PREAD" Transfer => read_buffer;
    0x5d "I915_GEM_PWRITE" Transfer => write_buffer;
    0x5e "I915_GEM_MMAP" Map => map;
    0x5f "I915_GEM_SET_DOMAIN" SetDomain => set_domain;
    0x61 "I915_GEM_SET_TILING" SetTiling => set_tiling;
    0x62 "I915_GEM_GET_TILING" GetTiling => get_tiling;
    0x63 "I915_GEM_GET_APERTURE" GetAperture => aperture;
    0x64 "I915_GEM_MMAP_OFFSET" MapOffset => map_offset;
    0x69 "I915_GEM_EXECBUFFER2" Execute => execute;
    0x6c "I915_GEM_WAIT" Wait => wait;
    0x6d "I915_GEM_CONTEXT_CREATE" CreateContext => create_context;
    0x6e "I915_GEM_CONTEXT_DESTROY" DestroyContext => destroy_context;
    0x71 "I915_REG_READ" ReadRegister => read_register;
    0x72 "I915_GET_RESET_STATS" ResetStatistics => reset_statistics;
    0x73 "I915_GEM_USERPTR" UserMemory => user_memory;
    0x74 "I915_GEM_CONTEXT_GETPARAM" ContextParameter => get_context;
    0x75 "I915_GEM_CONTEXT_SETPARAM" ContextParameter => set_context;
    0x79 "I915_QUERY" Query => query;
    0x7a "I915_GEM_VM_CREATE" AddressSpaceControl => create_address_space;
    0x7b "I915_GEM_VM_DESTROY" AddressSpaceControl => destroy_address_space;
    0x7c "I915_GEM_CREATE_EXT" CreateExtended => create_extended;
}

/// Answers a request with its structure. The answer updates the structure, even if it is an error.
///
/// # Safety
///
/// `argument` is null or the address of the structure, which must be readable and writable.
unsafe fn answer_with<T: Plain>(
    node: &Node,
    argument: *mut c_void,
    answer: impl FnOnce(&Node, &mut T) -> Answer,
) -> Answer {
    if argument.is_null() {
        return Err(Errno(libc::EFAULT));
    }
    let structure = argument.cast::<T>();
    // SAFETY: the caller gave the address of the structure, and all byte values are valid.
    let mut value = unsafe { structure.read_unaligned() };
    let answer = answer(node, &mut value);
    // SAFETY: as above.
    unsafe { structure.write_unaligned(value) };
    answer
}

/// Answers the request with a number.
///
/// # Safety
///
/// `argument` is what the kernel expects for this request.
pub(super) unsafe fn answer(node: &Node, number: u8, argument: *mut c_void) -> Answer {
    let Some(row) = ROWS.iter().find(|row| row.number == number) else {
        note(Level::Submissions, format_args!("request {number:#04x}: not supported"));
        return Err(Errno(libc::EINVAL));
    };
    // SAFETY: guaranteed by the caller.
    let answer = unsafe { (row.answer)(node, argument) };
    match answer {
        Ok(()) => note(Level::Walkers, format_args!("{}", row.name)),
        Err(Errno(number)) => note(Level::Walkers, format_args!("{}: {}", row.name, text(number))),
    }
    answer
}

/// The message of the C library for an error number.
fn text(number: i32) -> String {
    let mut text = [0; 128];
    // SAFETY: the buffer has this length.
    let wrote = unsafe { libc::strerror_r(number, text.as_mut_ptr(), text.len()) };
    if wrote != 0 {
        return format!("error {number}");
    }
    // SAFETY: a successful call wrote a terminated string.
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn node() -> Node {
        let settings = Box::leak(Box::new(Settings::read(&|_| None).expect("no bad setting")));
        Node::open(settings).expect("a node").0
    }

    fn ask<T>(node: &Node, number: u8, structure: &mut T) -> Answer {
        // SAFETY: tests give the structure of the request.
        unsafe { answer(node, number, std::ptr::from_mut(structure).cast()) }
    }

    #[test]
    fn rows_are_sorted() {
        assert!(ROWS.is_sorted_by(|left, right| left.number < right.number));
    }

    #[test]
    fn the_version_says_i915() {
        let mut name = [0u8; 8];
        // SAFETY: null, and the bytes above.
        let (null, to) = unsafe { (Pointer::new(0), Pointer::new(name.as_mut_ptr() as u64)) };
        let mut version = Version {
            major: 0,
            minor: 0,
            patch: 0,
            pad: 0,
            name_length: 8,
            name: to,
            date_length: 0,
            date: null,
            description_length: 0,
            description: null,
        };
        ask(&node(), 0x00, &mut version).expect("an answer");
        assert_eq!((version.name_length, &name[..5]), (4, b"i915\0".as_slice()));
    }

    #[test]
    fn errors_are_the_kernels() {
        let node = node();
        // SAFETY: a null pointer is allowed.
        assert_eq!(unsafe { answer(&node, 0x00, std::ptr::null_mut()) }, Err(Errno(libc::EFAULT)));
        assert_eq!(ask(&node, 0xff, &mut 0u64), Err(Errno(libc::EINVAL)));
        assert_eq!(ask(&node, 0x57, &mut Busy { handle: 9, busy: 0 }), Err(Errno(libc::ENOENT)));
        assert_eq!(ask(&node, 0x09, &mut Close { handle: 9, pad: 0 }), Err(Errno(libc::EINVAL)));
        assert_eq!(ask(&node, 0x5b, &mut Create { size: 0, handle: 0, pad: 0 }), Err(Errno(libc::EINVAL)));
        let mut parameter = ContextParameter { context: 0, size: 0, parameter: 99, value: 0 };
        assert_eq!(ask(&node, 0x74, &mut parameter), Err(Errno(libc::EINVAL)));
        let mut register = ReadRegister { offset: 0x1000, value: 0 };
        assert_eq!(ask(&node, 0x71, &mut register), Err(Errno(libc::EINVAL)));
        assert_eq!(text(libc::ENOENT), "No such file or directory");
    }

    #[test]
    fn buffers_are_written_and_read() {
        let node = node();
        let mut create = Create { size: 100, handle: 0, pad: 0 };
        ask(&node, 0x5b, &mut create).expect("a buffer");
        assert_eq!((create.handle, create.size), (1, 4096));
        let mut bytes = *b"memory";
        // SAFETY: the bytes live until the end of this test.
        let data = unsafe { Pointer::new(bytes.as_mut_ptr() as u64) };
        let mut transfer = Transfer { handle: 1, pad: 0, offset: 4090, size: 6, data };
        ask(&node, 0x5d, &mut transfer).expect("to be written");
        bytes = [0; 6];
        ask(&node, 0x5c, &mut transfer).expect("to be read");
        assert_eq!(&bytes, b"memory");
        transfer.offset = 4091;
        assert_eq!(ask(&node, 0x5c, &mut transfer), Err(Errno(libc::EINVAL)));
        ask(&node, 0x09, &mut Close { handle: 1, pad: 0 }).expect("to be closed");
        assert_eq!(ask(&node, 0x5c, &mut transfer), Err(Errno(libc::ENOENT)));
    }

    #[test]
    fn contexts_have_parameters_and_units() {
        let node = node();
        // SAFETY: null.
        let mut create = CreateContext { id: 0, flags: 0, extensions: unsafe { Pointer::new(0) } };
        ask(&node, 0x6d, &mut create).expect("a context");
        let mut priority = ContextParameter { context: create.id, size: 0, parameter: 6, value: 512 };
        ask(&node, 0x75, &mut priority).expect("to be set");
        priority.value = 0;
        ask(&node, 0x74, &mut priority).expect("to be read");
        assert_eq!(priority.value, 512);
        let mut units = [0u8; 32];
        let mut shape =
            ContextParameter { context: create.id, size: 32, parameter: 7, value: units.as_mut_ptr() as u64 };
        ask(&node, 0x74, &mut shape).expect("the units");
        assert_eq!((units[8], units[16], units[24], units[26]), (1, 0b111, 8, 8));
        let mut destroy = DestroyContext { id: create.id, pad: 0 };
        ask(&node, 0x6e, &mut destroy).expect("to be destroyed");
        assert_eq!(ask(&node, 0x6e, &mut destroy), Err(Errno(libc::ENOENT)));
    }
}
