//! The operations of both tables, as instructions have them.

use super::{Accuracy, Class, Domain, GroupKind, MapKind, Operand, Outcome};

/// An operation that is computed of elements or of groups of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Computed {
    /// Element by element; and whether the result is limited to the range of its type instead of wrapped.
    Map(MapKind, bool),
    /// Group by group.
    Group(GroupKind),
}

/// What the kinds of both tables tell.
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
    /// All that there are, each that can saturate in both forms.
    pub fn all() -> impl Iterator<Item = Self> {
        let wrapped = MapKind::ALL.iter().map(|&kind| Self::Map(kind, false));
        let limited = MapKind::ALL.iter().filter(|kind| kind.saturates()).map(|&kind| Self::Map(kind, true));
        wrapped.chain(limited).chain(GroupKind::ALL.iter().copied().map(Self::Group))
    }

    /// The name in the text of kernels.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            // One that cannot saturate is refused by its own name.
            Self::Map(kind, true) => kind.saturating_name().unwrap_or(kind.name()),
            Self::Map(kind, false) => kind.name(),
            Self::Group(kind) => kind.name(),
        }
    }

    /// The operation of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let limited = || MapKind::ALL.iter().find(|kind| kind.saturating_name() == Some(name));
        let map = MapKind::from_name(name).map(|kind| Self::Map(kind, false));
        map.or_else(|| GroupKind::from_name(name).map(Self::Group))
            .or_else(|| limited().map(|kind| Self::Map(*kind, true)))
    }

    /// The elements of each operand that one result is made of.
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
        /// How many operands it has.
        arity -> usize;
        /// Whether the text names the type in which it is computed: where operands are converted to it.
        is_typed -> bool;
        /// The types in which it is computed.
        domain -> Domain;
        /// The elements of the result.
        outcome -> Outcome;
        /// What it does to what is known of its operands.
        class -> Class;
        /// How far results of two executions may be apart.
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

    /// The interpreter and the lowering limit what becomes the result, which is so of these operands only.
    #[test]
    fn what_saturates_is_made_of_its_source() {
        for kind in MapKind::ALL.iter().filter(|kind| kind.saturates()) {
            assert_eq!(kind.operands(), [Operand::Source], "{kind:?}");
        }
    }
}
