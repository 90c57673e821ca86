//! Numbers that are affine functions of the coordinates of a thread: of its group, and in its group.

use crate::elem::ElemType;
use crate::ir::Grid;

/// A sum of the coordinates of a thread, each with a factor, and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    /// Factors of the coordinates of the thread's group.
    pub group: [i64; 3],
    /// Factors of the coordinates of the thread in its group.
    pub local: [i64; 3],
    /// What is added.
    pub constant: i64,
}

impl Affine {
    pub(crate) fn constant(constant: i64) -> Self {
        Self { group: [0; 3], local: [0; 3], constant }
    }

    /// The coordinate of a group.
    pub(crate) fn group(axis: usize) -> Self {
        let mut affine = Self::constant(0);
        affine.group[axis] = 1;
        affine
    }

    /// The coordinate of a thread in its group.
    pub(crate) fn local(axis: usize) -> Self {
        let mut affine = Self::constant(0);
        affine.local[axis] = 1;
        affine
    }

    /// The smallest and the largest value over all threads of a grid.
    #[must_use]
    pub fn range(self, grid: Grid) -> (i64, i64) {
        let (low, high) = self.range_in_group(grid);
        let (first, last) = ends(self.group, grid.groups);
        (low.saturating_add(first), high.saturating_add(last))
    }

    /// The smallest and the largest value over the threads of the first group.
    pub(crate) fn range_in_group(self, grid: Grid) -> (i64, i64) {
        let (first, last) = ends(self.local, grid.local);
        (self.constant.saturating_add(first), self.constant.saturating_add(last))
    }

    fn factors(self) -> impl Iterator<Item = i64> {
        self.group.into_iter().chain(self.local)
    }

    /// Whether it is a multiple of `n` in every thread.
    #[must_use]
    pub fn is_multiple_of(self, n: i64) -> bool {
        self.factors().chain([self.constant]).all(|factor| factor % n == 0)
    }

    /// Whether it is the same number in every thread.
    pub(crate) fn is_constant(self) -> bool {
        self.factors().all(|factor| factor == 0)
    }

    /// Itself, if it is a number of this type in every thread of the grid. `u32` may be below zero by
    /// wrapping: coordinates are taken as `i32` in the end.
    pub(crate) fn of_type(self, ty: ElemType, grid: Grid) -> Option<Self> {
        let range = match ty {
            ElemType::U8 => (0, u8::MAX.into()),
            ElemType::I8 => (i8::MIN.into(), i8::MAX.into()),
            ElemType::U16 => (0, u16::MAX.into()),
            ElemType::I16 => (i16::MIN.into(), i16::MAX.into()),
            ElemType::U32 | ElemType::I32 | ElemType::I64 => (i32::MIN.into(), i32::MAX.into()),
            ElemType::U64 => (0, i32::MAX.into()),
            ElemType::F16 | ElemType::F32 | ElemType::F64 => return None,
        };
        let (low, high) = self.range(grid);
        (range.0 <= low && high <= range.1).then_some(self)
    }

    /// Itself, converted from one type to another.
    pub(crate) fn converted(self, from: ElemType, to: ElemType, grid: Grid) -> Option<Self> {
        let (low, _) = self.range(grid);
        // A wrapped `u32` is another number where it gets wider.
        if from == ElemType::U32 && low < 0 && to.bytes() > 4 { None } else { self.of_type(to, grid) }
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let add = |a: [i64; 3], b: [i64; 3]| {
            Some([a[0].checked_add(b[0])?, a[1].checked_add(b[1])?, a[2].checked_add(b[2])?])
        };
        Some(Self {
            group: add(self.group, other.group)?,
            local: add(self.local, other.local)?,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    pub(crate) fn scaled(self, factor: i64) -> Option<Self> {
        let scaled = |[x, y, z]: [i64; 3]| {
            Some([x.checked_mul(factor)?, y.checked_mul(factor)?, z.checked_mul(factor)?])
        };
        Some(Self {
            group: scaled(self.group)?,
            local: scaled(self.local)?,
            constant: self.constant.checked_mul(factor)?,
        })
    }

    /// Divided by a constant above 0, where nothing is left in any thread.
    pub(crate) fn divided(self, by: Self) -> Option<Self> {
        let n = by.constant;
        if !by.is_constant() || n <= 0 || !self.is_multiple_of(n) {
            return None;
        }
        let divided = |factors: [i64; 3]| factors.map(|factor| factor / n);
        Some(Self { group: divided(self.group), local: divided(self.local), constant: self.constant / n })
    }

    pub(crate) fn mul(self, other: Self) -> Option<Self> {
        match (self.is_constant(), other.is_constant()) {
            (true, _) => other.scaled(self.constant),
            (_, true) => self.scaled(other.constant),
            _ => None,
        }
    }
}

/// The smallest and the largest sum of coordinates from 0 on, each with a factor.
fn ends(factors: [i64; 3], counts: [u32; 3]) -> (i64, i64) {
    let mut sum = (0_i64, 0_i64);
    for (factor, count) in factors.into_iter().zip(counts) {
        let end = factor.saturating_mul(i64::from(count) - 1);
        sum = (sum.0.saturating_add(end.min(0)), sum.1.saturating_add(end.max(0)));
    }
    sum
}
