//! Buffers that are borrowed for a launch, and what each kernel thread may access of them.

use std::marker::PhantomData;

use cm_compiler::access::{Neighbourhood, Segment};
use cm_dsl::cpu::Unit;
use cm_macros::inlined;

use crate::parts::Shared;

/// A buffer, borrowed for a launch.
#[derive(Debug)]
pub(crate) struct BufferBorrow<'a> {
    pub(super) bytes: Bytes,
    /// The part of each thread.
    segment: Option<Box<Segment>>,
    /// The part that each thread may access in its wave.
    neighbourhood: Option<Box<Neighbourhood>>,
    /// The bytes, if they are a copy.
    own: Option<Vec<u8>>,
    borrow: PhantomData<&'a mut [u8]>,
}

/// The bytes of a buffer, and the access rights of kernel threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub(super) start: *mut u8,
    pub(super) len: usize,
    pub(super) right: Right,
}

/// The access rights of a kernel thread to a buffer. Every kernel thread copies this, so large data is behind a pointer
/// into the borrow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Right {
    /// Read it: the buffer is also borrowed by others.
    Read,
    /// Read and write all of it: kernel threads run one after the other.
    Alone,
    /// Read and write all of it, this number of bytes, by the threads of the group whose memory it is: one OS thread runs them. Its
    /// [`Bytes`] have no length if races are detected, so that accesses to buffers do not check for that.
    Group(usize),
    /// Read and write its own part: kernel threads run at the same time.
    Segment(*const Segment),
    /// Read and write the part that no other thread of its wave writes: these threads run at the same time.
    Neighbourhood(*const Neighbourhood),
}

impl Right {
    /// Whether every thread of the launch may access everything in this way.
    #[inlined]
    pub(super) fn is_free(self, writes: bool) -> bool {
        matches!(self, Self::Alone) || !writes && matches!(self, Self::Read)
    }
}

// SAFETY: the pointer is to plain bytes that outlive the launch. Which threads may use it at a time is the
// contract of `BufferMemory`: concurrent reads of a shared borrow, or accesses of an exclusive borrow to
// different bytes.
unsafe impl Sync for Bytes {}
// SAFETY: as above; it contains no thread-local data.
unsafe impl Send for Bytes {}

impl<'a> BufferBorrow<'a> {
    /// A read-only buffer.
    pub(crate) fn shared(bytes: &'a [u8]) -> Self {
        Self::new(bytes.as_ptr().cast_mut(), bytes.len(), Right::Read)
    }

    /// A buffer for reading and writing.
    pub(crate) fn exclusive(bytes: &'a mut [u8]) -> Self {
        Self::new(bytes.as_mut_ptr(), bytes.len(), Right::Alone)
    }

    fn new(start: *mut u8, len: usize, right: Right) -> Self {
        Self {
            bytes: Bytes { start, len, right },
            segment: None,
            neighbourhood: None,
            own: None,
            borrow: PhantomData,
        }
    }

    /// The same buffer with the same rights; valid until this one is freed.
    pub(super) fn again(&self) -> BufferBorrow<'_> {
        BufferBorrow { bytes: self.bytes, segment: None, neighbourhood: None, own: None, borrow: PhantomData }
    }

    /// A copy, or zeros of the same length.
    pub(super) fn copy(&self, zeros: bool) -> BufferBorrow<'static> {
        let mut own = match zeros {
            true => vec![0; self.bytes.len],
            // SAFETY: these are the bytes that were borrowed, and no thread writes them while there are copies.
            false => unsafe { std::slice::from_raw_parts(self.bytes.start, self.bytes.len) }.to_vec(),
        };
        let bytes = Bytes { start: own.as_mut_ptr(), len: own.len(), right: Right::Alone };
        BufferBorrow { bytes, segment: None, neighbourhood: None, own: Some(own), borrow: PhantomData }
    }

    /// Takes the bytes of a copy.
    pub(super) fn take_own(&mut self) -> Option<Vec<u8>> {
        self.bytes.len = 0;
        self.own.take()
    }

    /// The bytes, if threads may write all of them.
    pub(super) fn bytes(&mut self) -> Option<&mut [u8]> {
        let Bytes { start, len, right } = self.bytes;
        // SAFETY: they were borrowed for writing, and no kernel thread runs: those have shared references to this.
        matches!(right, Right::Alone).then(|| unsafe { std::slice::from_raw_parts_mut(start, len) })
    }

    /// How threads may conflict. Buffers of up to `copied` bytes may be copied.
    pub(super) fn sharing(&self, copied: usize) -> Shared {
        match self.bytes.right {
            Right::Read => Shared::Constant,
            Right::Alone | Right::Segment(_) | Right::Neighbourhood(_) | Right::Group(_) => {
                Shared::Buffer { copied: self.bytes.len <= copied }
            }
        }
    }

    /// Limits each thread to its part of a written buffer.
    pub(super) fn divide(&mut self, segment: Segment) {
        if let Right::Alone = self.bytes.right {
            let segment: &Segment = self.segment.insert(Box::new(segment));
            self.bytes.right = Right::Segment(segment);
        }
    }

    /// Limits each thread to the part that no other thread of its wave writes.
    pub(super) fn divide_in_waves(&mut self, neighbourhood: Neighbourhood) {
        if let Right::Alone = self.bytes.right {
            let neighbourhood: &Neighbourhood = self.neighbourhood.insert(Box::new(neighbourhood));
            self.bytes.right = Right::Neighbourhood(neighbourhood);
        }
    }
}

impl Bytes {
    /// The number of bytes that are inside, of `len` bytes from `offset` on.
    #[inlined]
    pub(super) fn inside(&self, offset: u32, len: usize) -> usize {
        self.len.saturating_sub(offset as usize).min(len)
    }

    /// The number of bytes of a unit that are accessed.
    pub(super) fn inside_of(&self, unit: Unit, offset: u32, len: usize) -> usize {
        match (unit, self.inside(offset, len)) {
            (Unit::Element | Unit::Updated, inside) if inside < len => 0,
            (_, inside) => inside,
        }
    }

    /// Whether all of `len` bytes from `offset` on are inside.
    #[inlined]
    pub(super) fn contain(&self, offset: u32, len: usize) -> bool {
        u64::from(offset) + len as u64 <= self.len as u64
    }

    /// The number of elements of this size that are completely inside.
    #[inlined]
    pub(super) fn count(&self, size: usize) -> u32 {
        u32::try_from(self.len / size).unwrap_or(u32::MAX)
    }

    /// Whether all elements of this size are completely inside.
    #[inlined]
    pub(super) fn has<const C: usize>(&self, elements: &[u32; C], size: usize) -> bool {
        let count = self.count(size);
        // Without a branch for each element, this is one vector comparison.
        elements.iter().fold(true, |all, element| all & (*element < count))
    }
}
