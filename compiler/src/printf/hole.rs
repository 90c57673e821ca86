//! The placeholders of a text: the arrangement of values, and the style of each element.

use std::fmt::{self, Write};

use crate::elem::ElemType;

/// A placeholder: the position and style of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hole {
    /// The arrangement of the elements.
    pub layout: Layout,
    /// The style of each element.
    pub style: Style,
    /// The fill character.
    pub fill: char,
    /// The alignment of an element in its width; right if not set.
    pub align: Option<Align>,
    /// `+`: the sign of positive numbers.
    pub plus: bool,
    /// `#`: `0x` and other prefixes, and one line per row of a matrix.
    pub alternate: bool,
    /// `0`: the width is filled with zeros after the sign.
    pub zero: bool,
    /// The minimum number of characters of an element; 0 if not set.
    pub width: u16,
    /// The digits after the decimal point of a float.
    pub precision: Option<u16>,
}

/// The arrangement of the elements of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// `1`.
    Number,
    /// `[1, 2]`.
    Row,
    /// `[[1, 2], [3, 4]]`.
    Rows,
}

/// The alignment of an element in its width.
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
        /// The style of an element: the trait of Rust's formatting.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Style {
            $($(#[$doc])* $style,)*
        }

        impl Style {
            /// All styles.
            pub const ALL: &[Self] = &[$(Self::$style),*];

            /// Its name after the width: `x` in `{:4x}`.
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
    /// Whether elements of this type can have this style.
    #[must_use]
    pub const fn takes(self, elem: ElemType) -> bool {
        !(elem.is_float() && matches!(self, Self::LowerHex | Self::UpperHex | Self::Binary | Self::Octal))
    }
}

impl Layout {
    pub(super) const ALL: [Self; 3] = [Self::Number, Self::Row, Self::Rows];

    /// Its name in a placeholder.
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
        // A fill character comes before an alignment.
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
