//! A buffer in memory, for tests.

use super::InterpretBuffer;

/// Its bytes. Those outside read 0, and are not written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl InterpretBuffer for Bytes {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        for (at, byte) in (offset as usize..).zip(bytes) {
            *byte = self.0.get(at).copied().unwrap_or(0);
        }
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) {
        for (at, byte) in (offset as usize..).zip(bytes) {
            if let Some(target) = self.0.get_mut(at) {
                *target = *byte;
            }
        }
    }
}
