//! Shared helpers of the tests: devices, thread spaces, numbers, other executions to compare with, built examples, and Rust
//! sources.

#![allow(clippy::must_use_candidate, reason = "tests use what they ask for")]

pub mod arguments;
mod binding;
pub mod blocks;
pub mod buffers;
pub mod cases;
mod code;
pub mod committed;
pub mod devices;
pub mod emulator;
pub mod groups;
pub mod inside;
pub mod memory;
pub mod noise;
pub mod numbers;
pub mod ocloc;
pub mod process;
pub mod products;
pub mod programs;
pub mod sources;
pub mod spaces;
