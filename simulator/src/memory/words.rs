//! Operations on many bytes of memory at once.

use std::sync::atomic::Ordering;

use super::Span;

impl Span<'_> {
    /// An empty range.
    #[must_use]
    pub fn none() -> Self {
        Span { first: std::ptr::dangling(), length: 0, alive: std::marker::PhantomData }
    }

    /// A copy of the first bytes, at most `most`.
    #[must_use]
    pub fn copied(&self, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.length.min(most)];
        let inside = self.read(0, &mut bytes);
        debug_assert!(inside, "no more bytes than there are");
        bytes
    }

    /// Whether it begins with these bytes.
    #[must_use]
    pub fn begins_with(&self, bytes: &[u8]) -> bool {
        let (longs, rest) = bytes.as_chunks::<8>();
        let same = |(index, long): (usize, &[u8; 8])| {
            self.eight(8 * index).is_some_and(|at| at.load(Ordering::Relaxed) == u64::from_ne_bytes(*long))
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
        assert_eq!(span.four(4).map(|word| word.load(Ordering::Relaxed)), Some(0x1111_1111));
        assert!(span.four(2).is_none() && span.four(16).is_none() && span.four(usize::MAX).is_none());
        span.eight(8).expect("a long").store(u64::from_le_bytes(*b"abcdefgh"), Ordering::Relaxed);
        assert!(span.eight(4).is_none() && span.eight(16).is_none());
        assert_eq!(span.part(7, 9).expect("9 bytes").copied(100), b"\x11abcdefgh");
        assert_eq!(span.copied(3), [0x11; 3]);
        assert!(Span::none().is_empty() && Span::none().four(0).is_none());
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
