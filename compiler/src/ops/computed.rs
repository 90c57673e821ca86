//! The operations of both tables, as used in instructions.

use super::{Accuracy, Class, Domain, GroupKind, MapKind, Operand, Outcome};

/// An operation on elements or on groups of elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Computed {
    /// Element-wise; and whether the result is clamped to the range of its type instead of wrapped.
    Map(MapKind, bool),
    /// Group by group.
    Group(GroupKind),
}

/// The properties that the kinds of both tables have.
macro_rules! of_both {
    ($($(#[$doc:meta])* $name:ident -> $result:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(self) -> $result {
            match self {
                Self::Map(kind, _) => kind.$name(),
                Self::Group(kind) => kind.$name(),
            }
        }
    )*};
}

impl Computed {
    /// All operations; those that can saturate in both forms.
    pub fn all() -> impl Iterator<Item = Self> {
        let wrapped = MapKind::ALL.iter().map(|&kind| Self::Map(kind, false));
        let limited = MapKind::ALL.iter().filter(|kind| kind.saturates()).map(|&kind| Self::Map(kind, true));
        wrapped.chain(limited).chain(GroupKind::ALL.iter().copied().map(Self::Group))
    }

    /// The name in the text of kernels.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            // An operation that cannot saturate is refused by its own name.
            Self::Map(kind, true) => kind.saturating_name().unwrap_or(kind.name()),
            Self::Map(kind, false) => kind.name(),
            Self::Group(kind) => kind.name(),
        }
    }

    /// The operation with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let limited = || MapKind::ALL.iter().find(|kind| kind.saturating_name() == Some(name));
        let map = MapKind::from_name(name).map(|kind| Self::Map(kind, false));
        map.or_else(|| GroupKind::from_name(name).map(Self::Group))
            .or_else(|| limited().map(|kind| Self::Map(*kind, true)))
    }

    /// The number of elements of each operand for one result.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Map(..) => 1,
            Self::Group(kind) => kind.width(),
        }
    }

    of_both! {
        /// The operands.
        operands -> &'static [Operand];
        /// The number of operands.
        arity -> usize;
        /// Whether the text names the type in which it is computed: if operands are converted to it.
        is_typed -> bool;
        /// The types in which it is computed.
        domain -> Domain;
        /// The elements of the result.
        outcome -> Outcome;
        /// The class of the operation, for analyses.
        class -> Class;
        /// The accuracy of results.
        accuracy -> Accuracy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_what_they_name() {
        for kind in Computed::all() {
            assert_eq!(Computed::from_name(kind.name()), Some(kind));
        }
    }

    /// The interpreter and the lowering clamp operands that become the result; only these operands do.
    #[test]
    fn what_saturates_is_made_of_its_source() {
        for kind in MapKind::ALL.iter().filter(|kind| kind.saturates()) {
            assert_eq!(kind.operands(), [Operand::Source], "{kind:?}");
        }
    }
}
