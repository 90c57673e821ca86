//! Surfaces and buffers: what kernels read and write, the edges, the errors, and what is lent to a launch.

mod buffers;
mod lending;
mod surfaces;
