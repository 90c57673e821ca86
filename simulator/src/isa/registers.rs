//! The registers of a thread.

use super::operand::{FILE_BYTES, File};
use crate::generation::Machine;

/// A number in a register.
pub(crate) trait Element: Copy + Default {
    const SIZE: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(self, bytes: &mut [u8]);
}

macro_rules! elements {
    ($($ty:ty)*) => { $(
        impl Element for $ty {
            const SIZE: usize = size_of::<$ty>();

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(&bytes[..size_of::<$ty>()]);
                Self::from_le_bytes(own)
            }

            #[inline(always)]
            fn write(self, bytes: &mut [u8]) {
                bytes[..size_of::<$ty>()].copy_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}

elements!(u8 i8 u16 i16 u32 i32 u64 i64 u128 f32 f64);

/// All register files in sequence, starting with the general registers.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    all: Box<[u8; FILE_BYTES]>,
    /// The bytes of general registers that the thread has.
    general: usize,
}

impl Registers {
    /// Registers with zeros, except for the payload in the first general registers.
    pub(crate) fn new(payload: &[u8], machine: Machine) -> Self {
        let mut all = Box::new([0; FILE_BYTES]);
        let general = machine.bytes().min(File::General.bytes());
        let length = payload.len().min(general);
        all[..length].copy_from_slice(&payload[..length]);
        Self { all, general }
    }

    /// Bytes of general registers.
    #[inline(always)]
    pub(crate) fn general_bytes(&self) -> usize {
        self.general
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8; FILE_BYTES] {
        &self.all
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; FILE_BYTES] {
        &mut self.all
    }

    /// A number at an offset.
    #[inline(always)]
    pub(crate) fn get<T: Element>(&self, offset: usize) -> T {
        T::read(&self.all[offset..])
    }

    #[inline(always)]
    pub(crate) fn set<T: Element>(&mut self, offset: usize, value: T) {
        value.write(&mut self.all[offset..]);
    }

    /// All flags: f0.0 in the lowest bits, then f0.1, f1.0 and so on.
    #[inline(always)]
    pub(crate) fn flags(&self) -> u128 {
        self.get(File::Flag.start())
    }

    #[inline(always)]
    pub(crate) fn set_flags(&mut self, flags: u128) {
        self.set(File::Flag.start(), flags);
    }
}
