//! What the tests share: devices to run on, numbers and kernels to run, and other executions to compare with.

pub mod cases;
pub mod devices;
pub mod emulator;
pub mod kernels;
pub mod memory;
pub mod numbers;
pub mod ocloc;
