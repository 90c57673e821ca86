//! Thread spaces and surfaces of bytes that fit.

use cm::{Device, Format, Surface2D, ThreadSpace};

/// A thread space.
///
/// # Panics
/// If there is no such thread space.
pub fn space(width: usize, height: usize) -> ThreadSpace {
    ThreadSpace::new(width, height).unwrap_or_else(|error| panic!("{error}"))
}

/// The thread space of one thread.
pub fn one() -> ThreadSpace {
    space(1, 1)
}

/// A surface with these bytes.
///
/// # Panics
/// If they are not rows of `width` bytes, or the device has no memory.
pub fn surface(device: &Device, width: usize, bytes: &[u8]) -> Surface2D {
    Surface2D::from_bytes(device, Format::R8, width, bytes.len() / width, bytes)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A surface of zeros.
///
/// # Panics
/// If there is no such surface, or the device has no memory.
pub fn empty(device: &Device, width: usize, height: usize) -> Surface2D {
    Surface2D::new(device, Format::R8, width, height).unwrap_or_else(|error| panic!("{error}"))
}
