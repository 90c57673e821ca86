//! Buffers of any element type with given bytes.

use cm::prelude::*;

/// A buffer with these bytes.
///
/// # Errors
/// As [`Buffer::from_slice`].
pub fn from_bytes<T: Elem>(device: &Device, bytes: &[u8]) -> cm::Result<Buffer<T>> {
    let mut elements = vec![T::default(); bytes.len() / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut elements).copy_from_slice(bytes);
    Buffer::from_slice(device, &elements)
}
