//! Operations that combine neighbouring elements: one row each.

use super::map::lookups;
use super::{Accuracy, Class, Domain, Operand, Outcome};

/// Calls a macro with the table of operations on groups of neighbouring elements.
///
/// A row is the operation's docs, its marker type and [`GroupKind`](crate::ops::GroupKind), its name in the
/// text of kernels, the elements of a group, its operands with the [`Domain`](crate::ops::Domain) of the type
/// in which it is computed, its [`Outcome`](crate::ops::Outcome), its [`Class`](crate::ops::Class), its
/// [`Accuracy`](crate::ops::Accuracy), and its meaning on one group of elements of type `P`.
///
/// Groups follow each other in the linearised object, whose number of elements is a multiple of the width.
/// Every element of a group holds its result, like the dot products of Gen hardware.
///
/// The generated and the hand-written parts are as for [`map_operations!`](crate::map_operations).
#[macro_export]
macro_rules! group_operations {
    ($callback:ident) => {
        $callback! {
            binary {
                /// The sum of the absolute differences of two pairs.
                Sad2 "sad2" 2 (common, common: Int) -> same, Distance, [exact], |a: [P; 2], b: [P; 2]| {
                    P::add(P::distance(a[0], b[0]), P::distance(a[1], b[1]))
                };
                /// The sum of the first two products.
                Dp2 "dp2" 4 (common, common: Numeric) -> same, Product, [exact], |a: [P; 4], b: [P; 4]| {
                    P::add(P::mul(a[0], b[0]), P::mul(a[1], b[1]))
                };
                /// The sum of the first three products, from left to right.
                Dp3 "dp3" 4 (common, common: Numeric) -> same, Product, [exact], |a: [P; 4], b: [P; 4]| {
                    P::add(P::add(P::mul(a[0], b[0]), P::mul(a[1], b[1])), P::mul(a[2], b[2]))
                };
                /// The sum of three products and the last element of the second operand: neighbours are
                /// added first.
                Dph "dph" 4 (common, common: Numeric) -> same, Product, [exact], |a: [P; 4], b: [P; 4]| {
                    let low = P::add(P::mul(a[0], b[0]), P::mul(a[1], b[1]));
                    P::add(low, P::add(P::mul(a[2], b[2]), b[3]))
                };
                /// The sum of four products: neighbours are added first, then their sums.
                Dp4 "dp4" 4 (common, common: Numeric) -> same, Product, [exact], |a: [P; 4], b: [P; 4]| {
                    let low = P::add(P::mul(a[0], b[0]), P::mul(a[1], b[1]));
                    P::add(low, P::add(P::mul(a[2], b[2]), P::mul(a[3], b[3])))
                };
            }
        }
    };
}

macro_rules! kinds {
    (
        binary { $($(#[$doc:meta])* $kind:ident $name:literal $width:literal
            ($a:ident, $b:ident: $domain:ident) -> $outcome:ident, $class:ident, [$($accuracy:tt)*], $meaning:expr;)* }
    ) => {
        /// An operation on groups.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum GroupKind {
            $($(#[$doc])* $kind,)*
        }

        impl GroupKind {
            /// All operations, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The name in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The elements of a group.
            #[must_use]
            pub const fn width(self) -> usize {
                match self {
                    $(Self::$kind => $width,)*
                }
            }

            /// The operands.
            #[must_use]
            pub const fn operands(self) -> &'static [Operand] {
                match self {
                    $(Self::$kind => &[super::map::rules!(@operand $a), super::map::rules!(@operand $b)],)*
                }
            }

            /// The types in which it is computed.
            #[must_use]
            pub const fn domain(self) -> Domain {
                match self {
                    $(Self::$kind => Domain::$domain,)*
                }
            }

            /// The elements of the result.
            #[must_use]
            pub const fn outcome(self) -> Outcome {
                match self {
                    $(Self::$kind => super::map::rules!(@outcome $outcome),)*
                }
            }

            /// The class of the operation, for analyses.
            #[must_use]
            pub const fn class(self) -> Class {
                match self {
                    $(Self::$kind => Class::$class,)*
                }
            }

            /// The accuracy of results.
            #[must_use]
            pub const fn accuracy(self) -> Accuracy {
                match self {
                    $(Self::$kind => super::map::rules!(@accuracy $($accuracy)*),)*
                }
            }
        }
    };
}

crate::group_operations!(kinds);

lookups!(GroupKind);
