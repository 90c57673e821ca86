//! The conformance suite of operations: a row for each of the table of element-wise ones in `elements`, and
//! in `groups` for each of those on groups of elements.
//!
//! A row is a kernel of two buffers, and what it means on exact numbers: integers as `i128`, which wrap in
//! the type that the operation is computed in, and floats as `f64`, which are rounded to it. Each kernel runs
//! on the CPU, on Level Zero where there is a device, and in the interpreter, on all pairs of numbers near
//! the edges of its types. A kind without a row does not compile.

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
