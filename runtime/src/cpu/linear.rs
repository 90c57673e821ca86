//! Buffer memory that kernel threads share.

use cm_compiler::access::Segment;
use cm_dsl::cpu::{BufferAccess, CheckedBytes};

use super::memory::{Current, Launch};
use crate::buffer::BufferBytes;

/// The memory of a buffer for the duration of a launch.
///
/// # Safety
/// It is made by [`BufferMemory::read`] or [`BufferMemory::write`] from a borrow that outlives the launch, and `check` refuses
/// it outside of that launch; every access takes [`CheckedBytes`], which only come of that. The executor runs kernel threads on several OS
/// threads only where each has its part of every buffer that is written to itself. That part is the segment, and every
/// access is held to it, whatever the kernel's host code does.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferMemory {
    bytes: *mut u8,
    len: usize,
    right: Right,
    /// The launch that the memory was lent to.
    launch: Launch,
}

/// What a kernel thread may do to a buffer.
#[derive(Clone, Copy, Debug)]
enum Right {
    /// Read it: the buffer is borrowed by others as well.
    Read,
    /// Read and write all of it: kernel threads run one after the other.
    Alone,
    /// Read and write what it has to itself: kernel threads run at the same time.
    Segment(Segment),
}

// SAFETY: the pointer is to plain bytes that outlive the launch. Which threads may use it at a time is the contract
// of the type: concurrent reads of a shared borrow, or accesses of an exclusive borrow to different bytes.
unsafe impl Sync for BufferMemory {}

impl BufferMemory {
    /// A buffer that is only read, if the CPU has it.
    pub(super) fn read(buffer: &BufferBytes, launch: Launch) -> Option<Self> {
        let bytes = buffer.bytes()?;
        Some(Self { bytes: bytes.as_ptr().cast_mut(), len: bytes.len(), right: Right::Read, launch })
    }

    /// A buffer that is read and written, by one thread after the other or by each within its segment, if the CPU has
    /// it.
    pub(super) fn write(buffer: &mut BufferBytes, segment: Option<Segment>, launch: Launch) -> Option<Self> {
        let bytes = buffer.bytes_mut()?;
        let right = segment.map_or(Right::Alone, Right::Segment);
        Some(Self { len: bytes.len(), bytes: bytes.as_mut_ptr(), right, launch })
    }

    /// How many of `len` bytes from `offset` on lie inside.
    #[inline(always)]
    fn inside(&self, offset: u32, len: usize) -> usize {
        self.len.saturating_sub(offset as usize).min(len)
    }
}

impl BufferAccess for BufferMemory {
    #[inline(always)]
    fn check(&self, thread: usize, block: Option<(u32, usize)>, writes: bool) {
        let (launch, [column, row]) = Current::thread();
        assert!(
            launch == self.launch,
            "a buffer of a launch is used outside of it: kernels do not keep their arguments"
        );
        match &self.right {
            Right::Alone => {}
            Right::Read => assert!(!writes, "a kernel writes a buffer that it was given to read"),
            Right::Segment(segment) => {
                let own = match block {
                    Some((offset, bytes)) => segment.covers([column + thread as u32, row], offset, bytes),
                    None => !segment.writes(),
                };
                assert!(
                    own && (segment.writes() || !writes),
                    "the host code of a kernel computes other offsets than when it was recorded: kernels must be \
                     deterministic"
                );
            }
        }
    }

    #[inline(always)]
    fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]) {
        assert!(bytes.len() == from.len(), "what was checked is what is read");
        let (memory, offset) = (**from.memory(), from.offset());
        let len = memory.inside(offset, bytes.len());
        let (inside, outside) = bytes.split_at_mut(len);
        outside.fill(0);
        if len > 0 {
            // SAFETY: `offset + len` is at most the bytes of the buffer, since `inside` is above zero only where `offset`
            // is below; `bytes` is memory of this thread. Races are excluded by the contract of the type.
            unsafe { memory.bytes.add(offset as usize).copy_to_nonoverlapping(inside.as_mut_ptr(), len) };
        }
    }

    #[inline(always)]
    fn write(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]) {
        assert!(bytes.len() == to.len(), "what was checked is what is written");
        let (memory, offset) = (**to.memory(), to.offset());
        let len = memory.inside(offset, bytes.len());
        if len > 0 {
            // SAFETY: as in `read`, the target lies inside the buffer; `check` refuses writes to one that was not borrowed
            // exclusively. Races are excluded by the contract of the type.
            unsafe { memory.bytes.add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), len) };
        }
    }
}
