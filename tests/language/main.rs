//! The language: operators, views, control flow, and the built-ins of the two OpenCL extensions, against
//! scalar code.

mod exits;
mod hygiene;
mod in_place;
mod lent;
mod media_block_io;
mod operators;
mod regions;
mod simd;
mod staging;
mod strips;
mod subgroups;
mod transforms;
mod trees;
