//! Surfaces and buffers as text, for debugging.

use std::fmt;
use std::fmt::Write;
use std::ops::Range;

use cm_dsl::elem::Elem;

use crate::buffer::Buffer;
use crate::error::Result;
use crate::format::Format;
use crate::surface::Surface2D;

/// Elements in a row of a dumped buffer.
const ROW: usize = 16;

/// The format and the size. [`dump_rect`](Surface2D::dump_rect) shows texels.
impl fmt::Debug for Surface2D {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface2D")
            .field("format", &self.format())
            .field("width", &self.width())
            .field("height", &self.height())
            .finish_non_exhaustive()
    }
}

/// The element type and the number of elements. [`dump`](Buffer::dump) shows elements.
impl<T: Elem> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}> {{ len: {}, .. }}", T::NAME, self.len())
    }
}

/// For debugging.
impl Surface2D {
    /// The texels of a rectangle as a table with their columns and rows; the arguments are those of
    /// [`read_rect`](Self::read_rect). For planar formats it shows plane Y.
    ///
    /// Texels of one number are decimal. Texels of several bytes (`Rgba8`, `Yuyv`, ..) are hexadecimal, with the byte
    /// at the lowest address first.
    ///
    /// # Errors
    /// The errors of [`read_rect`](Self::read_rect).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let bytes: Vec<u8> = (0..200).collect();
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R8, 20, 10, &bytes)?;
    /// let table = surface.dump_rect(9, 4, 3, 2)?;
    /// let lines: Vec<&str> = table.lines().collect();
    /// assert_eq!(lines, ["     9  10  11", "4:  89  90  91", "5: 109 110 111"]);
    /// assert_eq!(format!("{surface:?}"), "Surface2D { format: R8, width: 20, height: 10, .. }");
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn dump_rect(&self, x: usize, y: usize, width: usize, height: usize) -> Result<String> {
        let bytes = self.read_rect(x, y, width, height)?;
        let texels = bytes.chunks(self.format().texel_bytes()).take(width * height);
        let texels = texels.map(|bytes| texel(self.format(), bytes));
        Ok(table(&texels.collect::<Vec<_>>(), x..x + width, |row| y + row))
    }
}

/// For debugging.
impl<T: Elem> Buffer<T> {
    /// A range of elements as a table: 16 per row, after the number of the first one. The part of `elements` beyond the
    /// end of the buffer is omitted.
    ///
    /// # Errors
    /// The errors of [`to_vec`](Self::to_vec).
    ///
    /// ```
    /// use cm::prelude::*;
    /// let buffer = Buffer::from_slice(&Device::best()?, &[0.5f32, 1.0, -20.0])?;
    /// assert_eq!(buffer.dump(1..100)?, "       1     2\n1:   1.0 -20.0\n");
    /// assert_eq!(format!("{buffer:?}"), "Buffer<f32> { len: 3, .. }");
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn dump(&self, elements: Range<usize>) -> Result<String> {
        let all = self.to_vec()?;
        let end = elements.end.min(all.len());
        let start = elements.start.min(end);
        let texts: Vec<String> = all[start..end].iter().map(|element| format!("{element:?}")).collect();
        let columns = start..start + texts.len().min(ROW);
        Ok(table(&texts, columns, |row| start + row * ROW))
    }
}

/// A texel as a number, or as its bytes.
fn texel(format: Format, bytes: &[u8]) -> String {
    match (format, bytes) {
        (_, [x]) => x.to_string(),
        (Format::R16 | Format::P010, &[a, b]) => u16::from_ne_bytes([a, b]).to_string(),
        (Format::R32, &[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]).to_string(),
        (Format::R32F, &[a, b, c, d]) => format!("{:?}", f32::from_ne_bytes([a, b, c, d])),
        (_, bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// A table of texts, with the numbers of the columns above and the number of each row on the left.
fn table(texts: &[String], columns: Range<usize>, number: impl Fn(usize) -> usize) -> String {
    let rows = texts.chunks(columns.len().max(1));
    let label = number(rows.len().saturating_sub(1)).to_string().len();
    let longest = texts.iter().map(String::len).max().unwrap_or(0);
    let width = longest.max(columns.end.saturating_sub(1).to_string().len());
    let mut table = String::new();
    let mut line = |label: &dyn fmt::Display, texts: &mut dyn Iterator<Item = &dyn fmt::Display>| {
        let _ = write!(table, "{label}");
        texts.for_each(|text| {
            let _ = write!(table, " {text:>width$}");
        });
        table.push('\n');
    };
    let numbers: Vec<usize> = columns.collect();
    line(&" ".repeat(label + 1), &mut numbers.iter().map(|number| number as &dyn fmt::Display));
    for (row, texts) in rows.enumerate() {
        let label = format!("{:>label$}:", number(row));
        line(&label, &mut texts.iter().map(|text| text as &dyn fmt::Display));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_numbers_or_bytes() {
        let bytes = 1.5f32.to_ne_bytes();
        assert_eq!(texel(Format::R32F, &bytes), "1.5");
        assert_eq!(texel(Format::R16, &700u16.to_ne_bytes()), "700");
        assert_eq!(texel(Format::R32, &70_000u32.to_ne_bytes()), "70000");
        assert_eq!(texel(Format::Rgba8, &[1, 2, 0xab, 255]), "0102abff");
        assert_eq!(texel(Format::Yuyv, &[16, 128]), "1080");
    }

    #[test]
    fn rows_of_buffers_have_16_elements() {
        let texts: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let text = table(&texts, 90..106, |row| 90 + row * ROW);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("      90  91") && lines[0].ends_with(" 105"), "{text}");
        assert!(lines[1].starts_with(" 90:   0   1") && lines[2] == "106:  16  17  18  19", "{text}");
        assert_eq!(table(&[], 5..5, |_| 5), "  \n");
    }
}
