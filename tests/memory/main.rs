//! Surfaces and buffers: what kernels read and write, the edges, the errors, and borrows for the time of a
//! launch.

mod arguments;
mod borrows;
mod buffers;
mod split;
mod surfaces;
mod typed;
