//! Devices and launches: the results are the same on all devices and with any number of threads; properties
//! of particular devices; and the environment.

mod classes;
mod columns;
mod copies;
mod determinism;
mod environment;
mod everyday;
mod faults;
mod groups;
mod interleaved;
mod kernels;
mod large_objects;
mod level_zero;
mod level_zero_errors;
mod levels;
mod printf;
mod proofs;
mod signals;
mod slices;
mod stack;
mod texels;
mod waves;
mod wrapped;
