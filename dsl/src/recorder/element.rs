//! Element types as values. Functions that take them exist once; with type parameters, every kernel would have its own copies.

use crate::elem::{Elem, ElemType};
use cm_compiler::ir::Type;

/// An element type of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Element {
    /// The type of the recorded elements.
    pub(super) ty: ElemType,
    /// The low bits of an `f32` that the elements of a type for storage lack; otherwise 0.
    pub(super) cut: u32,
}

impl Element {
    pub(super) const F32: Self = Self::of::<f32>();

    pub(super) const fn of<T: Elem>() -> Self {
        Self { ty: T::TYPE, cut: T::CUT }
    }

    /// Whether the elements are for storage only: floats that are recorded as their bits.
    pub(super) const fn is_storage(self) -> bool {
        self.cut != 0
    }

    /// The type of a register of these elements.
    pub(super) const fn shaped(self, rows: usize, columns: usize) -> Type {
        Type::new(self.ty, rows, columns)
    }
}
