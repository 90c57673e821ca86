//! Buffer objects: memory that the device and the program share.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::abi::{Answer, Errno};

/// Bytes of a page.
pub(super) const PAGE: u64 = 4096;
/// The maximum bytes of all buffers of a node. Nothing is reserved, because the file is sparse.
const SPAN: u64 = 1 << 46;
/// The offset of the first buffer. Offset 0 means none.
const FIRST: u64 = 1 << 20;
/// The alignment of buffers.
const ALIGNMENT: u64 = 1 << 16;

/// The memory of the buffers of a node: an unnamed file. The program's descriptor of the node is this file,
/// so `mmap` of it needs no emulation.
#[derive(Debug)]
pub(super) struct VideoMemory {
    /// A separate descriptor, which stays open when the program closes its own.
    file: OwnedFd,
    next: AtomicU64,
}

/// The error number of the last call of the C library.
fn last_error() -> Errno {
    Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

impl VideoMemory {
    /// Creates the memory. Also returns the program's descriptor of it.
    pub(super) fn new() -> Result<(Self, OwnedFd), Errno> {
        // SAFETY: the name is a terminated string.
        let descriptor =
            unsafe { libc::memfd_create(c"cm-simulator-renderD128".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(last_error());
        }
        // SAFETY: the descriptor is new, and nothing else uses it.
        let program: File = unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) };
        let no_memory = |_| Errno(libc::ENOMEM);
        program.set_len(SPAN).map_err(no_memory)?;
        let file = program.try_clone().map_err(no_memory)?.into();
        Ok((Self { file, next: AtomicU64::new(FIRST) }, program.into()))
    }

    /// Maps a part of the file.
    fn map(&self, offset: u64, size: u64) -> Result<*mut u8, Errno> {
        let read_write = libc::PROT_READ | libc::PROT_WRITE;
        let (length, offset) = (size as usize, offset as libc::off_t);
        let file = self.file.as_raw_fd();
        // SAFETY: this is a new mapping, at an address that the system chooses.
        let mapped =
            unsafe { libc::mmap(ptr::null_mut(), length, read_write, libc::MAP_SHARED, file, offset) };
        if mapped == libc::MAP_FAILED { Err(Errno(libc::ENOMEM)) } else { Ok(mapped.cast()) }
    }
}

/// The location of the bytes of a buffer.
#[derive(Debug)]
enum Place {
    /// In the memory of the node, at this offset.
    Node(Arc<VideoMemory>, u64),
    /// In the memory of the program; the flag says whether it is known to be mapped.
    Program(AtomicBool),
}

/// A buffer object.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) handle: u32,
    pub(super) size: u64,
    first: *mut u8,
    place: Place,
    /// `I915_TILING_*` and the stride, as set by the program.
    pub(super) tiling: Mutex<(u32, u32)>,
    /// The number of batches that use it.
    users: AtomicU32,
}

// SAFETY: the address belongs to a mapping that lives as long as the buffer (memory of the node), or that the
// program keeps. No references to its bytes are created, neither here nor in the GPU threads.
unsafe impl Send for Buffer {}
// SAFETY: as above; all other fields are `Sync`.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Creates a buffer in the memory of the node.
    pub(super) fn new(memory: &Arc<VideoMemory>, handle: u32, size: u64) -> Result<Self, Errno> {
        if size == 0 || size > SPAN {
            return Err(Errno(libc::EINVAL));
        }
        let size = size.next_multiple_of(PAGE);
        let offset = memory.next.fetch_add(size.next_multiple_of(ALIGNMENT), Ordering::Relaxed);
        if offset > SPAN - size {
            return Err(Errno(libc::ENOMEM));
        }
        let first = memory.map(offset, size)?;
        Ok(Self::at(handle, first, size, Place::Node(Arc::clone(memory), offset)))
    }

    /// Creates a buffer from memory of the program.
    pub(super) fn of_program(handle: u32, address: u64, size: u64) -> Result<Self, Errno> {
        if !(address | size).is_multiple_of(PAGE) || size == 0 {
            return Err(Errno(libc::EINVAL));
        }
        Ok(Self::at(handle, address as *mut u8, size, Place::Program(AtomicBool::new(false))))
    }

    fn at(handle: u32, first: *mut u8, size: u64, place: Place) -> Self {
        let (tiling, users) = (Mutex::default(), AtomicU32::new(0));
        Self { handle, size, first, place, tiling, users }
    }

    /// The address of its first byte in the program.
    pub(super) fn first(&self) -> *mut u8 {
        self.first
    }

    /// The offset in the memory of the node, for `mmap`.
    pub(super) fn offset(&self) -> Result<u64, Errno> {
        match self.place {
            Place::Node(_, offset) => Ok(offset),
            Place::Program(_) => Err(Errno(libc::ENODEV)),
        }
    }

    /// Maps a part of it again. The program unmaps it.
    pub(super) fn map(&self, offset: u64, size: u64) -> Result<*mut u8, Errno> {
        if !offset.is_multiple_of(PAGE)
            || size == 0
            || offset.checked_add(size).is_none_or(|end| end > self.size)
        {
            return Err(Errno(libc::EINVAL));
        }
        match &self.place {
            Place::Node(memory, first) => memory.map(first + offset, size),
            Place::Program(_) => Err(Errno(libc::ENODEV)),
        }
    }

    /// Checks once that the memory of the program is mapped. A submission with unmapped memory fails.
    pub(super) fn check_mapped(&self) -> Answer {
        match &self.place {
            Place::Program(checked) if !checked.load(Ordering::Relaxed) => {
                if !mapped(self.first, self.size) {
                    return Err(Errno(libc::EFAULT));
                }
                checked.store(true, Ordering::Relaxed);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A batch that uses it was submitted.
    pub(super) fn begin_use(&self) {
        self.users.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether a batch uses it.
    pub(super) fn is_busy(&self) -> bool {
        self.users.load(Ordering::SeqCst) > 0
    }

    /// Waits until no batch uses it, or until `limit` has passed; `None` means no limit. Returns whether it
    /// is idle.
    pub(super) fn wait_idle(&self, limit: Option<Duration>) -> bool {
        let end = limit.map(|limit| Instant::now() + limit);
        let mut idle = IDLE.0.lock().unwrap_or_else(PoisonError::into_inner);
        while self.is_busy() {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match left {
                Some(Duration::ZERO) => return false,
                Some(left) => {
                    idle = IDLE.1.wait_timeout(idle, left).unwrap_or_else(PoisonError::into_inner).0;
                }
                None => idle = IDLE.1.wait(idle).unwrap_or_else(PoisonError::into_inner),
            }
        }
        true
    }
}

/// Wakes threads that wait for idle buffers.
static IDLE: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

/// A batch that used these buffers has ended.
pub(super) fn end_use(buffers: &[Arc<Buffer>]) {
    for buffer in buffers {
        buffer.users.fetch_sub(1, Ordering::SeqCst);
    }
    drop(IDLE.0.lock().unwrap_or_else(PoisonError::into_inner));
    IDLE.1.notify_all();
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Place::Node(memory, offset) = &self.place else { return };
        // SAFETY: this mapping was created by `map` for this buffer, and its spans do not outlive the buffer.
        unsafe { libc::munmap(self.first.cast(), self.size as usize) };
        let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: this is a call on our own descriptor. If it fails, the memory is kept until the node is
        // closed.
        unsafe {
            libc::fallocate(memory.file.as_raw_fd(), hole, *offset as libc::off_t, self.size as libc::off_t);
        }
    }
}

/// Whether all pages of a range are mapped.
fn mapped(first: *mut u8, size: u64) -> bool {
    const PAGES: usize = 4096;
    let mut pages = [0u8; PAGES];
    let step = PAGES as u64 * PAGE;
    (0..size).step_by(step as usize).all(|done| {
        let length = step.min(size - done) as usize;
        let begin = first.wrapping_add(done as usize);
        // SAFETY: `mincore` does not read the range, and writes one byte for each page.
        unsafe { libc::mincore(begin.cast(), length, pages.as_mut_ptr()) == 0 }
    })
}

/// Creates an unnamed file with these contents for a program to read. Returns its descriptor.
pub(super) fn file_with(name: &std::ffi::CStr, contents: &str) -> Result<RawFd, Errno> {
    use std::io::{Seek, Write};
    use std::os::fd::{FromRawFd, IntoRawFd};
    // SAFETY: the name is a terminated string.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(last_error());
    }
    // SAFETY: the descriptor is new, and nothing else uses it.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    let written = file.write_all(contents.as_bytes()).and_then(|()| file.rewind());
    written.map(|()| file.into_raw_fd()).map_err(|_| Errno(libc::EIO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn the_descriptor_of_the_node_is_the_memory_of_buffers() {
        let (memory, descriptor) = VideoMemory::new().expect("memory");
        let (memory, file) = (Arc::new(memory), File::from(descriptor));
        let first = Buffer::new(&memory, 1, 5).expect("a buffer");
        let second = Buffer::new(&memory, 2, 5000).expect("a buffer");
        assert_eq!((first.size, second.size), (4096, 8192));
        // SAFETY: this byte is in the mapping of the buffer.
        unsafe { second.first().add(4097).write(7) };
        let mut bytes = [0; 2];
        let offset = second.offset().expect("an offset");
        file.read_exact_at(&mut bytes, offset + 4096).expect("two bytes");
        assert_eq!(bytes, [0, 7]);
        let again = second.map(4096, 4096).expect("a mapping");
        // SAFETY: this byte is in the new mapping, which is unmapped afterwards.
        unsafe {
            assert_eq!(again.add(1).read(), 7);
            libc::munmap(again.cast(), 4096);
        }
        drop(second);
        file.read_exact_at(&mut bytes, offset + 4096).expect("two bytes");
        assert_eq!(bytes, [0, 0], "a dropped buffer leaves a hole");
        assert_eq!(first.map(0, 8192).expect_err("too large"), Errno(libc::EINVAL));
    }

    #[test]
    fn memory_of_the_program_is_checked() {
        let (memory, _descriptor) = VideoMemory::new().expect("memory");
        let buffer = Buffer::new(&Arc::new(memory), 1, 3 * PAGE).expect("a buffer");
        let address = buffer.first() as u64;
        let of_program = |address, size| Buffer::of_program(2, address, size);
        assert_eq!(of_program(address, 3 * PAGE).expect("a buffer").check_mapped(), Ok(()));
        assert_eq!(of_program(address + 1, PAGE).expect_err("misaligned"), Errno(libc::EINVAL));
        assert_eq!(of_program(address, 0).expect_err("empty"), Errno(libc::EINVAL));
        assert_eq!(of_program(PAGE, PAGE).expect("a buffer").check_mapped(), Err(Errno(libc::EFAULT)));
        assert_eq!(of_program(address, PAGE).expect("a buffer").offset(), Err(Errno(libc::ENODEV)));
    }

    #[test]
    fn waits_for_batches() {
        let (memory, _descriptor) = VideoMemory::new().expect("memory");
        let buffer = Arc::new(Buffer::new(&Arc::new(memory), 1, 1).expect("a buffer"));
        assert!(buffer.wait_idle(None));
        buffer.begin_use();
        assert!(!buffer.wait_idle(Some(Duration::from_millis(1))));
        let other = Arc::clone(&buffer);
        let ends = std::thread::spawn(move || end_use(&[other]));
        assert!(buffer.wait_idle(None));
        ends.join().expect("no panic");
    }
}
