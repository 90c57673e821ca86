//! Devices and launches: the same bytes on all of them and with any number of threads, what is particular to
//! one, and the environment.

mod classes;
mod copies;
mod determinism;
mod environment;
mod everyday;
mod faults;
mod groups;
mod kernels;
mod level_zero;
mod level_zero_errors;
mod printf;
mod proofs;
mod stack;
mod waves;
