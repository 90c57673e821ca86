//! The registers of a thread.

use super::operand::{FILE_BYTES, File};
use super::region::Element;

/// All register files, one after the other, the general one first.
#[derive(Clone, Debug)]
pub(crate) struct Registers(Box<[u8; FILE_BYTES]>);

impl Registers {
    /// Zeros, but for the first general registers.
    pub(crate) fn new(payload: &[u8]) -> Self {
        let mut all = Box::new([0; FILE_BYTES]);
        let length = payload.len().min(File::General.bytes());
        all[..length].copy_from_slice(&payload[..length]);
        Self(all)
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8; FILE_BYTES] {
        &self.0
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; FILE_BYTES] {
        &mut self.0
    }

    /// A number at an offset.
    #[inline(always)]
    pub(crate) fn get<T: Element>(&self, offset: usize) -> T {
        T::read(&self.0[offset..])
    }

    #[inline(always)]
    pub(crate) fn set<T: Element>(&mut self, offset: usize, value: T) {
        value.write(&mut self.0[offset..]);
    }

    /// f0.0 in the lowest bits, then f0.1, f1.0 and f1.1.
    #[inline(always)]
    pub(crate) fn flags(&self) -> u64 {
        self.get(File::Flag.start())
    }

    #[inline(always)]
    pub(crate) fn set_flags(&mut self, flags: u64) {
        self.set(File::Flag.start(), flags);
    }
}
