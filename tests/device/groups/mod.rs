//! Thread groups: ids of threads, shared local memory and barriers, in all executions.

mod faults;
mod ids;
mod named;
mod named_faults;
mod nested;
mod shared;
mod vectors;
mod views;

use cm::prelude::*;

/// The bytes of a buffer.
fn bytes<T: Elem>(buffer: &Buffer<T>) -> cm::Result<Vec<u8>> {
    Ok(bytemuck::cast_slice(&buffer.to_vec()?).to_vec())
}
