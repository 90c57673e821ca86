//! Words of memory, as the command streamer and the host see them: each access is one.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::Span;

impl Span<'_> {
    /// No bytes.
    #[must_use]
    pub fn none() -> Self {
        Span { first: std::ptr::dangling(), length: 0, alive: std::marker::PhantomData }
    }

    /// The 32 bits at an offset. `None` where they are not inside, or not aligned.
    #[must_use]
    pub fn word(&self, offset: usize) -> Option<&AtomicU32> {
        let part = self.part(offset, 4)?;
        let word = part.first.cast::<AtomicU32>();
        // SAFETY: the part is inside and aligned. It stays mapped as long as the span, and nobody has a reference to it but
        // those to atomics.
        word.is_aligned().then(|| unsafe { &*word })
    }

    /// The 64 bits at an offset. `None` where they are not inside, or not aligned.
    #[must_use]
    pub fn long(&self, offset: usize) -> Option<&AtomicU64> {
        let part = self.part(offset, 8)?;
        let long = part.first.cast::<AtomicU64>();
        // SAFETY: as above.
        long.is_aligned().then(|| unsafe { &*long })
    }

    /// A copy of the first bytes: as many as there are, at most `most`.
    #[must_use]
    pub fn copied(&self, most: usize) -> Vec<u8> {
        let length = self.length.min(most);
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let at = bytes.len();
            match self.long(at).filter(|_| length - at >= 8) {
                Some(long) => bytes.extend(long.load(Ordering::Relaxed).to_ne_bytes()),
                None => {
                    // SAFETY: the byte is inside.
                    let byte = unsafe { &*self.first.add(at) };
                    bytes.push(byte.load(Ordering::Relaxed));
                }
            }
        }
        bytes
    }

    /// Whether it begins with these bytes.
    #[must_use]
    pub fn begins_with(&self, bytes: &[u8]) -> bool {
        let (longs, rest) = bytes.as_chunks::<8>();
        let same = |(index, long): (usize, &[u8; 8])| {
            self.long(8 * index).is_some_and(|at| at.load(Ordering::Relaxed) == u64::from_ne_bytes(*long))
        };
        longs.iter().enumerate().all(same)
            && self
                .part(bytes.len() - rest.len(), rest.len())
                .is_some_and(|end| end.copied(rest.len()) == rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Block;

    #[test]
    fn words_are_inside_and_aligned() {
        let block = Block::filled(24, 0x11);
        let span = block.span();
        let aligned = span.first.align_offset(8);
        let span = span.part(aligned, 16).expect("16 bytes");
        assert_eq!(span.word(4).map(|word| word.load(Ordering::Relaxed)), Some(0x1111_1111));
        assert!(span.word(2).is_none() && span.word(16).is_none() && span.word(usize::MAX).is_none());
        span.long(8).expect("a long").store(u64::from_le_bytes(*b"abcdefgh"), Ordering::Relaxed);
        assert!(span.long(4).is_none() && span.long(16).is_none());
        assert_eq!(span.part(7, 9).expect("9 bytes").copied(100), b"\x11abcdefgh");
        assert_eq!(span.copied(3), [0x11; 3]);
        assert!(Span::none().is_empty() && Span::none().word(0).is_none());
    }

    #[test]
    fn bytes_are_compared() {
        let block = Block::filled(32, 7);
        let aligned = block.span().first.align_offset(8);
        let span = block.span().part(aligned, 21).expect("21 bytes");
        assert!(span.begins_with(&[]) && span.begins_with(&[7; 5]) && span.begins_with(&[7; 21]));
        assert!(!span.begins_with(&[7; 22]) && !span.begins_with(&[7, 8]));
        assert!(!span.begins_with(&[7, 7, 7, 7, 7, 7, 7, 7, 8]));
    }
}
