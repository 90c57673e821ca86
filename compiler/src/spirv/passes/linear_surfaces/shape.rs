//! The layout of a surface in its buffer, as a parameter of the kernel.

use crate::elem::ElemType;
use crate::ir::{Bits, Op, Region, Type, Value};
use crate::limits::{BLOCK_2D_WIDTH, DWORD};
use crate::ops::{MapKind, Texel};
use crate::spirv::passes::expand::Expansion;

/// The number of dwords of a shape argument.
pub(super) const NUMBERS: usize = 8;
/// The alignment of the first row and of the pitch, in bytes: that of 2-D block messages.
pub const LINEAR_PITCH: usize = 64;

pub(super) const I32: Type = Type::scalar(ElemType::I32);

pub(super) const fn row_of(elem: ElemType, count: usize) -> Type {
    Type::new(elem, 1, count)
}

// The places of the numbers.
const LAST_MOVED: usize = 0;
const SLICES: usize = LAST_MOVED;
const LAST_ROW: usize = 1;
const LAST_OF_PITCH: usize = 2;
const PATTERN: usize = 3;
const WIDTH: usize = 4;
const HEIGHT: usize = 5;
const ALPHA: usize = 6;
const PITCH: usize = 7;

/// The layout of a surface in a buffer that begins with its first row, as kernels take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinearShape {
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Bytes in a row.
    pub width: usize,
    /// The number of rows; of a 3-D surface, those of a slice.
    pub height: usize,
    /// For 3-D surfaces: the number of slices. The rows of a slice follow those of the slice before.
    pub slices: Option<usize>,
    /// The period of the pattern beyond the edges in bytes: a texel, or a pair of packed YUV texels.
    pub period: usize,
    /// For packed YUV: the byte of a pair that takes the value of the other luma sample, two bytes away, left
    /// of the surface and right of it.
    pub replaced: Option<[usize; 2]>,
    /// The texels as typed accesses see them. A texel is as long as the period.
    pub texel: Texel,
}

impl LinearShape {
    /// Bytes of the kernel argument.
    pub const BYTES: usize = NUMBERS * 4;

    /// The kernel argument: the bytes of its eight numbers.
    #[must_use]
    pub fn bytes(self) -> [u8; Self::BYTES] {
        let Self { pitch, width, height, slices, period, replaced, texel } = self;
        let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let [left, right] = replaced.map_or([-1; 2], |columns| columns.map(number));
        // The value of the alpha channel; 0 if texels have their own.
        let alpha = if texel.start(Texel::ALPHA).is_some() { 0 } else { texel.missing(Texel::ALPHA) as i32 };
        // Messages drop what is written after these bytes of a row: a few between the rows are written, which nobody reads.
        let moved = width.next_multiple_of(DWORD).max(BLOCK_2D_WIDTH);
        debug_assert!(
            pitch.is_multiple_of(LINEAR_PITCH) && width > 0 && width <= pitch && height > 0,
            "{self:?}"
        );
        let byte = |column: i32, at: usize| i32::from(column as u8) << (8 * at);
        let mut numbers = [0; NUMBERS];
        numbers[LAST_MOVED] = number(moved) - 1;
        if let Some(slices) = slices {
            numbers[SLICES] = number(slices);
        }
        numbers[LAST_ROW] = number(height) - 1;
        numbers[LAST_OF_PITCH] = number(pitch) - 1;
        numbers[PATTERN] = (number(period) - 1) | byte(left, LEFT) | byte(right, RIGHT);
        numbers[WIDTH] = number(width);
        numbers[HEIGHT] = number(height);
        numbers[ALPHA] = alpha;
        numbers[PITCH] = number(pitch);
        let mut bytes = [0; Self::BYTES];
        for (to, number) in bytes.chunks_mut(4).zip(numbers) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }
}

// The bytes of the number with the pattern beyond the edges: the period minus 1, and the replaced samples.
const MASK: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;

/// The numbers of a shape.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    all: Value,
}

impl Shape {
    pub(super) fn new(insts: &mut Expansion, param: usize) -> Self {
        Self { all: insts.emit(Op::Argument(param), row_of(ElemType::I32, NUMBERS)) }
    }

    fn number(self, insts: &mut Expansion, n: usize) -> Value {
        insts.emit(Op::Region(self.all, Region::contiguous(n, 1)), I32)
    }

    /// The numbers that messages of 2-D blocks take: the bytes of a row that they move, the rows, and the pitch.
    pub(super) fn moved(self, insts: &mut Expansion) -> [Value; 3] {
        // The argument has them as the messages do, each minus 1.
        let one = insts.emit(Op::Constant(Bits::Splat(1)), I32);
        [LAST_MOVED, LAST_ROW, LAST_OF_PITCH].map(|n| {
            let less = self.number(insts, n);
            insts.emit(Op::map(MapKind::Add, ElemType::I32, &[less, one]), I32)
        })
    }

    pub(super) fn pitch(self, insts: &mut Expansion) -> Value {
        self.number(insts, PITCH)
    }

    /// The number of the last row.
    pub(super) fn last(self, insts: &mut Expansion) -> Value {
        self.number(insts, LAST_ROW)
    }

    pub(super) fn width(self, insts: &mut Expansion) -> Value {
        self.number(insts, WIDTH)
    }

    pub(super) fn height(self, insts: &mut Expansion) -> Value {
        self.number(insts, HEIGHT)
    }

    pub(super) fn alpha(self, insts: &mut Expansion) -> Value {
        self.number(insts, ALPHA)
    }

    /// The number of slices of a 3-D surface, which has no blocks: they are in the place of the moved bytes.
    pub(super) fn slices(self, insts: &mut Expansion) -> Value {
        self.number(insts, SLICES)
    }

    /// The period of the pattern minus 1.
    pub(super) fn mask(self, insts: &mut Expansion) -> Value {
        self.of_pattern(insts, MASK)
    }

    /// The byte of a pair that takes another value left of the surface, and right of it; -1 if none.
    pub(super) fn replaced(self, insts: &mut Expansion) -> [Value; 2] {
        [LEFT, RIGHT].map(|at| self.of_pattern(insts, at))
    }

    fn of_pattern(self, insts: &mut Expansion, byte: usize) -> Value {
        let bytes = Type::new(ElemType::I8, 1, 4 * NUMBERS);
        let all = insts.emit(Op::Format(self.all), bytes);
        let byte = insts
            .emit(Op::Region(all, Region::contiguous(PATTERN * DWORD + byte, 1)), Type::scalar(ElemType::I8));
        insts.emit(Op::convert(byte, ElemType::I32), I32)
    }
}
