//! Memory of the GPU: ranges of the host's memory, which the process and other threads of the GPU touch at the same time.

mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A range of bytes that many may read and write at once, as those of a GPU: no access is outside of it, none has an order.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    first: *const AtomicU8,
    length: usize,
    alive: std::marker::PhantomData<&'a [AtomicU8]>,
}

// SAFETY: a span is a `&[AtomicU8]` in all but its type.
unsafe impl Send for Span<'_> {}
// SAFETY: as above.
unsafe impl Sync for Span<'_> {}

impl<'a> Span<'a> {
    /// The bytes from `first` on.
    ///
    /// # Safety
    ///
    /// They are mapped, readable and writable, for as long as `'a`, and nobody has a reference of Rust's to them.
    pub unsafe fn new(first: *mut u8, length: usize) -> Self {
        Self { first: first.cast(), length, alive: std::marker::PhantomData }
    }

    /// How many bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A part. `None` where it is not inside.
    #[must_use]
    pub fn part(&self, offset: usize, length: usize) -> Option<Span<'a>> {
        let inside = offset.checked_add(length).is_some_and(|end| end <= self.length);
        inside.then(|| Span { first: self.first.wrapping_add(offset), length, alive: self.alive })
    }
}

/// An address space of the GPU.
pub trait Memory: Sync {
    /// The bytes from an address to the end of what is mapped without a gap. `None` where nothing is.
    fn at(&self, address: u64) -> Option<Span<'_>>;
}

/// Bytes of its own: shared local memory of a group, surfaces of a command line.
#[derive(Clone, Debug)]
pub struct Block(Arc<[AtomicU8]>);

impl Block {
    /// As many bytes of this value.
    #[must_use]
    pub fn filled(length: usize, value: u8) -> Self {
        Self((0..length).map(|_| AtomicU8::new(value)).collect())
    }

    /// All of them.
    #[must_use]
    pub fn span(&self) -> Span<'_> {
        Span { first: self.0.as_ptr(), length: self.0.len(), alive: std::marker::PhantomData }
    }

    /// What they hold.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.iter().map(|byte| byte.load(Ordering::Relaxed)).collect()
    }
}
