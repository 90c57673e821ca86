//! Kernels of cm as data: the recordings of the language, and everything that is derived from them without running Rust
//! code.
//!
//! Nothing here uses const generics, devices or the memory of a launch; there is no `unsafe` code.
#![forbid(unsafe_code)]

pub mod access;
pub mod dataflow;
pub mod divergence;
pub mod elem;
pub mod interpret;
pub mod ir;
pub mod limits;
pub mod ops;
pub mod pressure;
pub mod printf;
#[doc(hidden)]
pub mod simplify;
pub mod spirv;
pub mod text;
pub mod verify;
