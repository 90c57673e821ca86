//! Functions: a name, parameters, and a body.

use super::inst::Block;
use crate::elem::ElemType;
use crate::ops::MemoryKind;

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in the source.
    pub name: String,
    /// What it takes.
    pub kind: ParamKind,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Block,
}

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParamKind {
    /// A surface, written `&Surface2D` or `&mut Surface2D`.
    Surface {
        /// Whether the kernel may write it.
        writable: bool,
    },
    /// A buffer, written `&Buffer<T>` or `&mut Buffer<T>`.
    Buffer {
        /// Its element type.
        elem: ElemType,
        /// Whether the kernel may write it.
        writable: bool,
    },
    /// A value that is the same for all threads.
    Uniform {
        /// Its element type.
        elem: ElemType,
        /// Its rows; 1 for vectors and scalars.
        rows: usize,
        /// Its columns; 1 for scalars.
        columns: usize,
    },
}

impl ParamKind {
    /// The memory that it is; `None` for a value.
    #[must_use]
    pub const fn memory(self) -> Option<MemoryKind> {
        match self {
            Self::Surface { .. } => Some(MemoryKind::Surface),
            Self::Buffer { .. } => Some(MemoryKind::Buffer),
            Self::Uniform { .. } => None,
        }
    }

    /// Whether it is memory that the kernel may write.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        match self {
            Self::Surface { writable } | Self::Buffer { writable, .. } => writable,
            Self::Uniform { .. } => false,
        }
    }

    /// The kind as a parameter by `&mut`, or otherwise.
    #[must_use]
    pub const fn by(self, exclusive: bool) -> Self {
        match self {
            Self::Surface { .. } => Self::Surface { writable: exclusive },
            Self::Buffer { elem, .. } => Self::Buffer { elem, writable: exclusive },
            uniform => uniform,
        }
    }
}
