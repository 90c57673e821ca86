//! Texts with placeholders, and their output with values.

use std::fmt::{self, Write};

use super::hole::{Hole, Layout};
use super::number;
use crate::elem::ElemType;

/// A text with placeholders, one for each printed value.
///
/// Its text is that of Rust's format strings. The placeholder of a vector is `{row:..}`, and that of a matrix
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
    /// Fixed text.
    Text(String),
    /// The next value.
    Hole(Hole),
}

/// A value for printing: the bits of its elements, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The type of the elements.
    pub elem: ElemType,
    /// Elements of a row.
    pub columns: usize,
    /// The elements; the upper bits of narrow elements are ignored.
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

    /// Adds a placeholder.
    pub fn push(&mut self, hole: Hole) {
        self.pieces.push(Piece::Hole(hole));
    }

    /// The placeholders, in order.
    pub fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole),
            Piece::Text(_) => None,
        })
    }

    /// The text with a value in each placeholder. A line break at its end is dropped, because every `printf!` is a
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
