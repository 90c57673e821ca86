//! The operations as values.

mod atomic;
mod map;
mod table;

pub use atomic::AtomicKind;
pub use map::{Class, Domain, MapKind, Operand, Outcome};
