//! The numbers that a place takes in the iterations of loops, and for the elements of a vector.

/// A set of numbers from 0 on: all sums of one multiple of each stride, from 0 up to a largest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Steps {
    /// The used strides come first, the shortest of them first.
    all: [Step; MOST],
    count: usize,
}

/// The multiples of a stride, which is above 0, from 0 up to `spread`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) stride: i64,
    pub(crate) spread: i64,
}

/// The number of strides that are distinguished. If there are more, the shortest are combined.
const MOST: usize = 4;

impl Steps {
    /// Only 0.
    pub(crate) const NONE: Self = Self { all: [Step { stride: 0, spread: 0 }; MOST], count: 0 };

    /// The multiples of a stride of 0 or more up to `spread`, which is one of them.
    pub(crate) fn of(stride: i64, spread: i64) -> Self {
        Self::of_all(if spread > 0 { vec![Step { stride, spread }] } else { vec![] })
    }

    /// The sums of the multiples of these strides.
    fn of_all(mut all: Vec<Step>) -> Self {
        all.sort_unstable_by_key(|step| step.stride);
        // Multiples that continue those of a shorter stride without a gap are multiples of the shorter stride.
        let continued = |all: &[Step]| {
            all.windows(2).position(|pair| {
                let reached = pair[0].spread.saturating_add(pair[0].stride);
                pair[1].stride % pair[0].stride == 0 && pair[1].stride <= reached
            })
        };
        while let Some(at) = continued(&all).or((all.len() > MOST).then_some(0)) {
            let longer = all.remove(at + 1);
            all[at].stride = greatest_divisor(all[at].stride, longer.stride);
            all[at].spread += longer.spread;
        }
        let mut steps = Self { count: all.len(), ..Self::NONE };
        steps.all[..all.len()].copy_from_slice(&all);
        steps
    }

    /// The strides, the shortest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Step> + '_ {
        self.all[..self.count].iter().copied()
    }

    /// All of them.
    #[cfg(test)]
    pub(crate) fn numbers(&self) -> std::collections::BTreeSet<i64> {
        self.iter().fold([0].into(), |all, Step { stride, spread }| {
            all.iter().flat_map(|n| (0..=spread / stride).map(move |k| n + k * stride)).collect()
        })
    }

    /// The largest number.
    pub(crate) fn spread(&self) -> i64 {
        // Sums that exceed the type are not made.
        self.iter().map(|step| step.spread).sum()
    }

    /// The sums of a number of each set; `None` if they exceed the type.
    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        self.spread().checked_add(other.spread())?;
        Some(if other.count == 0 { *self } else { Self::of_all(self.iter().chain(other.iter()).collect()) })
    }

    /// The numbers, times a factor of 0 or more; `None` if they exceed the type.
    pub(crate) fn scaled(&self, factor: i64) -> Option<Self> {
        if factor == 0 { Some(Self::NONE) } else { self.mapped(|number| number.checked_mul(factor)) }
    }

    /// The numbers, divided by `n`, if all are multiples of it.
    pub(crate) fn divided(&self, n: i64) -> Option<Self> {
        self.mapped(|number| (number % n == 0).then_some(number / n))
    }

    /// Each stride and its largest multiple, changed in the same way. The order of strides does not change.
    fn mapped(&self, changed: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        let mut all = *self;
        for step in &mut all.all[..self.count] {
            *step = Step { stride: changed(step.stride)?, spread: changed(step.spread)? };
        }
        all.iter().try_fold(0_i64, |sum, step| sum.checked_add(step.spread))?;
        Some(all)
    }

    /// The strides that are multiples of `n`, divided by it; and the others.
    pub(crate) fn multiples(&self, n: i64) -> (Self, Self) {
        let (whole, rest): (Vec<_>, Vec<_>) = self.iter().partition(|step| step.stride % n == 0);
        let divided = whole.iter().map(|step| Step { stride: step.stride / n, spread: step.spread / n });
        (Self::of_all(divided.collect()), Self::of_all(rest))
    }
}

pub(super) fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::interpret::cases::RandomNumbers;

    fn sums(a: &BTreeSet<i64>, b: &BTreeSet<i64>) -> BTreeSet<i64> {
        a.iter().flat_map(|n| b.iter().map(move |m| n + m)).collect()
    }

    /// Combined strides have all numbers, and no others if there are few strides.
    #[test]
    fn steps_have_all_sums() {
        let mut random = RandomNumbers::new();
        let (mut shortened, mut combined) = (0, 0);
        for _ in 0..3000 {
            let mut pick = |from: &[i64]| from[random.next() as usize % from.len()];
            let single: Vec<Step> = (0..pick(&[1, 2, 3, 6]))
                .map(|_| {
                    let stride = pick(&[1, 4, 6, 16, 24, 100]);
                    Step { stride, spread: stride * pick(&[1, 2, 3]) }
                })
                .collect();
            let mut all = Steps::NONE;
            for step in &single {
                all = all.add(&Steps::of(step.stride, step.spread)).expect("small numbers");
            }
            let expected = single.iter().fold([0].into(), |expected, step| {
                sums(&expected, &Steps::of(step.stride, step.spread).numbers())
            });
            let found = all.numbers();
            assert!(found.is_superset(&expected), "{single:?} {all:?}");
            assert_eq!(Some(&all.spread()), expected.last());
            if single.len() <= MOST {
                assert_eq!(found, expected, "{single:?} {all:?}");
                shortened += usize::from(all.count < single.len());
            } else {
                combined += usize::from(found != expected);
            }
            let (whole, rest) = all.multiples(4);
            let whole = whole.numbers().iter().map(|n| n * 4).collect();
            assert!(sums(&whole, &rest.numbers()).is_superset(&found), "{all:?}");
            assert_eq!(all.scaled(8).and_then(|more| more.divided(8)), Some(all));
        }
        assert!(shortened > 100 && combined > 100, "{shortened} {combined}");
        assert_eq!(Steps::of(4, 8).scaled(0), Some(Steps::NONE));
        assert_eq!(Steps::of(4, i64::MAX - 3).add(&Steps::of(4, 4)), None);
    }
}
