//! The CPU backend: registers are arrays, and every operation happens when it is called.
//!
//! Outside of kernels this is what registers are. An executor runs kernels on it by giving it an
//! [`Environment`]: surfaces, buffers, and the coordinates of the thread.

mod backend;
mod block;
mod buffer;
mod checked;
mod environment;
mod in_place;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod narrow;
mod place;
mod runs;
#[cfg(target_arch = "x86_64")]
mod shuffles;
#[cfg(target_arch = "x86_64")]
mod small;
mod tables;
#[cfg(target_arch = "x86_64")]
mod thirds;
mod window;
mod words;

// What is inlined into one function for each instruction set is so without optimisation too, which takes rustc minutes and
// gigabytes. So what is on arrays is inlined always only where code is optimised: `#[on_arrays]`.

pub use checked::{CheckedBlock, CheckedBytes};
pub use environment::{
    Avx2, BufferAccess, Detached, Environment, NoSurface, Rows, SurfaceAccess, not_deterministic,
};
pub use in_place::InPlace;
pub use lanes::Lanes;
pub use place::Place;
pub use window::{Edge, MOST_SIDE_BY_SIDE, Window};

use std::marker::PhantomData;

/// The CPU backend in an environment; in plain Rust there is none.
///
/// It runs `N` kernel threads side by side, neighbours in their row of the thread space: every register holds those of
/// all of them. More than one is for kernels without staged conditions and loops, whose threads have what they
/// write to themselves and read at columns that do not wrap between them, and at most [`MOST_SIDE_BY_SIDE`].
#[derive(Debug)]
pub struct Cpu<E: Environment = Detached, const N: usize = 1>(PhantomData<E>);

impl<E: Environment, const N: usize> Clone for Cpu<E, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Environment, const N: usize> Copy for Cpu<E, N> {}
