//! The factor types of the matrix engine.

use crate::elem::ElemType;

macro_rules! precisions {
    ($($(#[$doc:meta])* $name:ident $text:literal $bits:literal $accumulator:ident $code:literal;)*) => {
        /// The factor type of a matrix product. CM: `CmPrecisionType`.
        ///
        /// A dword holds as many as fit, the first one in its lowest bits.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Precision {
            $($(#[$doc])* $name,)*
        }

        impl Precision {
            /// All factor types.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// The factor type with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }

            /// The bits of a factor.
            #[must_use]
            pub const fn bits(self) -> usize {
                match self {
                    $(Self::$name => $bits,)*
                }
            }

            /// The type of the sums.
            #[must_use]
            pub const fn accumulator(self) -> ElemType {
                match self {
                    $(Self::$name => ElemType::$accumulator,)*
                }
            }

            /// The hardware's number for it.
            pub(crate) const fn code(self) -> u64 {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

precisions! {
    /// Unsigned integers of 4 bits.
    U4 "u4" 4 I32 5;
    /// Signed integers of 4 bits.
    S4 "s4" 4 I32 6;
    /// Unsigned bytes.
    U8 "u8" 8 I32 7;
    /// Signed bytes.
    S8 "s8" 8 I32 8;
    /// `bf16`.
    Bf "bf" 16 F32 9;
    /// `f16`.
    Hf "hf" 16 F32 10;
    /// `tf32`: an `f32` whose low 13 bits are ignored.
    Tf32 "tf32" 32 F32 12;
}

impl Precision {
    /// The number of factors per dword.
    #[must_use]
    pub const fn per_dword(self) -> usize {
        32 / self.bits()
    }

    /// Whether these are signed integers.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::S4 | Self::S8)
    }

    /// Whether one matrix may have these factors and the other one those: both are floats of the same format, or
    /// integers of the same size.
    #[must_use]
    pub fn goes_with(self, other: Self) -> bool {
        let integers = [self, other].iter().all(|factor| factor.accumulator() == ElemType::I32);
        self == other || integers && self.bits() == other.bits()
    }
}
