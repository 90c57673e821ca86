//! The register language of cm. See the `cm` crate for an introduction; this crate is the language alone, without
//! devices: element types, registers and views, operators, limits, the backend trait and the CPU backend.
//!
//! ```text
//! elem <- limits <- ops, registers <- surface, buffer, builtins <- in_place, subgroups, media_block_io, stage <- kernel
//!                     ^ all of it is generic over `backend`; `cpu` and `trace` are backends
//! ```
#![deny(unsafe_code)] // but for some modules of `cpu`, each of which says so

mod access;
pub mod atomic;
pub mod backend;
pub mod buffer;
pub mod builtins;
pub mod cpu;
pub mod elem;
pub mod in_place;
pub mod kernel;
pub mod limits;
pub mod media_block_io;
pub mod ops;
pub mod registers;
pub mod stage;
pub mod subgroups;
pub mod surface;
pub mod trace;

pub use generic_array;
