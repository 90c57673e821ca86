//! Makes kernels smaller.
