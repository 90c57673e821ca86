//! Bytes of surfaces and buffers on the CPU.

use std::ops::{Deref, DerefMut, Range};

use crate::error::{Error, Result};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Bytes that begin with a cache line: vectors of kernels that begin at a multiple of their size are then in one line.
#[derive(Debug)]
pub(crate) struct HostMemory {
    /// Never grows, because then it could begin elsewhere.
    bytes: Vec<u8>,
    /// The first byte that counts.
    start: usize,
}

impl HostMemory {
    /// `len` bytes: those that `fill` appends, and then zeros.
    pub(crate) fn filled(len: usize, fill: impl FnOnce(&mut Vec<u8>)) -> Result<Self> {
        Ok(Self::within(with_room(len, LINE - 1)?, len, fill))
    }

    /// The same, in an empty vector that has the room.
    fn within(mut bytes: Vec<u8>, len: usize, fill: impl FnOnce(&mut Vec<u8>)) -> Self {
        let start = bytes.as_ptr().align_offset(LINE).min(LINE - 1);
        bytes.resize(start, 0);
        fill(&mut bytes);
        bytes.resize(start + len, 0);
        Self { bytes, start }
    }

    /// A copy of these bytes.
    pub(crate) fn copied(&self, range: Range<usize>) -> Self {
        let room = Vec::with_capacity(range.len() + LINE - 1);
        Self::within(room, range.len(), |bytes| bytes.extend_from_slice(&self[range]))
    }
}

/// An empty vector with the capacity for this number of bytes.
pub(crate) fn reserved(bytes: usize) -> Result<Vec<u8>> {
    with_room(bytes, 0)
}

/// This number of zeros.
pub(crate) fn zeros<T: Copy + Default>(count: usize) -> Result<Vec<T>> {
    let mut memory = with_room(count, 0)?;
    memory.resize(count, T::default());
    Ok(memory)
}

/// An empty vector with room for `count` elements and for `more`. A size that does not fit is an error here; `Vec` alone
/// would abort the program.
fn with_room<T>(count: usize, more: usize) -> Result<Vec<T>> {
    let mut memory = Vec::new();
    let reserved = count.checked_add(more).map(|room| memory.try_reserve_exact(room));
    match reserved {
        Some(Ok(())) => Ok(memory),
        _ => Err(Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) }),
    }
}

impl Clone for HostMemory {
    fn clone(&self) -> Self {
        self.copied(0..self.len())
    }
}

impl Deref for HostMemory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl DerefMut for HostMemory {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned() {
        for len in [0, 1, 63, 64, 65, 5000] {
            let expected: Vec<u8> = (0..len).map(|n| n as u8).collect();
            let mut memory = HostMemory::filled(len, |bytes| bytes.extend(&expected)).unwrap();
            assert_eq!(memory[..], expected);
            let copy = memory.clone();
            memory.fill(3);
            assert_eq!((&memory[..], &copy[..]), (&vec![3; len][..], &expected[..]));
            for memory in [memory, copy] {
                assert!(memory.as_ptr().addr().is_multiple_of(LINE));
            }
        }
        assert_eq!(HostMemory::filled(3, |_| {}).unwrap()[..], [0; 3]);
    }

    #[test]
    fn too_much_is_an_error() {
        for bytes in [usize::MAX, isize::MAX as usize] {
            let error = HostMemory::filled(bytes, |_| {}).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { bytes: found } if found == bytes));
        }
    }
}
