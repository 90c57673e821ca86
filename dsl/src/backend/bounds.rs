//! The range of integers that a tree of operators can produce, known without its elements.

use cm_macros::inlined;

use crate::elem::{Convert, Elem, is_long};
use crate::ops::{BinaryOp, MapKind};

/// The smallest and the largest number that elements can be; all of `i64` for floats and integers of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    low: i64,
    high: i64,
}

impl Bounds {
    /// Those of elements of which nothing is known.
    pub(crate) const ALL: Self = Self { low: i64::MIN, high: i64::MAX };

    /// Whether the bounds of elements `T` are known.
    const fn are_known<T: Elem>() -> bool {
        !T::FLOAT && T::TYPE.bytes() <= 4
    }

    /// Those of all elements `T`.
    #[inlined]
    #[must_use]
    pub const fn of<T: Elem>() -> Self {
        if Self::are_known::<T>() {
            Self { low: T::RANGE.0 as i64, high: T::RANGE.1 as i64 }
        } else {
            Self::ALL
        }
    }

    /// Those of one number.
    #[inlined]
    #[must_use]
    pub fn number<T: Elem>(x: T) -> Self {
        if const { !Self::are_known::<T>() } {
            return Self::ALL;
        }
        let x = num_traits::AsPrimitive::<i64>::as_(x);
        Self { low: x, high: x }
    }

    /// Those of the sum of nothing.
    pub(crate) const ZERO: Self = Self { low: 0, high: 0 };

    /// Those of a sum, or of a difference.
    #[inlined]
    #[must_use]
    pub(crate) const fn added(self, other: Self, subtracts: bool) -> Self {
        let (low, high) = if subtracts {
            (other.high.saturating_neg(), other.low.saturating_neg())
        } else {
            (other.low, other.high)
        };
        Self { low: self.low.saturating_add(low), high: self.high.saturating_add(high) }
    }

    /// Whether all are numbers of `T`, an integer of up to 32 bits.
    #[inlined]
    #[must_use]
    pub fn within<T: Elem>(self) -> bool {
        let all = Self::of::<T>();
        (const { Self::are_known::<T>() }) && all.low <= self.low && self.high <= all.high
    }

    /// The only number between them, if it is one of `T`.
    #[inlined]
    #[must_use]
    pub(crate) fn only<T: Elem>(self) -> Option<T> {
        (self.low == self.high && self.within::<T>()).then(|| T::from_i128(self.low.into()))
    }

    /// Those of elements `T` that these have been converted to.
    #[inlined]
    #[must_use]
    pub fn converted<T: Elem>(self) -> Self {
        if self.within::<T>() { self } else { Self::of::<T>() }
    }

    /// Those of the results of `O` between such elements.
    #[inlined]
    #[must_use]
    pub fn combined<O: BinaryOp<P>, P: Elem>(self, other: Self) -> Self {
        if const { O::KIND.class().is_comparison() } {
            return Self { low: 0, high: 1 };
        }
        if const { !Self::are_known::<P>() } {
            return Self::of::<O::Output>();
        }
        let (a, b) = (self.converted::<P>(), other.converted::<P>());
        // All of these are numbers of 32 bits, so sums and differences are numbers of 64. Products of unsigned ones may not
        // be, and saturate: they are no numbers of 32 bits then either.
        let results = match const { O::KIND } {
            MapKind::Add => Self { low: a.low + b.low, high: a.high + b.high },
            MapKind::Sub => Self { low: a.low - b.high, high: a.high - b.low },
            MapKind::Mul => {
                let ends = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                let ends = ends.map(|(x, y)| x.saturating_mul(y));
                Self {
                    low: ends[0].min(ends[1]).min(ends[2].min(ends[3])),
                    high: ends[0].max(ends[1]).max(ends[2].max(ends[3])),
                }
            }
            MapKind::Convert => a,
            MapKind::Min => Self { low: a.low.min(b.low), high: a.high.min(b.high) },
            MapKind::Max => Self { low: a.low.max(b.low), high: a.high.max(b.high) },
            MapKind::Avg => Self { low: (a.low + b.low + 1) >> 1, high: (a.high + b.high + 1) >> 1 },
            MapKind::Abs => {
                let (low, high) = (a.low.abs(), a.high.abs());
                let least = if (a.low ^ a.high) < 0 { 0 } else { low.min(high) };
                Self { low: least, high: low.max(high) }
            }
            MapKind::Shr if b.low == b.high => {
                Self { low: a.low >> (b.low & 31), high: a.high >> (b.low & 31) }
            }
            MapKind::Div if b.low == b.high && b.low > 0 => Self { low: a.low / b.low, high: a.high / b.low },
            _ => Self::of::<O::Output>(),
        };
        results.converted::<O::Output>()
    }

    /// Converts a number between these bounds to 16 bits and back, if they fit 16 bits. Its value does not change, but the
    /// compiler then knows that it is short. Otherwise it computes in 32 bits what is shifted to the right, divided, or an
    /// operand of a function.
    #[inlined]
    #[must_use]
    pub fn through_words<T: Elem>(self, x: T) -> T {
        if self.within::<u16>() {
            T::cast_from(u16::cast_from(x))
        } else if self.within::<i16>() {
            T::cast_from(i16::cast_from(x))
        } else {
            x
        }
    }

    /// Whether the left operands of `O` go through words.
    #[must_use]
    pub const fn pass_words<O: BinaryOp<P>, P: Elem>() -> bool {
        matches!(O::KIND, MapKind::Shr | MapKind::Div | MapKind::Abs) && is_long::<P>()
    }

    /// Whether the results of `O` lie between its operands.
    #[must_use]
    pub const fn lies_between<O: BinaryOp<P>, P: Elem>() -> bool {
        matches!(O::KIND, MapKind::Min | MapKind::Max | MapKind::Avg) && is_long::<P>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    /// The bounds of `O` between `i32` are those of all its results on these numbers.
    fn check<O: BinaryOp<i32, Output = i32>>([a, b]: [i64; 2], [c, d]: [i64; 2]) {
        let found = Bounds { low: a, high: b }.combined::<O, i32>(Bounds { low: c, high: d });
        let all = (a..=b).flat_map(|x| (c..=d).map(move |y| (x as i32, y as i32)));
        let results: Vec<i64> = all.map(|(x, y)| i64::from(O::apply(x, y))).collect();
        let (low, high) = (results.iter().min().copied(), results.iter().max().copied());
        assert_eq!((Some(found.low), Some(found.high)), (low, high), "{a}..={b} {:?} {c}..={d}", O::KIND);
    }

    #[test]
    fn sums_have_the_bounds_of_all_parts() {
        let (a, b) = (Bounds { low: -3, high: 9 }, Bounds { low: 2, high: 5 });
        assert_eq!(a.added(b, false), Bounds { low: -1, high: 14 });
        assert_eq!(a.added(b, true), Bounds { low: -8, high: 7 });
        assert_eq!(Bounds::ZERO.added(Bounds::ALL, true), Bounds { low: -i64::MAX, high: i64::MAX });
        assert!(!a.added(Bounds::ALL, false).within::<i16>());
    }

    #[test]
    fn bounds_are_those_of_the_results() {
        for left in [[0, 255], [-7, 9], [-30, -20], [3, 3]] {
            for right in [[0, 255], [-128, 127], [-5, -5], [2, 4]] {
                check::<ops::Add>(left, right);
                check::<ops::Sub>(left, right);
                check::<ops::Mul>(left, right);
                check::<ops::Min>(left, right);
                check::<ops::Max>(left, right);
                check::<ops::Avg>(left, right);
            }
            // These are sizes of the left numbers.
            check::<ops::As<ops::OfFirst<ops::Abs>, i32, false>>(left, [0, 0]);
            for number in [1, 3, 31, 32, -1] {
                check::<ops::Shr>(left, [number, number]);
            }
            for number in [1, 3, 31] {
                check::<ops::Div>(left, [number, number]);
            }
        }
    }

    #[test]
    fn only_numbers_are_those_of_the_type() {
        assert_eq!(Bounds::number(200_i32).only(), Some(200_u8));
        assert_eq!(Bounds::number(-3_i32).only(), Some(-3_i8));
        assert_eq!((Bounds::number(256_i32).only::<u8>(), Bounds::number(-1_i32).only::<u8>()), (None, None));
        assert_eq!((Bounds::of::<u8>().only::<u8>(), Bounds::number(1.0_f32).only::<u8>()), (None, None));
    }

    #[test]
    fn numbers_that_went_through_words_are_the_same() {
        for x in [-40_000, -32_768, -1, 0, 255, 32_767, 65_535, 65_536, i32::MAX] {
            for (low, high) in [(-32_768, 32_767), (0, 65_535), (-1, 65_535), (i32::MIN, i32::MAX)] {
                if (low..=high).contains(&x) {
                    let bounds = Bounds { low: i64::from(low), high: i64::from(high) };
                    assert_eq!(bounds.through_words(x), x, "{low}..={high}");
                }
            }
        }
    }

    #[test]
    fn what_may_wrap_or_is_not_known_has_all_numbers() {
        let (bytes, ints) = (Bounds::of::<u8>(), Bounds::of::<i32>());
        assert!(bytes.within::<i16>() && !bytes.within::<i8>() && !ints.within::<i16>());
        assert_eq!(ints.combined::<ops::Add, i32>(bytes), ints);
        assert_eq!(Bounds::number(70_000).combined::<ops::Mul, i32>(Bounds::number(70_000)), ints);
        let unsigned = Bounds::of::<u32>();
        assert_eq!(bytes.combined::<ops::Sub, u32>(bytes), unsigned);
        // The largest product is no `i64`.
        assert_eq!(unsigned.combined::<ops::Mul, u32>(unsigned), unsigned);
        assert_eq!(ints.combined::<ops::Lt, i32>(bytes), Bounds { low: 0, high: 1 });
        assert_eq!(Bounds::ALL.combined::<ops::Ge, f32>(Bounds::ALL), Bounds { low: 0, high: 1 });
        assert_eq!(bytes.combined::<ops::Shl, i32>(bytes), ints);
        // The size of the smallest number is none of `i32`.
        type Size = ops::As<ops::OfFirst<ops::Abs>, i32, false>;
        assert_eq!(ints.combined::<Size, i32>(bytes), ints);
        let limited = Bounds { low: -300, high: 300 }.combined::<ops::As<ops::Max, u8, false>, i32>(bytes);
        assert_eq!(limited, bytes);
        type Word = ops::As<ops::OfFirst<ops::Convert>, i16, false>;
        assert_eq!(Bounds::of::<u8>().combined::<Word, u8>(ints), Bounds::of::<u8>());
        assert_eq!(ints.combined::<Word, i32>(bytes), Bounds::of::<i16>());
        assert_eq!(bytes.combined::<ops::Shr, i32>(bytes), ints);
        assert_eq!(bytes.combined::<ops::Div, i32>(bytes), ints);
        assert_eq!(bytes.combined::<ops::Div, i32>(Bounds::number(0)), ints);
        assert_eq!(
            unsigned.combined::<ops::Shr, u32>(Bounds::number(16_u32)),
            Bounds { low: 0, high: 65_535 }
        );
        assert_eq!(Bounds::number(1.5_f32), Bounds::ALL);
        assert_eq!(Bounds::of::<i64>(), Bounds::number(1_i64));
        assert_eq!(unsigned.converted::<u64>(), Bounds::ALL);
        assert!(!bytes.within::<u64>());
        assert_eq!(Bounds::of::<f32>().converted::<u8>(), bytes);
        assert!(!Bounds::of::<f32>().within::<i16>() && !bytes.within::<f32>());
        assert_eq!(Bounds::number(u32::MAX), Bounds { low: u32::RANGE.1 as i64, high: u32::RANGE.1 as i64 });
    }
}
