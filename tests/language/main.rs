//! The language: operators, views, control flow, and the built-ins of the two OpenCL extensions, against
//! scalar code.

mod arms;
mod arrays;
mod closures;
mod conditions;
mod enums;
mod exits;
mod functions;
mod functions_in_trees;
mod generics;
mod host_numbers;
mod hygiene;
mod in_place;
mod large_literals;
mod lent;
mod literals;
mod masks;
mod matches;
mod media_block_io;
mod methods;
mod operators;
mod parts;
mod ranges;
mod references;
mod regions;
mod sides;
mod simd;
mod stack_slots;
mod staging;
mod strips;
mod structures;
mod subgroups;
mod tables;
mod thresholds;
mod transforms;
mod trees;
