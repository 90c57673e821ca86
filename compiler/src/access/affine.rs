//! Numbers that are affine functions of the thread's coordinates.

use crate::elem::ElemType;
use crate::limits::THREAD_SPACE;

/// The largest coordinate of a thread space.
const LAST: i64 = THREAD_SPACE as i64 - 1;

/// `x * thread_x + y * thread_y + constant`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    /// Factor of the column of the thread.
    pub x: i64,
    /// Factor of the row of the thread.
    pub y: i64,
    /// What is added.
    pub constant: i64,
}

impl Affine {
    pub(crate) fn constant(constant: i64) -> Self {
        Self { x: 0, y: 0, constant }
    }

    /// The smallest and the largest value over a thread space of `width` x `height`.
    #[must_use]
    pub fn range(self, width: usize, height: usize) -> (i64, i64) {
        let ends = |factor: i64, count: usize| {
            // `of_type` holds operands to 32 bits, so that even the product of two does not overflow.
            let end = factor * (count as i64 - 1);
            (end.min(0), end.max(0))
        };
        let ((x0, x1), (y0, y1)) = (ends(self.x, width), ends(self.y, height));
        (x0 + y0 + self.constant, x1 + y1 + self.constant)
    }

    /// Whether it is a multiple of `n` in every thread.
    #[must_use]
    pub fn is_multiple_of(self, n: i64) -> bool {
        self.x % n == 0 && self.y % n == 0 && self.constant % n == 0
    }

    /// Itself, if it is a number of this type in every thread. `u32` may be below zero by wrapping:
    /// coordinates are taken as `i32` in the end.
    pub(crate) fn of_type(self, ty: ElemType) -> Option<Self> {
        let range = match ty {
            ElemType::U8 => (0, u8::MAX.into()),
            ElemType::I8 => (i8::MIN.into(), i8::MAX.into()),
            ElemType::U16 => (0, u16::MAX.into()),
            ElemType::I16 => (i16::MIN.into(), i16::MAX.into()),
            ElemType::U32 | ElemType::I32 | ElemType::I64 => (i32::MIN.into(), i32::MAX.into()),
            ElemType::U64 => (0, i32::MAX.into()),
            ElemType::F16 | ElemType::F32 | ElemType::F64 => return None,
        };
        // Over the largest thread space: a kernel is analysed once, for launches of any size.
        let (low, high) = self.range(LAST as usize + 1, LAST as usize + 1);
        (range.0 <= low && high <= range.1).then_some(self)
    }

    /// Itself, converted from one type to another.
    pub(crate) fn converted(self, from: ElemType, to: ElemType) -> Option<Self> {
        let (low, _) = self.range(LAST as usize + 1, LAST as usize + 1);
        // A wrapped `u32` is another number where it gets wider.
        if from == ElemType::U32 && low < 0 && to.bytes() > 4 { None } else { self.of_type(to) }
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        Some(Self {
            x: self.x.checked_add(other.x)?,
            y: self.y.checked_add(other.y)?,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    pub(crate) fn scaled(self, factor: i64) -> Option<Self> {
        Some(Self {
            x: self.x.checked_mul(factor)?,
            y: self.y.checked_mul(factor)?,
            constant: self.constant.checked_mul(factor)?,
        })
    }

    pub(crate) fn mul(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self { x: 0, y: 0, constant }, other) | (other, Self { x: 0, y: 0, constant }) => {
                other.scaled(constant)
            }
            _ => None,
        }
    }
}
