//! Seals the element types: code without bounds checks relies on what their implementations do.

pub trait Sealed {}
