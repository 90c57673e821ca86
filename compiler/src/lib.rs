//! Kernels of cm as data: what the language records, and everything that is made of it without running Rust
//! code.
//!
//! ```text
//! elem <- limits <- ops, printf <- ir <- dataflow, divergence, interpret, text, verify <- access, pressure <- spirv
//! ```
//!
//! Nothing here knows const generics, devices or memory of a launch; there is no `unsafe` code.
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
pub mod spirv;
pub mod text;
pub mod verify;
