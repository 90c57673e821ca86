//! Rows of bytes, wherever they lie: in a surface, in a copy of what is not inside of it, or in a stack slot. Which one it is
//! is an address, not two ways through the code.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use cm_macros::inlined;

/// The rows of a block that is read: in a surface, in an [`Scratch`], or in a stack slot.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    start: *const u8,
    pitch: usize,
    width: usize,
    rows: usize,
    bytes: PhantomData<&'a [u8]>,
}

/// The most threads that run side by side.
pub const MOST_SIDE_BY_SIDE: usize = 4;

/// Bytes of the largest block that is read at once. A message carries less, which is no concern of the CPU.
pub const LARGEST_READ: usize = 1024;

/// Scratch space for the rows of blocks that are not inside of their surface: of as many threads as may run
/// side by side.
pub type Scratch = MaybeUninit<[u8; MOST_SIDE_BY_SIDE * LARGEST_READ]>;

/// The first `len` bytes of scratch space, as zeros.
///
/// # Panics
/// If there are less.
pub(super) fn zeroed(scratch: &mut Scratch, len: usize) -> &mut [u8] {
    assert!(len <= size_of::<Scratch>(), "blocks fit their scratch space");
    let start = scratch.as_mut_ptr().cast::<u8>();
    // SAFETY: so many bytes are there, borrowed as long as the result is; they are written before they are read.
    unsafe {
        start.write_bytes(0, len);
        std::slice::from_raw_parts_mut(start, len)
    }
}

impl<'a> Window<'a> {
    /// `rows` rows of `width` bytes without gaps.
    ///
    /// # Panics
    /// If there are less bytes.
    #[inlined]
    #[must_use]
    pub fn new(bytes: &'a [u8], width: usize, rows: usize) -> Self {
        let all = width.checked_mul(rows);
        assert!(all.is_some_and(|all| all <= bytes.len()), "rows lie inside of their bytes");
        Self { start: bytes.as_ptr(), pitch: width, width, rows, bytes: PhantomData }
    }

    /// `rows` rows of `width` bytes from `start` on, `pitch` bytes apart.
    ///
    /// # Safety
    /// They are there for `'a`, in one allocation, and nobody writes them meanwhile. For blocks of memory that
    /// is constant, which are kept, it is enough that this is so whenever
    /// [`Kept::check_again`](super::Kept::check_again) returns; those of other memory are read at once.
    #[inlined]
    #[must_use]
    pub unsafe fn from_raw(start: *const u8, pitch: usize, width: usize, rows: usize) -> Self {
        Self { start, pitch, width, rows, bytes: PhantomData }
    }

    /// The first `width` bytes of the first `rows` rows: what the compiler knows of both, it knows of the part.
    ///
    /// # Panics
    /// If there are less.
    #[inlined]
    pub(super) fn part(&self, width: usize, rows: usize) -> Self {
        assert!(width <= self.width && rows <= self.rows, "a part of rows lies inside of them");
        Self { width, rows, ..*self }
    }

    /// Bytes from the start of this one to that of another.
    #[inlined]
    pub(super) fn bytes_to(&self, other: &Self) -> isize {
        // Not `offset_from`, which asks for proof that both are in one allocation.
        other.start.addr().wrapping_sub(self.start.addr()) as isize
    }

    /// Bytes of a row, and rows.
    #[inlined]
    pub(super) fn size(&self) -> [usize; 2] {
        [self.width, self.rows]
    }

    /// Where row `r` starts, if there is one.
    #[inlined]
    pub(super) fn row(&self, r: usize) -> *const u8 {
        // Not `add`: a row that is not there may be named, but not read.
        self.start.wrapping_add(r * self.pitch)
    }
}
