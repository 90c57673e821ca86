//! The layouts of 2-D blocks in registers.

use super::numbers::DWORD;

/// The layout of the elements of a block in registers, and the number of blocks next to each other in memory.
///
/// Several blocks are one below the other in registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockForm {
    /// As in memory.
    Normal,
    /// Two blocks.
    Normal2,
    /// Four blocks.
    Normal4,
    /// Rows become columns.
    Transposed,
    /// Elements of 1 or 2 bytes: each dword holds consecutive elements of a column.
    Packed,
    /// Two blocks, each packed.
    Packed2,
    /// Four blocks, each packed.
    Packed4,
}

impl BlockForm {
    /// All forms.
    pub const ALL: &[Self] = &[
        Self::Normal,
        Self::Normal2,
        Self::Normal4,
        Self::Transposed,
        Self::Packed,
        Self::Packed2,
        Self::Packed4,
    ];

    /// The number of blocks.
    #[inline(always)]
    #[must_use]
    pub const fn blocks(self) -> usize {
        match self {
            Self::Normal | Self::Transposed | Self::Packed => 1,
            Self::Normal2 | Self::Packed2 => 2,
            Self::Normal4 | Self::Packed4 => 4,
        }
    }

    /// Whether rows become columns.
    #[inline(always)]
    #[must_use]
    pub const fn is_transposed(self) -> bool {
        matches!(self, Self::Transposed)
    }

    /// Whether dwords hold elements of a column.
    #[inline(always)]
    #[must_use]
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::Packed | Self::Packed2 | Self::Packed4)
    }

    /// The number of consecutive elements of a column in registers, for elements of this size.
    #[inline(always)]
    const fn per_dword(self, bytes: usize) -> usize {
        if self.is_packed() && bytes < DWORD { DWORD / bytes } else { 1 }
    }

    /// Rows and columns in memory for `rows` x `columns` elements of `bytes` bytes in registers: all blocks next to
    /// each other.
    #[inline(always)]
    #[must_use]
    pub const fn in_memory(self, rows: usize, columns: usize, bytes: usize) -> [usize; 2] {
        if self.is_transposed() {
            return [columns, rows];
        }
        let (blocks, per_dword) = (self.blocks(), self.per_dword(bytes));
        [rows / blocks * per_dword, columns / per_dword * blocks]
    }

    /// The position in memory of the element at this row and column of `rows` x `columns`: rows and columns after the
    /// first.
    #[inline(always)]
    #[must_use]
    pub const fn place(
        self,
        [rows, columns]: [usize; 2],
        bytes: usize,
        [row, column]: [usize; 2],
    ) -> [usize; 2] {
        if self.is_transposed() {
            return [column, row];
        }
        let (height, per_dword) = (rows / self.blocks(), self.per_dword(bytes));
        let (block, row) = (row / height, row % height);
        [row * per_dword + column % per_dword, block * (columns / per_dword) + column / per_dword]
    }

    /// The first byte of each element of a block of `rows` x `columns` elements of `bytes` bytes; `None` outside
    /// the picture, which is given by the bytes of a row, the rows, and the pitch. The block's first element is
    /// element `x` of row `y`, rounded down to a whole dword.
    #[must_use]
    pub fn starts(
        self,
        [rows, columns]: [usize; 2],
        bytes: usize,
        [width, height, pitch]: [i64; 3],
        [x, y]: [i64; 2],
    ) -> Vec<Option<u32>> {
        let size = bytes as i64;
        let first = (x * size).div_euclid(4) * 4;
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column]));
        all.map(|element| {
            let [row, column] = self.place([rows, columns], bytes, element).map(|n| n as i64);
            let (column, row) = (first + column * size, y + row);
            let inside = (0..height).contains(&row) && 0 <= column && column + size <= width;
            u32::try_from(row.checked_mul(pitch)?.checked_add(column)?).ok().filter(|_| inside)
        })
        .collect()
    }
}
