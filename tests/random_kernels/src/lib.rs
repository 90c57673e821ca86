//! Random kernels, run by every execution of cm and compared.
//!
//! A seed determines a kernel. `cargo run --profile bench -p cm-random-kernels -- --help` shows the command;
//! the library is for the suites.

#![allow(clippy::must_use_candidate, reason = "tests use what they ask for")]

pub mod difference;
pub mod ir;
pub mod random;
pub mod reduce;
pub mod run;
pub mod rust;
