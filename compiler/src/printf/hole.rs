//! The holes of a text: how values are arranged, and how each element is written.

use std::fmt::{self, Write};

use crate::elem::ElemType;

/// Where a value is printed, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hole {
    /// How the elements are arranged.
    pub layout: Layout,
    /// How each element is written.
    pub style: Style,
    /// What fills the width.
    pub fill: char,
    /// Where an element is in its width; on the right if nothing is said.
    pub align: Option<Align>,
    /// `+`: the sign of positive numbers.
    pub plus: bool,
    /// `#`: `0x` and the like, and a line for each row of a matrix.
    pub alternate: bool,
    /// `0`: the width is filled with zeros behind the sign.
    pub zero: bool,
    /// The least number of characters of an element; 0 if nothing is said.
    pub width: u16,
    /// The digits behind the point of a float.
    pub precision: Option<u16>,
}

/// How the elements of a value are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// `1`.
    Number,
    /// `[1, 2]`.
    Row,
    /// `[[1, 2], [3, 4]]`.
    Rows,
}

/// Where an element is in its width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Align {
    /// `<`
    Left,
    /// `^`
    Center,
    /// `>`
    Right,
}

macro_rules! styles {
    ($($(#[$doc:meta])* $style:ident $name:literal,)*) => {
        /// How an element is written: the trait of Rust's formatting.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Style {
            $($(#[$doc])* $style,)*
        }

        impl Style {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$style),*];

            /// Its name behind the width: `x` in `{:4x}`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$style => $name,)*
                }
            }
        }
    };
}

styles! {
    /// `{}`
    Display "",
    /// `{:?}`
    Debug "?",
    /// `{:x?}`
    DebugLowerHex "x?",
    /// `{:X?}`
    DebugUpperHex "X?",
    /// `{:x}`, of integers.
    LowerHex "x",
    /// `{:X}`, of integers.
    UpperHex "X",
    /// `{:b}`, of integers.
    Binary "b",
    /// `{:o}`, of integers.
    Octal "o",
    /// `{:e}`
    LowerExp "e",
    /// `{:E}`
    UpperExp "E",
}

impl Style {
    /// Whether elements of this type are written so.
    #[must_use]
    pub const fn takes(self, elem: ElemType) -> bool {
        !(elem.is_float() && matches!(self, Self::LowerHex | Self::UpperHex | Self::Binary | Self::Octal))
    }
}

impl Layout {
    pub(super) const ALL: [Self; 3] = [Self::Number, Self::Row, Self::Rows];

    /// Its name in a hole.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Row => "row",
            Self::Rows => "rows",
        }
    }
}

impl Hole {
    /// `{}` of a number.
    #[must_use]
    pub const fn new(layout: Layout, style: Style) -> Self {
        Self {
            layout,
            style,
            fill: ' ',
            align: None,
            plus: false,
            alternate: false,
            zero: false,
            width: 0,
            precision: None,
        }
    }
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut spec = String::new();
        let align = self.align.map(|align| match align {
            Align::Left => '<',
            Align::Center => '^',
            Align::Right => '>',
        });
        // A fill stands before an alignment.
        if self.fill != ' ' {
            spec.extend([self.fill, align.unwrap_or('>')]);
        } else {
            spec.extend(align);
        }
        for (flag, set) in [('+', self.plus), ('#', self.alternate), ('0', self.zero)] {
            spec.extend(set.then_some(flag));
        }
        if self.width > 0 {
            write!(spec, "{}", self.width)?;
        }
        if let Some(precision) = self.precision {
            write!(spec, ".{precision}")?;
        }
        spec.push_str(self.style.name());
        let colon = if spec.is_empty() { "" } else { ":" };
        write!(f, "{{{}{colon}{spec}}}", self.layout.name())
    }
}
