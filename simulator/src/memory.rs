//! GPU memory: ranges of host memory that the process and other GPU threads may access at the same time.

mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A range of bytes that may be read and written concurrently, as on a GPU: accesses are always in bounds,
/// and have no order.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    first: *const AtomicU8,
    length: usize,
    alive: std::marker::PhantomData<&'a [AtomicU8]>,
}

// SAFETY: apart from its type, a span is a `&[AtomicU8]`.
unsafe impl Send for Span<'_> {}
// SAFETY: as above.
unsafe impl Sync for Span<'_> {}

impl<'a> Span<'a> {
    /// The bytes starting at `first`.
    ///
    /// # Safety
    ///
    /// They are mapped, readable and writable for the lifetime `'a`, and there are no Rust references to
    /// them.
    pub unsafe fn new(first: *mut u8, length: usize) -> Self {
        Self { first: first.cast(), length, alive: std::marker::PhantomData }
    }

    /// The number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A part; `None` if it is out of bounds.
    #[must_use]
    pub fn part(&self, offset: usize, length: usize) -> Option<Span<'a>> {
        let inside = offset.checked_add(length).is_some_and(|end| end <= self.length);
        inside.then(|| Span { first: self.first.wrapping_add(offset), length, alive: self.alive })
    }

    /// Whether the bytes at an offset are in bounds.
    fn holds(&self, offset: usize, length: usize) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.length)
    }

    /// The byte at an offset, which must be in bounds.
    fn byte(&self, offset: usize) -> &AtomicU8 {
        debug_assert!(offset < self.length);
        // SAFETY: callers have checked `holds`; the creator of the span promises that its bytes live for
        // `'a`.
        unsafe { &*self.first.add(offset) }
    }

    /// The eight bytes at an offset, if they are in bounds and aligned.
    #[inline]
    pub(crate) fn eight(&self, offset: usize) -> Option<&AtomicU64> {
        let first = self.first.wrapping_add(offset).cast::<AtomicU64>();
        // SAFETY: the bytes are in bounds and aligned, and all references to them are atomics. Concurrent
        // accesses of different widths to the same bytes are what GPU threads do in a race. On every host
        // that Intel's driver runs on, they are plain moves, so a racing kernel reads old or new bytes.
        (self.holds(offset, 8) && first.is_aligned()).then(|| unsafe { &*first })
    }

    /// The four bytes at an offset, if they are in bounds and aligned.
    #[inline]
    pub(crate) fn four(&self, offset: usize) -> Option<&AtomicU32> {
        let first = self.first.wrapping_add(offset).cast::<AtomicU32>();
        // SAFETY: as in `eight`.
        (self.holds(offset, 4) && first.is_aligned()).then(|| unsafe { &*first })
    }

    /// The two bytes at an offset, if they are in bounds and aligned.
    fn two(&self, offset: usize) -> Option<&AtomicU16> {
        let first = self.first.wrapping_add(offset).cast::<AtomicU16>();
        // SAFETY: as in `eight`.
        (self.holds(offset, 2) && first.is_aligned()).then(|| unsafe { &*first })
    }

    /// Copies the bytes at an offset to `to`. Returns `false` and copies nothing if they are not all in
    /// bounds.
    #[must_use]
    pub fn read(&self, offset: usize, to: &mut [u8]) -> bool {
        if !self.holds(offset, to.len()) {
            return false;
        }
        let mut at = 0;
        while at < to.len() {
            let left = to.len() - at;
            if let (true, Some(eight)) = (left >= 8, self.eight(offset + at)) {
                to[at..at + 8].copy_from_slice(&eight.load(Ordering::Relaxed).to_ne_bytes());
                at += 8;
            } else if let (true, Some(four)) = (left >= 4, self.four(offset + at)) {
                to[at..at + 4].copy_from_slice(&four.load(Ordering::Relaxed).to_ne_bytes());
                at += 4;
            } else {
                to[at] = self.byte(offset + at).load(Ordering::Relaxed);
                at += 1;
            }
        }
        true
    }

    /// Copies `from` to an offset. Returns `false` and copies nothing if it does not fit.
    #[must_use]
    pub fn write(&self, offset: usize, from: &[u8]) -> bool {
        if !self.holds(offset, from.len()) {
            return false;
        }
        let mut at = 0;
        while at < from.len() {
            let rest = &from[at..];
            if let (Some(bytes), Some(eight)) = (rest.first_chunk(), self.eight(offset + at)) {
                eight.store(u64::from_ne_bytes(*bytes), Ordering::Relaxed);
                at += 8;
            } else if let (Some(bytes), Some(four)) = (rest.first_chunk(), self.four(offset + at)) {
                four.store(u32::from_ne_bytes(*bytes), Ordering::Relaxed);
                at += 4;
            } else {
                self.byte(offset + at).store(rest[0], Ordering::Relaxed);
                at += 1;
            }
        }
        true
    }

    /// The bytes at an offset; `None` if they are not all in bounds.
    #[must_use]
    pub fn get<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.read(offset, &mut bytes).then_some(bytes)
    }

    /// Replaces a dword by the result of `change` in one atomic step. Returns the old dword; `None` if it is
    /// out of bounds or not aligned to four bytes.
    pub fn change_dword(&self, offset: usize, mut change: impl FnMut(u32) -> u32) -> Option<u32> {
        let dword = self.four(offset)?;
        Some(
            dword
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old)))
                .unwrap_or_default(),
        )
    }

    /// The same for a word that is aligned to two bytes.
    pub fn change_word(&self, offset: usize, mut change: impl FnMut(u16) -> u16) -> Option<u16> {
        let word = self.two(offset)?;
        Some(
            word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old)))
                .unwrap_or_default(),
        )
    }

    /// The same for a qword that is aligned to eight bytes.
    pub fn change_qword(&self, offset: usize, mut change: impl FnMut(u64) -> u64) -> Option<u64> {
        let qword = self.eight(offset)?;
        Some(
            qword
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old)))
                .unwrap_or_default(),
        )
    }
}

/// An address space of the GPU.
pub trait Memory: Sync {
    /// The bytes from an address to the end of the contiguous mapping; `None` if the address is not mapped.
    fn at(&self, address: u64) -> Option<Span<'_>>;
}

/// Memory owned by the simulator: shared local memory of a group, surfaces of a command line.
#[derive(Clone, Debug)]
pub struct Block(Arc<[AtomicU8]>);

impl Block {
    /// This many bytes with this value.
    #[must_use]
    pub fn filled(length: usize, value: u8) -> Self {
        if value == 0 {
            // The host provides these bytes when they are accessed.
            let bytes = Arc::<[AtomicU8]>::new_zeroed_slice(length);
            // SAFETY: a zero is an `AtomicU8`.
            return Self(unsafe { bytes.assume_init() });
        }
        Self((0..length).map(|_| AtomicU8::new(value)).collect())
    }

    /// All bytes.
    #[must_use]
    pub fn span(&self) -> Span<'_> {
        Span { first: self.0.as_ptr(), length: self.0.len(), alive: std::marker::PhantomData }
    }

    /// A copy of the contents.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.iter().map(|byte| byte.load(Ordering::Relaxed)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_and_written_at_every_alignment() {
        for offset in 0..16 {
            for length in 0..40 {
                let block = Block::filled(64, 0xcd);
                let bytes: Vec<u8> = (1..=length).collect();
                assert!(block.span().write(offset, &bytes));
                let mut all = vec![0xcd; 64];
                all[offset..offset + bytes.len()].copy_from_slice(&bytes);
                assert_eq!(block.to_vec(), all);
                let mut back = vec![0; bytes.len()];
                assert!(block.span().read(offset, &mut back));
                assert_eq!(back, bytes);
            }
        }
    }

    #[test]
    fn nothing_outside_is_touched() {
        let block = Block::filled(16, 1);
        let part = block.span().part(4, 8).unwrap();
        assert!(!part.write(1, &[2; 8]) && !part.write(usize::MAX, &[2]));
        assert_eq!((part.get::<8>(1), part.get::<8>(0)), (None, Some([1; 8])));
        assert_eq!(block.to_vec(), [1; 16]);
        assert_eq!(part.change_dword(6, |old| old + 1), None);
    }

    #[test]
    fn changes_of_several_threads_are_all_there() {
        let block = Block::filled(24, 0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        assert!(block.span().change_dword(4, |old| old + 1).is_some());
                        assert!(block.span().change_qword(8, |old| old + 2).is_some());
                        assert!(block.span().change_word(18, |old| old + 3).is_some());
                    }
                });
            }
        });
        assert_eq!(block.span().get(4).map(u32::from_le_bytes), Some(4000));
        assert_eq!(block.span().get(8).map(u64::from_le_bytes), Some(8000));
        assert_eq!(block.span().get(16), Some([0, 0, 224, 46]), "12000 in the upper word");
        assert_eq!(block.span().change_word(17, |old| old), None);
    }
}
