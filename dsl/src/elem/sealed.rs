//! Nobody else makes element types: code without bounds checks relies on what elements do.

pub trait Sealed {}
