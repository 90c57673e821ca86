//! The CPU backend: registers are arrays, and every operation happens when it is called.
//!
//! Outside of kernels this is what registers are. An executor runs kernels on it by giving it an
//! [`Environment`]: surfaces, buffers, and the coordinates of the thread.

mod backend;
mod buffer;
mod environment;
mod place;

pub use environment::{BufferAccess, Detached, Environment, NoSurface, SurfaceAccess};
pub use place::Place;

use std::marker::PhantomData;

/// The CPU backend in an environment; in plain Rust there is none.
#[derive(Debug)]
pub struct Cpu<E: Environment = Detached>(PhantomData<E>);

impl<E: Environment> Clone for Cpu<E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Environment> Copy for Cpu<E> {}
