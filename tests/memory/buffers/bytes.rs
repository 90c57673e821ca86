//! A buffer as bytes.

use cm::prelude::*;

/// A buffer as bytes, with the rule for out-of-bounds accesses.
#[derive(Clone)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    pub(super) fn of<T: Elem>(elements: &[T]) -> Self {
        Self(bytemuck::cast_slice(elements).to_vec())
    }

    pub(super) fn read(&self, start: u64, len: usize) -> Vec<u8> {
        (start..start + len as u64).map(|at| self.0.get(at as usize).copied().unwrap_or(0)).collect()
    }

    pub(super) fn write(&mut self, start: u64, bytes: &[u8]) {
        for (at, byte) in (start..).zip(bytes) {
            if let Some(target) = self.0.get_mut(at as usize) {
                *target = *byte;
            }
        }
    }

    /// The first byte of an element: byte offsets have 32 bits.
    pub(super) fn start<T>(element: u32) -> u64 {
        (u64::from(element) * size_of::<T>() as u64) & u64::from(u32::MAX)
    }

    pub(super) fn get<T: Elem>(&self, element: u32) -> T {
        bytemuck::pod_read_unaligned(&self.read(Self::start::<T>(element), size_of::<T>()))
    }

    pub(super) fn set<T: Elem>(&mut self, element: u32, x: T) {
        self.write(Self::start::<T>(element), bytemuck::bytes_of(&x));
    }
}
