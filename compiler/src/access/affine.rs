//! Numbers that are affine functions of a thread's coordinates: those of its group, and those in its group. In the
//! iterations of loops, and as elements of a vector, they may be larger by one of several numbers.

use super::steps::{Steps, greatest_divisor};
use crate::elem::ElemType;
use crate::ir::Grid;
use crate::limits::DWORD;

/// A sum of the coordinates of a thread, each with a factor, and a constant, or one of several constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Affine {
    /// Factors of the coordinates of the thread's group.
    pub group: [i64; 3],
    /// Factors of the coordinates of the thread in its group.
    pub local: [i64; 3],
    /// The smallest constant.
    pub constant: i64,
    /// The constant may be larger by one of these numbers.
    pub(crate) steps: Steps,
    /// A limit of all but the terms of the group: no thread of the first group has a larger number, although the other terms
    /// have larger sums. Loops that go on up to the end of the group's part have such numbers.
    pub(super) most: Option<i64>,
    /// Whether it comes from a number of less than 32 bits. Launches of thousands of threads along an axis make such a number
    /// wrap.
    pub(crate) short: bool,
}

/// The largest factor of a coordinate, and the largest number, that are far from wrapping in 32 bits.
const FAR_FROM_WRAPPING: (i64, i64) = (1 << 11, 1 << 30);

impl Affine {
    pub(crate) fn constant(constant: i64) -> Self {
        Self { group: [0; 3], local: [0; 3], constant, steps: Steps::NONE, most: None, short: false }
    }

    /// One of these constants.
    pub(crate) fn any_of(constants: &[i64]) -> Option<Self> {
        let (&low, &high) = (constants.iter().min()?, constants.iter().max()?);
        let spread = high.checked_sub(low)?;
        let stride = constants.iter().fold(0, |stride, constant| greatest_divisor(stride, constant - low));
        Some(Self { steps: Steps::of(stride, spread), ..Self::constant(low) })
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
        let last = self.constant.saturating_add(self.steps.spread()).saturating_add(last);
        (self.constant.saturating_add(first), self.most.map_or(last, |most| most.min(last)))
    }

    /// The same numbers, of which no thread of the first group has one above the limit.
    pub(super) fn limited_to(self, most: i64, grid: Grid) -> Self {
        // They differ by multiples of this.
        let along = self.local.into_iter().zip(grid.local).filter(|(_, count)| *count > 1);
        let strides = along.map(|(factor, _)| factor).chain(self.steps.iter().map(|step| step.stride));
        let apart = strides.fold(0, greatest_divisor).abs();
        let (low, high) = self.range_in_group(grid);
        let above = |most: i64| most.checked_sub(self.constant)?.checked_rem_euclid(apart);
        match above(most).and_then(|above| most.checked_sub(above)) {
            Some(most) if (low..high).contains(&most) => Self { most: Some(most), ..self },
            _ => self,
        }
    }

    /// The constant, if it is one number in each group and moves from group to group by the same terms as another number.
    pub(super) fn above(self, other: Self) -> Option<i64> {
        (self.is_one_in_group() && self.group == other.group).then_some(self.constant)
    }

    /// Whether it is the same number in each thread of a group.
    fn is_one_in_group(self) -> bool {
        self.local == [0; 3] && self.steps == Steps::NONE
    }

    fn factors(self) -> impl Iterator<Item = i64> {
        self.group.into_iter().chain(self.local)
    }

    /// The distances between neighbours: along each axis with several groups or threads, and in loops.
    pub(crate) fn strides(&self, grid: Grid) -> Vec<i64> {
        let counts = grid.groups.into_iter().chain(grid.local);
        let along = self.factors().zip(counts).filter(|(_, count)| *count > 1).map(|(factor, _)| factor);
        along.chain(self.steps.iter().map(|step| step.stride)).collect()
    }

    /// Whether it is a multiple of `n` in every thread; in a loop, in the first iteration.
    #[must_use]
    pub fn starts_at_multiple_of(self, n: i64) -> bool {
        self.factors().chain([self.constant]).all(|factor| factor % n == 0)
    }

    /// The remainder by `n`, from 0 on, if it is the same in every thread and in every iteration of a loop.
    #[must_use]
    pub fn remainder(self, n: i64) -> Option<i64> {
        let mut steps = self.factors().chain(self.steps.iter().map(|step| step.stride));
        steps.all(|step| step % n == 0).then(|| self.constant.rem_euclid(n))
    }

    /// Itself, rounded down to a multiple of `n` above 0, which differs from thread to thread: the smallest number, and by
    /// how much it may be larger. `None` if it exceeds the type.
    pub(super) fn rounded_down(self, n: i64) -> Option<(Self, usize)> {
        let terms = self.factors().chain(self.steps.iter().map(|step| step.stride));
        // Remainders by `n` differ by multiples of this.
        let apart = terms.fold(n, |divisor, term| greatest_divisor(divisor, (term % n).abs()));
        let most = self.constant.rem_euclid(apart).checked_add(n - apart)?;
        let constant = self.constant.checked_sub(most)?;
        Some((Self { constant, ..self }, (n - apart) as usize))
    }

    /// Whether it is at least 0. That holds in launches of more threads, too: it wraps from hundreds of thousands of threads
    /// along an axis on.
    #[must_use]
    pub fn is_natural(self) -> bool {
        self.constant >= 0 && self.factors().all(|factor| factor >= 0) && self.is_far_from_wrapping()
    }

    /// Whether it takes hundreds of thousands of threads along an axis to make it wrap.
    pub(crate) fn is_far_from_wrapping(self) -> bool {
        let (factor, number) = FAR_FROM_WRAPPING;
        let far = |n: i64, limit: i64| (-limit..=limit).contains(&n);
        !self.short
            && far(self.constant, number)
            && far(self.constant.saturating_add(self.steps.spread()), number)
            && self.factors().all(|n| far(n, factor))
    }

    /// Whether it is one number, the same in every thread.
    pub(crate) fn is_constant(self) -> bool {
        self.steps == Steps::NONE && self.is_uniform()
    }

    /// Whether it has the same numbers in every thread.
    pub(crate) fn is_uniform(self) -> bool {
        self.factors().all(|factor| factor == 0)
    }

    /// The numbers from this one on, up to this number of further steps.
    pub(crate) fn spread_by(self, steps: i64, step: i64) -> Option<Self> {
        let more = steps.checked_mul(step)?;
        let further = Steps::of(step.checked_abs()?, more.checked_abs()?);
        self.add(Self { steps: further, ..Self::constant(more.min(0)) })
    }

    /// Itself, if it is a number of this type in every thread of the grid. A `u32` may be below zero by wrapping,
    /// because coordinates are treated as `i32` in the end.
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
        // Along axes with one thread the range says nothing about the factors.
        if self.factors().any(|factor| i32::try_from(factor).is_err()) {
            return None;
        }
        let short = self.short || (ty.bytes() < DWORD && !self.is_uniform());
        (range.0 <= low && high <= range.1).then_some(Self { short, ..self })
    }

    /// Itself, converted from one type to another.
    pub(crate) fn converted(self, from: ElemType, to: ElemType, grid: Grid) -> Option<Self> {
        let (low, _) = self.range(grid);
        // A wrapped `u32` is another number after a conversion to a wider type.
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
            steps: self.steps.add(&other.steps)?,
            most: match (self.most, other.most) {
                (Some(most), None) if other.is_one_in_group() => Some(most.checked_add(other.constant)?),
                (None, Some(most)) if self.is_one_in_group() => Some(most.checked_add(self.constant)?),
                _ => None,
            },
            short: self.short || other.short,
        })
    }

    pub(crate) fn scaled(self, factor: i64) -> Option<Self> {
        let scaled = |[x, y, z]: [i64; 3]| {
            Some([x.checked_mul(factor)?, y.checked_mul(factor)?, z.checked_mul(factor)?])
        };
        Some(Self {
            group: scaled(self.group)?,
            local: scaled(self.local)?,
            // The largest number becomes the smallest one.
            constant: self
                .constant
                .checked_add(if factor < 0 { self.steps.spread() } else { 0 })?
                .checked_mul(factor)?,
            steps: self.steps.scaled(factor.checked_abs()?)?,
            most: match self.most.filter(|_| factor > 0) {
                Some(most) => Some(most.checked_mul(factor)?),
                None => None,
            },
            short: self.short,
        })
    }

    /// Divided by a constant above 0, if there is no remainder in any thread.
    pub(crate) fn divided(self, by: Self) -> Option<Self> {
        let n = by.constant;
        if !by.is_constant() || n <= 0 || !self.starts_at_multiple_of(n) {
            return None;
        }
        let divided = |factors: [i64; 3]| factors.map(|factor| factor / n);
        let (group, local) = (divided(self.group), divided(self.local));
        let (constant, steps) = (self.constant / n, self.steps.divided(n)?);
        let most = self.most.map(|most| most.div_euclid(n));
        Some(Self { group, local, constant, steps, most, ..self })
    }

    /// Columns and rows of a picture with this pitch: `columns + pitch * rows` has this number. `row` chooses the row of a
    /// number of bytes.
    pub(crate) fn columns_and_rows(self, pitch: i64, row: fn(i64, i64) -> i64) -> (Self, Self) {
        let (whole, rest) = self.steps.multiples(pitch);
        let rows = |[x, y, z]: [i64; 3]| [row(x, pitch), row(y, pitch), row(z, pitch)];
        let rows = Self {
            group: rows(self.group),
            local: rows(self.local),
            constant: row(self.constant, pitch),
            steps: whole,
            most: None,
            short: self.short,
        };
        let columns =
            |[x, y, z]: [i64; 3], [a, b, c]: [i64; 3]| [x - a * pitch, y - b * pitch, z - c * pitch];
        let columns = Self {
            group: columns(self.group, rows.group),
            local: columns(self.local, rows.local),
            constant: self.constant - rows.constant * pitch,
            steps: rest,
            most: None,
            short: self.short,
        };
        (columns, rows)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_numbers_have_no_negative_parts() {
        let x = |factor: i64, constant: i64| Affine { constant, ..Affine::group(0).scaled(factor).unwrap() };
        assert!(x(48, 0).is_natural() && x(0, 5).is_natural() && x(1 << 11, 1).is_natural());
        assert!(x(1, 1 << 30).is_natural() && !x(1, 1 << 31).is_natural());
        assert!(!x(48, -1).is_natural() && !x(-1, 5).is_natural() && !x(1 << 12, 0).is_natural());
    }

    /// What is rounded down is between the two numbers, and these are as close as possible.
    #[test]
    fn numbers_are_rounded_down() {
        let mut random = crate::interpret::cases::RandomNumbers::new();
        for _ in 0..2000 {
            let mut pick = |from: &[i64]| from[random.next() as usize % from.len()];
            let n = pick(&[1, 4, 16]);
            let numbers = &[0, 1, 3, 4, 8, 12, 16, 24, 32, 100, -4, -16, -24];
            let (a, b, step) = (pick(numbers), pick(numbers), pick(&[0, 2, 4, 16, 20]));
            let number = Affine { group: [a, 0, 0], local: [b, 0, 0], ..Affine::constant(pick(numbers)) };
            let number = number.spread_by(3, step).unwrap();
            let (lowest, more) = number.rounded_down(n).unwrap();
            assert_eq!(Affine { constant: 0, ..lowest }, Affine { constant: 0, ..number });
            let mut found = std::collections::BTreeSet::new();
            for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
                for at in number.steps.numbers().iter().map(|step| step + a * x + b * y) {
                    let rounded = (number.constant + at) & !(n - 1);
                    found.insert(rounded - (lowest.constant + at));
                }
            }
            let (first, last) = (found.first().unwrap(), found.last().unwrap());
            assert!(*first >= 0 && *last <= more as i64, "{number:?} {n}");
            // A few rounds of a loop do not have all remainders.
            assert!(step != 0 || (*first, *last) == (0, more as i64), "{number:?} {n}");
        }
    }

    /// A factor of an axis with one thread may be any number of 32 bits.
    #[test]
    fn factors_have_32_bits() {
        let grid = Grid::single([8, 1, 1]);
        let y = |factor: i64| Affine::group(1).scaled(factor).unwrap().of_type(ElemType::I32, grid);
        assert!(y(i32::MIN.into()).is_some() && y(1 << 31).is_none() && y(-1 << 40).is_none());
    }

    /// 16 bits are enough for the largest thread space, and not for larger launches of groups.
    #[test]
    fn numbers_from_16_bits_are_not_natural() {
        let grid = Grid::single([2047, 1, 1]);
        let x = Affine::group(0).scaled(16).unwrap();
        let short = x.of_type(ElemType::I16, grid).unwrap();
        assert!(x.is_natural() && !short.is_natural() && !short.add(x).unwrap().is_natural());
        assert_eq!(short.remainder(16), Some(0));
        assert!(Affine::constant(5).of_type(ElemType::I16, grid).unwrap().is_natural());
    }
}
