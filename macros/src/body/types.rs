//! What the type of a name says about its elements.

use syn::Type;

use crate::model::{NUMBERS, mask_type, of_register_type};

/// Whether the elements of a value are masks, by syntax.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum OfMasks {
    /// They are others.
    #[default]
    No,
    /// Syntax does not show the type: a field, or the result of a function or loop.
    Perhaps,
    /// They have the 16 bits of a mask.
    Yes,
}

impl OfMasks {
    /// By the type of a name.
    pub(crate) fn of_type(ty: &Type) -> Self {
        match ty {
            Type::Reference(reference) => Self::of_type(&reference.elem),
            Type::Paren(paren) => Self::of_type(&paren.elem),
            ty if mask_type(ty) => Self::Yes,
            // It may be another name for such a type.
            Type::Path(path) if !of_register_type(&path.path) && !is_number_type(ty) => Self::Perhaps,
            Type::Infer(_) => Self::Perhaps,
            _ => Self::No,
        }
    }
}

/// Whether it is the type of an element.
pub(crate) fn is_number_type(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.get_ident().is_some_and(|name| NUMBERS.iter().any(|number| name == number)))
}
