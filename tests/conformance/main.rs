//! The conformance suite of operations. `elements` has a row for each element-wise operation of the table,
//! `groups` for each operation on groups of elements.
//!
//! A row is a kernel of two buffers, and its meaning on exact numbers: integers as `i128`, which wrap in the
//! type of the computation, and floats as `f64`, which are rounded to it. Each kernel runs on the CPU, on
//! Level Zero if there is a device, and in the interpreter, on all pairs of numbers near the limits of its
//! types. If a kind has no row, the suite does not compile.

mod composed;
mod dpas;
mod elements;
mod exact;
mod executions;
mod groups;
mod rows;
mod storage;
mod table;
mod tables;
mod whole;
