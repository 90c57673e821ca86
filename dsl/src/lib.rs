//! The register language of cm. See the `cm` crate for an introduction; this crate is the language alone,
//! without devices: element types, registers and views, operators, limits, the backend trait and the CPU
//! backend.
//!
//! `cpu` and `recorder` are the backends; the modules for users are generic over the backend. `ARCHITECTURE.md` has the
//! order of the modules: a file imports only files to its left.
#![deny(unsafe_code)] // but for some modules of `cpu`, each of which says so

// First: rustdoc lists the methods of a type in the order of modules, and constructors come first.
pub mod registers;

mod access;
pub mod address;
pub mod atomic;
pub mod backend;
pub mod block_2d;
pub mod buffer;
pub mod buffer_view;
pub mod builtins;
pub mod cache;
pub mod cpu;
pub mod elem;
pub mod hinted;
pub mod in_place;
pub mod indexed;
pub mod kernel;
pub mod limits;
pub mod math;
pub mod media_block_io;
pub mod named_barriers;
pub mod operators;
pub mod ops;
pub mod printf;
pub mod recorder;
pub mod sampler;
mod sampling;
mod scattered;
pub mod sizes;
pub mod slm;
pub mod slm_view;
mod split;
pub mod stage;
pub mod subgroups;
pub mod surface;
pub mod surface_3d;
mod typed;
mod typed_2d;

// No promise: rustc writes `UInt` for `typenum::uint::UInt` in messages only where a public path leads to it.
#[doc(hidden)]
pub use typenum;
