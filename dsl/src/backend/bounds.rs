//! What integers lie between: the results of operators in a tree, without a look at the elements.

use crate::elem::Elem;
use crate::ops::{BinaryOp, MapKind};

/// The smallest and the largest number that elements can be. For floats, and integers of 64 bits, all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    low: i64,
    high: i64,
}

impl Bounds {
    const ALL: Self = Self { low: i64::MIN, high: i64::MAX };

    /// Those of all elements `T`.
    #[inline(always)]
    #[must_use]
    pub const fn of<T: Elem>() -> Self {
        if T::FLOAT || T::TYPE.bytes() > 4 {
            Self::ALL
        } else {
            Self { low: T::RANGE.0 as i64, high: T::RANGE.1 as i64 }
        }
    }

    /// Those of one number.
    #[inline(always)]
    #[must_use]
    pub fn number<T: Elem>(x: T) -> Self {
        if const { T::FLOAT || T::TYPE.bytes() > 4 } {
            return Self::ALL;
        }
        let x = num_traits::AsPrimitive::<i64>::as_(x);
        Self { low: x, high: x }
    }

    /// Whether all are numbers of `T`.
    #[inline(always)]
    #[must_use]
    pub fn within<T: Elem>(self) -> bool {
        let all = Self::of::<T>();
        !T::FLOAT && all.low <= self.low && self.high <= all.high
    }

    /// Those of elements `T` that these have been converted to.
    #[inline(always)]
    #[must_use]
    pub fn converted<T: Elem>(self) -> Self {
        if self.within::<T>() { self } else { Self::of::<T>() }
    }

    /// Those of the results of `O` between such elements.
    #[inline(always)]
    #[must_use]
    pub fn combined<O: BinaryOp<P>, P: Elem>(self, other: Self) -> Self {
        let (a, b) = (self.converted::<P>(), other.converted::<P>());
        if a == Self::ALL || b == Self::ALL {
            return Self::of::<O::Output>();
        }
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
            _ => Self::of::<O::Output>(),
        };
        results.converted::<O::Output>()
    }
}
