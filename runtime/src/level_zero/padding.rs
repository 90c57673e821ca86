//! The padding of images whose rows are not whole dwords: copies of the last texel, so that blocks that reach
//! past the edge repeat it. Writing the image may change the last texel, so a small kernel rewrites the copies
//! before the next launch. The kernel is written in the IR.

use cm_compiler::ir::Function;
use cm_compiler::text::parse;

use crate::format::Format;

/// Rows per thread.
const ROWS: usize = 16;

/// The padding of an image that must be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Padding {
    /// The source columns of the bytes of the last dword.
    pub(super) columns: [usize; 4],
    /// Byte column of the last dword.
    pub(super) x: usize,
    pub(super) height: usize,
}

impl Padding {
    /// The number of threads that write it.
    pub(super) const fn threads(self) -> usize {
        self.height.div_ceil(ROWS)
    }
}

/// The source columns of the last dword of a padded row: the bytes of the row, then repeated copies of the last texel.
pub(super) fn columns(format: Format, row: usize) -> [usize; 4] {
    let (texel, inside) = (format.texel_bytes(), row % 4);
    let mut columns = [0, 1, 2, 3];
    if inside > 0 {
        for column in inside..4 {
            // The byte one texel before it belongs to the last texel, or is already a copy.
            columns[column] = columns[column - texel];
        }
    }
    columns
}

/// The kernel that writes the padding; its arguments are the image and the byte column of the last dword.
pub(super) fn kernel(columns: [usize; 4]) -> Function {
    let index: Vec<String> =
        (0..ROWS).flat_map(|row| columns.map(|column| (row * 4 + column).to_string())).collect();
    let text = format!(
        "file 0 \"padding\"
         kernel padding(image: write surface, x: i32) {{
           %0: i32 = argument #1 @0:1:1
           %1: u32 = thread y @0:1:1
           %2: i32 = constant {ROWS} @0:1:1
           %3: i32 = mul.i32 %1, %2 @0:1:1
           %4: u8<{ROWS}x4> = read #0 %0, %3 @0:1:1
           %5: u32<{ROWS}x4> = constant [{index}] @0:1:1
           %6: u8<{ROWS}x4> = iselect %4, %5 @0:1:1
           write #0 %0, %3, %6: u8<{ROWS}x4> @0:1:1
         }}",
        index = index.join(", "),
    );
    parse(&text).unwrap_or_else(|error| unreachable!("the text above is a kernel: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_compiler::spirv::Target;

    const ALL: [(Format, usize, [usize; 4]); 7] = [
        (Format::R8, 8, [0, 1, 2, 3]),
        (Format::R8, 5, [0, 0, 0, 0]),
        (Format::R8, 6, [0, 1, 1, 1]),
        (Format::R8, 7, [0, 1, 2, 2]),
        (Format::R16, 4, [0, 1, 2, 3]),
        (Format::R16, 6, [0, 1, 0, 1]),
        (Format::Rgba8, 4, [0, 1, 2, 3]),
    ];

    #[test]
    fn padding_is_the_last_texel() {
        for (format, row, expected) in ALL {
            assert_eq!(columns(format, row), expected, "{format} in rows of {row} bytes");
        }
    }

    #[test]
    fn the_kernel_is_a_kernel_on_every_target() {
        for (_, _, columns) in ALL {
            let function = kernel(columns);
            cm_compiler::verify::verify(&function).unwrap();
            for &target in Target::ALL {
                cm_compiler::spirv::lower(&function, target).unwrap();
            }
        }
    }
}
