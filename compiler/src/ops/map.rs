//! The element-wise operations as values.

use crate::elem::ElemType;

/// The types in which an operation is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Every element type.
    Elem,
    /// All except those that the language only moves and converts, which the IR holds as their bits.
    Numeric,
    /// The integers.
    Int,
    /// `f16` and `f32`.
    Single,
    /// `u32` and `i32`.
    Dword,
}

impl Domain {
    /// Whether it is computed in this type.
    #[must_use]
    pub const fn contains(self, elem: ElemType) -> bool {
        match self {
            Self::Elem | Self::Numeric => true,
            Self::Int => !elem.is_float(),
            Self::Single => matches!(elem, ElemType::F16 | ElemType::F32),
            Self::Dword => matches!(elem, ElemType::U32 | ElemType::I32),
        }
    }
}

/// The rule of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Of any type; the converted operand is the result.
    Source,
    /// Of the type in which the operation is computed.
    Own,
    /// Converted to the type in which the operation is computed, which is not an integer type if the operand is a
    /// float.
    Common,
    /// An integer, of which the lowest bit counts.
    Mask,
}

/// The elements of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Elements of the type in which the operation is computed.
    Same,
    /// `u16` 0 or 1.
    Mask,
    /// The unsigned integers of the size of the type in which the operation is computed; for a float, that type.
    Unsigned,
}

impl Outcome {
    /// The element type of the result of an operation that is computed in `elem`.
    #[must_use]
    pub const fn elem(self, elem: ElemType) -> ElemType {
        match self {
            Self::Same => elem,
            Self::Mask => ElemType::U16,
            Self::Unsigned => elem.unsigned(),
        }
    }
}

/// The accuracy of an operation: how far the results of two executions may differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Accuracy {
    /// Every execution gives the same bits, except for the payloads of NaNs.
    Exact,
    /// Each result is near the exact one: the CPU and the GPU compute different approximations.
    Within {
        /// The error is at most this number of units in the last place of the exact result, rounded to its type, ..
        ulps: u32,
        /// .. or at most this number, whichever is larger.
        absolute: f64,
    },
}

impl Accuracy {
    /// Whether every execution gives the same bits.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Exact)
    }
}

/// How an operation affects facts about its operands: analyses use the class of operations that they do not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// The operand as another type.
    Conversion,
    /// The operand with another sign or with other bits, of the same magnitude.
    Sign,
    /// A sum or difference: low bits depend only on low bits.
    Sum,
    /// A product: low bits depend only on low bits.
    Product,
    /// A bitwise operation.
    Bitwise,
    /// A shift to the left.
    ShiftLeft,
    /// A shift to the right, by sign.
    ShiftRight,
    /// A quotient or remainder: the divisor is compared with 0.
    Quotient,
    /// A number between the operands.
    Between,
    /// Another function of the operands.
    Function,
    /// The result of another operation, clamped to the range of the type.
    Limited,
    /// The distance of two numbers: all of their bits count, and the sign.
    Distance,
    /// Whether one number is less than the other.
    Order,
    /// Whether they are equal.
    Equality,
    /// One of the operands, unchanged.
    Selection,
}

impl Class {
    /// Whether the result is a mask.
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Order | Self::Equality)
    }

    /// Whether the low bits of the result depend only on the low bits of the operands.
    #[must_use]
    pub const fn is_low(self) -> bool {
        matches!(self, Self::Sum | Self::Product | Self::Bitwise)
    }

    /// Whether a result that is cut to fewer bits can be computed in as many: sums, products, bitwise
    /// operations, shifts to the left, and other signs, of which an absolute value also needs the sign of its operand.
    #[must_use]
    pub const fn is_cut_early(self) -> bool {
        self.is_low() || matches!(self, Self::Sign | Self::ShiftLeft)
    }
}

macro_rules! kinds {
    (
        unary { $($(#[$doc1:meta])* $k1:ident $t1:literal ($a1:ident: $d1:ident) -> $r1:ident, $c1:ident, [$($e1:tt)*], $m1:expr;)* }
        binary { $($(#[$doc2:meta])* $k2:ident $t2:literal ($a2:ident, $b2:ident: $d2:ident) -> $r2:ident, $c2:ident, [$($e2:tt)*], $m2:expr;)* }
        ternary { $($(#[$doc3:meta])* $k3:ident $t3:literal ($a3:ident, $b3:ident, $e3:ident: $d3:ident) -> $r3:ident, $c3:ident, [$($x3:tt)*], $m3:expr;)* }
    ) => {
        /// An element-wise operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum MapKind {
            $($(#[$doc1])* $k1,)*
            $($(#[$doc2])* $k2,)*
            $($(#[$doc3])* $k3,)*
        }

        impl MapKind {
            /// All operations, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$k1,)* $(Self::$k2,)* $(Self::$k3,)*];

            /// The name in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$k1 => $t1,)*
                    $(Self::$k2 => $t2,)*
                    $(Self::$k3 => $t3,)*
                }
            }

            /// The operands.
            #[must_use]
            pub const fn operands(self) -> &'static [Operand] {
                match self {
                    $(Self::$k1 => &[rules!(@operand $a1)],)*
                    $(Self::$k2 => &[rules!(@operand $a2), rules!(@operand $b2)],)*
                    $(Self::$k3 => &[rules!(@operand $a3), rules!(@operand $b3), rules!(@operand $e3)],)*
                }
            }

            /// The types in which it is computed.
            #[must_use]
            pub const fn domain(self) -> Domain {
                match self {
                    $(Self::$k1 => Domain::$d1,)*
                    $(Self::$k2 => Domain::$d2,)*
                    $(Self::$k3 => Domain::$d3,)*
                }
            }

            /// The elements of the result.
            #[must_use]
            pub const fn outcome(self) -> Outcome {
                match self {
                    $(Self::$k1 => rules!(@outcome $r1),)*
                    $(Self::$k2 => rules!(@outcome $r2),)*
                    $(Self::$k3 => rules!(@outcome $r3),)*
                }
            }

            /// The class of the operation, for analyses.
            #[must_use]
            pub const fn class(self) -> Class {
                match self {
                    $(Self::$k1 => Class::$c1,)*
                    $(Self::$k2 => Class::$c2,)*
                    $(Self::$k3 => Class::$c3,)*
                }
            }

            /// The accuracy of results.
            #[must_use]
            pub const fn accuracy(self) -> Accuracy {
                match self {
                    $(Self::$k1 => rules!(@accuracy $($e1)*),)*
                    $(Self::$k2 => rules!(@accuracy $($e2)*),)*
                    $(Self::$k3 => rules!(@accuracy $($x3)*),)*
                }
            }
        }
    };
}

/// The rules that the tables use.
macro_rules! rules {
    (@operand source) => {
        Operand::Source
    };
    (@operand own) => {
        Operand::Own
    };
    (@operand common) => {
        Operand::Common
    };
    (@operand mask) => {
        Operand::Mask
    };
    (@outcome same) => {
        Outcome::Same
    };
    (@outcome mask) => {
        Outcome::Mask
    };
    (@outcome unsigned) => {
        Outcome::Unsigned
    };
    (@accuracy exact) => {
        Accuracy::Exact
    };
    (@accuracy $ulps:literal ulp or $absolute:literal) => {
        Accuracy::Within { ulps: $ulps, absolute: $absolute }
    };
}
pub(super) use rules;

crate::map_operations!(kinds);

/// The functions that every family of operations has.
macro_rules! lookups {
    ($kind:ident) => {
        impl $kind {
            /// The operation with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// The number of operands.
            #[must_use]
            pub const fn arity(self) -> usize {
                self.operands().len()
            }

            /// Whether the text names the type in which it is computed: if operands are converted to it.
            #[must_use]
            pub fn is_typed(self) -> bool {
                self.operands().contains(&Operand::Common)
            }
        }
    };
}
pub(super) use lookups;

lookups!(MapKind);

impl MapKind {
    /// The name in the text of kernels where it limits its result to the range of the type instead of
    /// wrapping it; `None` if it cannot. Conversions can.
    #[must_use]
    pub const fn saturating_name(self) -> Option<&'static str> {
        match self {
            Self::Convert => Some("saturate"),
            _ => None,
        }
    }

    /// Whether it can limit its result to the range of the type instead of wrapping it.
    #[must_use]
    pub const fn saturates(self) -> bool {
        self.saturating_name().is_some()
    }

    /// Whether a register can be reduced with it: several elements become one, in any order except for the rounding of
    /// floats.
    #[must_use]
    pub const fn reduces(self) -> bool {
        matches!(self, Self::Add | Self::Mul | Self::Min | Self::Max | Self::And | Self::Or | Self::Xor)
    }

    /// Whether it is a dot product of four bytes, of any signs.
    pub(crate) const fn is_byte_dot(self) -> bool {
        matches!(self, Self::DotUu | Self::DotUs | Self::DotSu | Self::DotSs)
    }

    /// Whether all operands are converted to the type in which it is computed, so that another type that keeps the
    /// relevant bits can replace it.
    #[must_use]
    pub fn converts_operands(self) -> bool {
        self.operands().iter().all(|rule| *rule == Operand::Common)
    }
}
