//! Registers as text, for debugging.

use std::fmt::{self, Debug, Write};

use cm_compiler::printf::Layout;

use super::arrays::Lanes;
use crate::elem::Elem;

/// The elements of thread `n`: `1`, `[1, 2]` or `[[1, 2], [3, 4]]`. The options of the formatter are those of
/// each element. `{:#?}` of a matrix has a line for each row.
pub(super) fn elements<T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    n: usize,
    layout: Layout,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let row = |row: &[T], f: &mut fmt::Formatter<'_>| {
        f.write_char('[')?;
        for (k, element) in row.iter().enumerate() {
            f.write_str(if k > 0 { ", " } else { "" })?;
            Debug::fmt(element, f)?;
        }
        f.write_char(']')
    };
    match layout {
        Layout::Number => x.iter().flat_map(|row| &row[n]).try_for_each(|element| Debug::fmt(element, f)),
        Layout::Row => x.iter().try_for_each(|rows| row(&rows[n], f)),
        Layout::Rows => {
            let (open, between, close) =
                if f.alternate() { ("[\n    ", ",\n    ", ",\n]") } else { ("[", ", ", "]") };
            f.write_str(open)?;
            for (k, rows) in x.iter().enumerate() {
                f.write_str(if k > 0 { between } else { "" })?;
                row(&rows[n], f)?;
            }
            f.write_str(close)
        }
    }
}
