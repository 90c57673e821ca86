//! Values, variables, and their types.

use std::fmt;

use crate::elem::ElemType;

/// The number of a value, unique in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

/// The number of a variable, unique in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable(pub u32);

/// The number of a labelled block, unique in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label(pub u32);

/// The kind of the elements of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Numbers.
    Elem(ElemType),
    /// A condition; always 1 x 1.
    Condition,
}

/// The type of a value or variable: `u8<8x32>`, `f32` for 1 x 1, or `condition`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// Its elements.
    pub kind: Kind,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
}

impl Type {
    /// A condition.
    pub const CONDITION: Self = Self { kind: Kind::Condition, rows: 1, columns: 1 };

    /// A register of `rows` x `columns` elements.
    #[must_use]
    pub const fn new(elem: ElemType, rows: usize, columns: usize) -> Self {
        Self { kind: Kind::Elem(elem), rows, columns }
    }

    /// A single number.
    #[must_use]
    pub const fn scalar(elem: ElemType) -> Self {
        Self::new(elem, 1, 1)
    }

    /// The element type; `None` for a condition.
    #[must_use]
    pub const fn elem(self) -> Option<ElemType> {
        match self.kind {
            Kind::Elem(elem) => Some(elem),
            Kind::Condition => None,
        }
    }

    /// Number of elements.
    #[must_use]
    pub const fn count(self) -> usize {
        self.rows * self.columns
    }

    /// Bytes of the elements, without padding; 0 for a condition.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self.kind {
            Kind::Elem(elem) => self.count() * elem.bytes(),
            // The hardware keeps conditions in flags.
            Kind::Condition => 0,
        }
    }

    /// The same shape with other elements.
    #[must_use]
    pub const fn with_elem(self, elem: ElemType) -> Self {
        Self { kind: Kind::Elem(elem), ..self }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Condition => f.write_str("condition"),
            Kind::Elem(elem) if (self.rows, self.columns) == (1, 1) => write!(f, "{elem}"),
            Kind::Elem(elem) => write!(f, "{elem}<{}x{}>", self.rows, self.columns),
        }
    }
}
