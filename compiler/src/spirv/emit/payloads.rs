//! What the messages of 2-D blocks are sent: a register with the address and the rows of the buffer, and with the place
//! and the size of the block.
//!
//! In a loop, usually only the column or the row changes. So each register is a variable of the module. It is filled
//! before the outermost loop around its messages, and a message changes only what depends on the loop.

use crate::ir::Value;

use crate::spirv::binary::Word;
use crate::spirv::facts::sums::Sum;
use crate::spirv::types::Ty;

/// The register. The first two dwords are the address.
pub(crate) const PAYLOAD: Ty = Ty::I32.times(16);
/// The dwords of the bytes of a row, the rows, and the bytes from row to row, each minus 1.
pub(crate) const ROWS: [usize; 3] = [2, 3, 4];
/// The dword of the column of the block.
pub(crate) const COLUMN: usize = 5;
/// The dword of the row of the block.
pub(crate) const ROW: usize = 6;
/// The dword of the size of the block.
pub(crate) const SIZE: usize = 7;

/// The payloads that may have a part of the place.
const MOST: usize = 8;

/// The size of a block as in the payload: columns, rows and blocks, each minus 1, in a byte.
pub(crate) const fn size_of_block(columns: usize, rows: usize, blocks: usize) -> u32 {
    ((columns - 1) | ((rows - 1) << 8) | ((blocks - 1) << 16)) as u32
}

/// A number of a payload. Numbers that are computed in several places are equal if their sums are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Sum(Sum),
    Computed(Value),
}

/// What messages with the same payload have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Picture {
    /// The buffer.
    pub(crate) param: usize,
    pub(crate) rows: [Number; 3],
    pub(crate) size: u32,
    /// Bytes of an element: columns count elements, and are rounded down to whole dwords.
    pub(crate) elem: usize,
    /// The column and the row of the block, if they are the same for all messages.
    pub(crate) place: [Option<Number>; 2],
}

impl Picture {
    /// Whether messages of another picture can use the payload.
    fn serves(&self, other: &Self) -> bool {
        let rest = |picture: &Self| (picture.param, picture.size, picture.elem);
        let place = self.place.iter().zip(&other.place).all(|(own, other)| own.is_none() || own == other);
        place && rest(self) == rest(other) && self.rows == other.rows
    }

    /// How much of the place is part of the payload.
    fn fixed(&self) -> usize {
        self.place.iter().flatten().count()
    }
}

/// The payloads that are filled on all paths to the current instruction, with their variables.
#[derive(Debug, Default)]
pub(crate) struct Payloads {
    filled: Vec<(Picture, Word)>,
    /// The pictures of all blocks of the kernel.
    blocks: Vec<Picture>,
}

impl Payloads {
    /// No payloads, for blocks with these pictures.
    pub(crate) fn new(blocks: Vec<Picture>) -> Self {
        Self { filled: vec![], blocks }
    }

    /// Whether several blocks of the kernel have this place and size.
    pub(crate) fn is_common(&self, picture: &Picture) -> bool {
        let alike = |other: &&Picture| {
            (other.size, other.elem, &other.place) == (picture.size, picture.elem, &picture.place)
        };
        self.blocks.iter().filter(alike).nth(1).is_some()
    }

    /// The payload for a message of this picture that needs the fewest changes.
    pub(crate) fn of(&self, picture: &Picture) -> Option<(Picture, Word)> {
        let all = self.filled.iter().filter(|(known, _)| known.serves(picture));
        all.max_by_key(|(known, _)| known.fixed()).cloned()
    }

    pub(crate) fn add(&mut self, picture: Picture, pointer: Word) {
        self.filled.push((picture, pointer));
    }

    /// Whether another payload with a part of the place would take too many registers. They are filled over whole loops.
    pub(crate) fn is_full(&self) -> bool {
        self.filled.iter().filter(|(known, _)| known.fixed() > 0).count() >= MOST
    }

    /// How many there are. A block of instructions forgets its own at its end.
    pub(crate) fn count(&self) -> usize {
        self.filled.len()
    }

    pub(crate) fn forget(&mut self, count: usize) {
        self.filled.truncate(count);
    }
}
