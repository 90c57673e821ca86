//! The source lines of instructions: the line table of DWARF, which the compiler writes with `-g`.

use std::fmt;

use gimli::{ColumnType, DebugLine, LineProgramHeader, LittleEndian, Reader};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

/// Bytes of a code address.
const ADDRESS: u8 = 8;

/// A location in the source of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as the module named it.
    pub file: String,
    /// The line, starting at 1.
    pub line: u64,
    /// The column, starting at 1; 0 if unknown.
    pub column: u64,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// The source locations of the instructions of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The first byte of the instructions for each location, in order; `None` where code ends.
    rows: Vec<(u64, Option<SourceLine>)>,
}

impl Lines {
    /// The location of the instruction at a byte offset of the kernel.
    #[must_use]
    pub fn at(&self, byte: u64) -> Option<&SourceLine> {
        let behind = self.rows.partition_point(|(first, _)| *first <= byte);
        self.rows.get(behind.checked_sub(1)?)?.1.as_ref()
    }

    /// The lines for a code section of an ELF file; `None` if there is no line table.
    pub(super) fn read(elf: &[u8], code: &str) -> Result<Option<Self>, String> {
        let elf = object::File::parse(elf).map_err(|error| error.to_string())?;
        let Some(section) = elf.section_by_name(".debug_line") else { return Ok(None) };
        let mut table = section.data().map_err(|error| error.to_string())?.to_vec();
        // Each sequence begins with the address of its code. Sections have no addresses yet, so their numbers
        // are used instead.
        let number = |name: &str| elf.section_by_name(name).map(|section| base(section.index().0));
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let Ok(symbol) = elf.symbol_by_index(symbol) else { continue };
            let Some(of) = symbol.section_index() else { continue };
            let place = usize::try_from(offset).ok().and_then(|at| table.get_mut(at..)?.first_chunk_mut());
            if let Some(place) = place {
                let address = symbol.address().wrapping_add_signed(relocation.addend());
                *place = base(of.0).wrapping_add(address).to_le_bytes();
            }
        }
        let first = number(code).ok_or_else(|| format!("there is no section {code}"))?;
        rows(&table, first)
            .map(|rows| Some(Self { rows }))
            .map_err(|error| format!("its table of lines: {error}"))
    }
}

/// The first address of a section. The distance between two sections exceeds the length of any code.
fn base(section: usize) -> u64 {
    (section as u64) << 40
}

/// The rows of a table for the code section that begins at an address.
fn rows(table: &[u8], first: u64) -> gimli::Result<Vec<(u64, Option<SourceLine>)>> {
    let code = first..first + base(1);
    let mut rows = vec![];
    let (mut units, mut rest) = (DebugLine::new(table, LittleEndian), 0);
    // Process one unit after the other.
    while rest < table.len() {
        let program = units.program(gimli::DebugLineOffset(rest), ADDRESS, None, None)?;
        let header = program.header().clone();
        rest += header.unit_length() + header.format().initial_length_size() as usize;
        let mut steps = program.rows();
        while let Some((header, row)) = steps.next_row()? {
            if code.contains(&row.address()) {
                let place = (!row.end_sequence()).then(|| place(header, row)).transpose()?.flatten();
                rows.push((row.address() - first, place));
            }
        }
        units = DebugLine::new(table, LittleEndian);
    }
    // If several rows have the same address, the last one counts.
    rows.sort_by_key(|(first, _)| *first);
    Ok(rows)
}

fn place<R: Reader>(
    header: &LineProgramHeader<R>,
    row: &gimli::LineRow,
) -> gimli::Result<Option<SourceLine>> {
    let (Some(line), Some(file)) = (row.line(), row.file(header)) else { return Ok(None) };
    let gimli::AttributeValue::String(name) = file.path_name() else { return Ok(None) };
    let column = match row.column() {
        ColumnType::LeftEdge => 0,
        ColumnType::Column(column) => column.get(),
    };
    Ok(Some(SourceLine { file: name.to_string_lossy()?.into_owned(), line: line.get(), column }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit of DWARF 4 with these steps.
    fn unit(steps: &[u8]) -> Vec<u8> {
        // Bytes of an instruction, operations of an instruction, statements, the smallest line step and the
        // number of line steps, and the operands of the 12 standard operations.
        let mut header: Vec<u8> = vec![1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
        // No folders, one file.
        header.extend(b"\0k.rs\0\0\0\0\0");
        let behind = [&(header.len() as u32).to_le_bytes()[..], &header, steps].concat();
        let length = (2 + behind.len()) as u32;
        [&length.to_le_bytes()[..], &4_u16.to_le_bytes(), &behind].concat()
    }

    /// The operation that sets the address.
    fn address(at: u64) -> Vec<u8> {
        [&[0, 9, 2][..], &at.to_le_bytes()].concat()
    }

    const COPY: u8 = 1;
    const ADVANCE_ADDRESS: u8 = 2;
    const ADVANCE_LINE: u8 = 3;
    const COLUMN: u8 = 5;
    const END: [u8; 3] = [0, 1, 1];

    #[test]
    fn bytes_have_the_line_of_the_row_before_them() {
        let own = [
            COLUMN,
            9,
            ADVANCE_LINE,
            6,
            COPY,
            ADVANCE_ADDRESS,
            32,
            ADVANCE_LINE,
            3,
            COPY,
            ADVANCE_ADDRESS,
            16,
        ];
        let other = [ADVANCE_LINE, 90, COPY, ADVANCE_ADDRESS, 64];
        // Code of two sections, in two units.
        let first = unit(&[&address(base(3) + 16)[..], &own, &END].concat());
        let second = unit(&[&address(base(4))[..], &other, &END].concat());
        let lines = Lines { rows: rows(&[first, second].concat(), base(3)).unwrap() };
        let place = |byte| lines.at(byte).map(ToString::to_string);
        for (byte, expected) in [
            (0, None),
            (15, None),
            (16, Some("k.rs:7:9")),
            (47, Some("k.rs:7:9")),
            (48, Some("k.rs:10:9")),
            (63, Some("k.rs:10:9")),
            (64, None),
        ] {
            assert_eq!(place(byte).as_deref(), expected, "byte {byte}");
        }
    }

    #[test]
    fn a_broken_table_is_an_error() {
        let whole = unit(&[&address(0)[..], &[COPY], &END].concat());
        assert!(rows(&whole, 0).is_ok());
        for length in 1..whole.len() {
            assert!(rows(&whole[..length], 0).is_err(), "{length} bytes");
        }
    }
}
