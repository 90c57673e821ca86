//! Types of SPIR-V values.

use crate::elem::ElemType;
use crate::ir::{Kind, Type};

use super::binary::{AccessQualifier, DIM_2D, DIM_3D, Word};

/// The type of one element. Integers have no signedness in Intel's dialect; only operations have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Scalar {
    /// A truth value.
    Bool,
    /// An integer of this many bits.
    Int(u32),
    /// A float of this many bits.
    Float(u32),
}

impl Scalar {
    /// Bits of one element.
    pub(super) const fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Int(bits) | Self::Float(bits) => bits,
        }
    }

    /// Whether it is a float.
    pub(super) const fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }
}

impl From<ElemType> for Scalar {
    fn from(elem: ElemType) -> Self {
        let bits = elem.bytes() as u32 * 8;
        if elem.is_float() { Self::Float(bits) } else { Self::Int(bits) }
    }
}

/// A scalar, or a vector of any length above 1: SPIR-V has no vectors of one element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ty {
    /// The type of the elements.
    pub(super) scalar: Scalar,
    /// The number of elements.
    pub(super) count: usize,
}

impl Ty {
    /// A single truth value.
    pub(super) const BOOL: Self = Self { scalar: Scalar::Bool, count: 1 };
    /// `i16`, the type of offsets of regions.
    pub(super) const I16: Self = Self { scalar: Scalar::Int(16), count: 1 };
    /// A byte.
    pub(super) const I8: Self = Self { scalar: Scalar::Int(8), count: 1 };
    /// `i32`, the type of nearly every argument of an intrinsic.
    pub(super) const I32: Self = Self { scalar: Scalar::Int(32), count: 1 };

    /// An address.
    pub(super) const I64: Self = Self { scalar: Scalar::Int(64), count: 1 };

    /// A type with `count` elements.
    pub(super) const fn new(scalar: Scalar, count: usize) -> Self {
        Self { scalar, count }
    }

    /// Integers of this many bits, with the same number of elements.
    pub(super) const fn int(self, bits: u32) -> Self {
        Self::new(Scalar::Int(bits), self.count)
    }

    /// Floats of this many bits, with the same number of elements.
    pub(super) const fn float(self, bits: u32) -> Self {
        Self::new(Scalar::Float(bits), self.count)
    }

    /// Truth values, with the same number of elements.
    pub(super) const fn bool(self) -> Self {
        Self::new(Scalar::Bool, self.count)
    }

    /// The same element type, with `count` elements.
    pub(super) const fn times(self, count: usize) -> Self {
        Self::new(self.scalar, count)
    }

    /// One element.
    pub(super) const fn one(self) -> Self {
        self.times(1)
    }

    /// Bits of one element.
    pub(super) const fn bits(self) -> u32 {
        self.scalar.bits()
    }

    /// Bytes of one element.
    pub(super) const fn elem_bytes(self) -> usize {
        // 0 for truth values, which are never formatted or moved by messages.
        self.bits() as usize / 8
    }

    /// Bytes of all elements.
    pub(super) const fn bytes(self) -> usize {
        self.elem_bytes() * self.count
    }

    /// The spelling in names of intrinsics: `v16i8`, `f32`.
    pub(super) fn mangled(self) -> String {
        let letter = if self.scalar.is_float() { 'f' } else { 'i' };
        if self.count == 1 {
            format!("{letter}{}", self.bits())
        } else {
            format!("v{}{letter}{}", self.count, self.bits())
        }
    }
}

impl From<Type> for Ty {
    fn from(ty: Type) -> Self {
        match ty.kind {
            Kind::Condition => Self::BOOL,
            Kind::Elem(elem) => Self::new(elem.into(), ty.count()),
        }
    }
}

/// What the messages to an image parameter access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ImageKind {
    /// Media blocks.
    Blocks,
    /// Texels. The parameter is an array of images, with the surface as the first one: Intel's compiler
    /// treats every 2-D image as one for media blocks, and then the driver counts the width in dwords.
    Texels,
    /// Texels of a 3-D surface.
    Texels3d,
}

impl ImageKind {
    /// The number of the dimensions in the type, and whether the type is an array.
    pub(super) const fn dimensions(self) -> [Word; 2] {
        match self {
            Self::Blocks => [DIM_2D, 0],
            Self::Texels => [DIM_2D, 1],
            Self::Texels3d => [DIM_3D, 0],
        }
    }

    /// The kind with these dimensions.
    pub(super) fn with_dimensions(dimensions: [Word; 2]) -> Option<Self> {
        let all = [Self::Blocks, Self::Texels, Self::Texels3d];
        all.into_iter().find(|kind| kind.dimensions() == dimensions)
    }

    /// The spelling in names of intrinsics.
    pub(super) const fn mangled(self) -> &'static str {
        match self {
            Self::Blocks => "image2d",
            Self::Texels => "image2d_array",
            Self::Texels3d => "image3d",
        }
    }
}

/// How an image or buffer parameter is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ParameterAccess {
    /// Only read.
    Read,
    /// Only written.
    Write,
    /// Both.
    ReadWrite,
}

impl ParameterAccess {
    /// The access of a parameter.
    pub(super) const fn of(writable: bool, read: bool) -> Self {
        match (writable, read) {
            (false, _) => Self::Read,
            (true, false) => Self::Write,
            (true, true) => Self::ReadWrite,
        }
    }

    /// The qualifier in types.
    pub(super) fn qualifier(self) -> AccessQualifier {
        match self {
            Self::Read => AccessQualifier::ReadOnly,
            Self::Write => AccessQualifier::WriteOnly,
            Self::ReadWrite => AccessQualifier::ReadWrite,
        }
    }

    /// The spelling in names of intrinsics.
    pub(super) fn mangled(self) -> &'static str {
        match self {
            Self::Read => "ro",
            Self::Write => "wo",
            Self::ReadWrite => "rw",
        }
    }
}
