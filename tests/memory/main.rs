//! Surfaces and buffers: reads and writes of kernels, edges, errors, and borrows for the duration of a
//! launch.

mod arguments;
mod atomics;
mod borrows;
mod buffers;
mod samplers;
mod split;
mod structures;
mod surfaces;
mod typed;
mod typed_3d;
mod typed_atomics;
