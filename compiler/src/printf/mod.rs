//! What `printf!` prints: a text with holes, and the values in them as text.
//!
//! Every execution of a kernel writes its values by [`Template::render`], so that all print the same words.

mod number;
mod parse;

use std::fmt::{self, Write};

use crate::elem::ElemType;

pub use parse::TemplateError;

/// A text with holes, one for each value that is printed.
///
/// Its text is that of Rust's format strings. The hole of a vector is `{row:..}`, and that of a matrix
/// `{rows:..}`.
///
/// ```
/// use cm::compiler::printf::{Printed, Template};
/// use cm::elem::ElemType;
///
/// let template: Template = "x = {:>3}, row = {row:?}".parse()?;
/// let x = Printed { elem: ElemType::I8, columns: 1, bits: vec![0xff] };
/// let row = Printed { elem: ElemType::U8, columns: 2, bits: vec![1, 2] };
/// assert_eq!(template.render(&[x, row]), "x =  -1, row = [1, 2]");
/// assert_eq!(template.to_string(), "x = {:>3}, row = {row:?}");
/// # Ok::<(), cm::compiler::printf::TemplateError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Template {
    pieces: Vec<Piece>,
}

/// Part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// This text.
    Text(String),
    /// The next value.
    Hole(Hole),
}

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
    const ALL: [Self; 3] = [Self::Number, Self::Row, Self::Rows];

    /// Its name in a hole.
    const fn name(self) -> &'static str {
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

/// A value to be printed: the bits of its elements, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The type of the elements.
    pub elem: ElemType,
    /// Elements of a row.
    pub columns: usize,
    /// The elements; of narrow ones the upper bits do not count.
    pub bits: Vec<u64>,
}

impl Template {
    /// Adds text.
    pub fn push_str(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Adds a hole.
    pub fn push(&mut self, hole: Hole) {
        self.pieces.push(Piece::Hole(hole));
    }

    /// The holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole),
            Piece::Text(_) => None,
        })
    }

    /// The text with a value in each hole. A line break at its end is left away, since every `printf!` is a
    /// line.
    #[must_use]
    pub fn render(&self, values: &[Printed]) -> String {
        let (mut text, mut values) = (String::new(), values.iter());
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Hole(hole) => {
                    if let Some(value) = values.next() {
                        hole.render(value, &mut text);
                    }
                }
            }
        }
        if text.ends_with('\n') {
            text.pop();
        }
        text
    }
}

impl Hole {
    fn render(&self, value: &Printed, text: &mut String) {
        let row = |bits: &[u64], text: &mut String| {
            text.push('[');
            for (n, bits) in bits.iter().enumerate() {
                if n > 0 {
                    text.push_str(", ");
                }
                number::write(self, value.elem, *bits, text);
            }
            text.push(']');
        };
        match self.layout {
            Layout::Number => value.bits.iter().for_each(|bits| number::write(self, value.elem, *bits, text)),
            Layout::Row => row(&value.bits, text),
            Layout::Rows => {
                let (open, between, close) = match self.alternate {
                    true => ("[\n    ", ",\n    ", ",\n]"),
                    false => ("[", ", ", "]"),
                };
                text.push_str(open);
                for (n, bits) in value.bits.chunks(value.columns.max(1)).enumerate() {
                    if n > 0 {
                        text.push_str(between);
                    }
                    row(bits, text);
                }
                text.push_str(close);
            }
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => {
                    for c in text.chars() {
                        if matches!(c, '{' | '}') {
                            f.write_char(c)?;
                        }
                        f.write_char(c)?;
                    }
                }
                Piece::Hole(hole) => hole.fmt(f)?,
            }
        }
        Ok(())
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
        if self.fill != ' ' || align.is_some() {
            spec.extend([self.fill, align.unwrap_or('>')]);
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

#[cfg(test)]
mod tests;
