//! `for i in a..b`: unrolled over host bounds, a loop of the kernel over staged bounds.

use std::marker::PhantomData;

use cm_compiler::limits;
use cm_macros::{inlined, op};

use crate::backend::{Backend, binary, merge, require};
use crate::elem::{Elem, HostInteger, Int, Promote};
use crate::limits::Violation;
use crate::ops::{Add, Gt, Lt, Sub};
use crate::registers::Scalar;

/// The end of a range; the loop variable has its type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot bound a loop",
    label = "not an integer",
    note = "ranges run over host integers (the loop unrolls) or staged integers (the loop is recorded)"
)]
pub trait Bound<B: Backend>: Copy {
    /// The values of the loop variable, one per iteration.
    type State: Iterator<Item = Self>;
    /// Called before the first iteration.
    #[track_caller]
    fn begin(start: Self, end: Self) -> Self::State;
    /// The same, with the distance of neighbouring values.
    #[track_caller]
    fn begin_by(start: Self, end: Self, step: Self) -> Self::State;
    /// The sum of the first and the last value of a range without a step, which may wrap.
    #[track_caller]
    fn ends(start: Self, end: Self) -> Self;
    /// The value that is as far from the last one as `value` is from the first one.
    #[track_caller]
    fn opposite(ends: Self, value: Self) -> Self;
}

/// A start, or a step, that goes with an end of type `T`.
#[diagnostic::on_unimplemented(
    message = "a range of `{T}` cannot start at `{Self}`, or have such steps",
    label = "different kinds of bounds",
    note = "if the end is a host integer, the start and the steps are host integers too: `let end: i32 = end;` makes \
            a staged number of it",
    note = "if it is staged, they are numbers or have its type: `x.convert::<u32>()` changes a staged one"
)]
pub trait IntoBound<T> {
    /// The number as a `T`.
    #[track_caller]
    fn into_bound(self) -> T;
    /// The number, if it is a host integer.
    #[inlined]
    fn host(&self) -> Option<i128> {
        None
    }
    /// `T` has the number.
    ///
    /// # Errors
    /// If it is a host integer that `T` lacks.
    #[inlined]
    fn fits(&self) -> Result<(), Violation> {
        Ok(())
    }
}

/// A start, an end or a step as a `T`, which has the number.
#[op]
fn bound<B: Backend, T, S: IntoBound<T>>(number: S) -> T {
    require::<B>(number.fits());
    number.into_bound()
}

/// The iterations of a `for` loop. The type of the variable, `T`, is known before that of the state, `T::State`.
/// A bound of `T` here would report a mistake in the range twice.
#[derive(Debug)]
pub struct Steps<T, B, S> {
    state: S,
    bound: PhantomData<(T, B)>,
}

/// `start..end`.
#[op]
pub fn range<B: Backend, S: IntoBound<T>, T: Bound<B>>(start: S, end: T) -> Steps<T, B, T::State> {
    Steps { state: T::begin(bound::<B, T, S>(start), end), bound: PhantomData }
}

/// `(start..end).step_by(step)`. A host step is positive. With a staged one that is not, the loop ends after its first
/// iteration.
#[op]
pub fn range_by<B: Backend, S: IntoBound<T>, T: Bound<B>, D: IntoBound<T>>(
    start: S,
    end: T,
    step: D,
) -> Steps<T, B, T::State> {
    if let Some(step) = step.host() {
        require::<B>(limits::step(step));
    }
    let (start, step) = (bound::<B, T, S>(start), bound::<B, T, D>(step));
    Steps { state: T::begin_by(start, end, step), bound: PhantomData }
}

/// `(start..end).rev()`. It counts upwards, so that what is known of counters holds for it.
#[op]
pub fn range_back<B: Backend, S: IntoBound<T>, T: Bound<B>>(start: S, end: T) -> Back<T, B, T::State> {
    let start = bound::<B, T, S>(start);
    Back { ends: T::ends(start, end), steps: Steps { state: T::begin(start, end), bound: PhantomData } }
}

/// `(start..end).rev().step_by(step)`, with the steps of [`range_by`].
#[op]
pub fn range_back_by<B: Backend, S: IntoBound<T>, T: Bound<B>, D: IntoBound<T>>(
    start: S,
    end: T,
    step: D,
) -> Back<T, B, T::State> {
    let start = bound::<B, T, S>(start);
    Back { ends: T::ends(start, end), steps: range_by::<B, _, T, D>(Bounded(start), end, step) }
}

/// A start that has the type of the end.
struct Bounded<T>(T);

impl<T> IntoBound<T> for Bounded<T> {
    #[inlined]
    fn into_bound(self) -> T {
        self.0
    }
}

/// The iterations of a range from its end to its start.
#[derive(Debug)]
pub struct Back<T, B, S> {
    steps: Steps<T, B, S>,
    /// The sum of the first and the last value.
    ends: T,
}

impl<T: Bound<B>, B: Backend, S: Iterator<Item = T>> Iterator for Back<T, B, S> {
    type Item = T;

    #[op]
    fn next(&mut self) -> Option<T> {
        let value = self.steps.next()?;
        Some(T::opposite(self.ends, value))
    }
}

/// The start of a range whose end, an `E`, is a host number as far as syntax shows. A mistake has the message of
/// [`IntoBound`].
pub trait RangeStart<E> {
    /// The type of the loop variable.
    type Variable;
}

#[diagnostic::do_not_recommend]
impl<S: HostInteger, E> RangeStart<E> for S {
    type Variable = E;
}

#[doc(hidden)]
impl<T: Elem, E, B: Backend> RangeStart<E> for Scalar<T, B> {
    type Variable = Self;
}

/// The end of a range: of the type of a staged start, else as it is.
#[op]
pub fn bound_from<B: Backend, S: RangeStart<E>, E: IntoBound<S::Variable>>(_: &S, end: E) -> S::Variable {
    bound::<B, S::Variable, E>(end)
}

/// The end of a range that has the type of its start.
#[op]
pub fn bound_like<B: Backend, T: Copy, E: IntoBound<T>>(_: &T, end: E) -> T {
    bound::<B, T, E>(end)
}

/// The end of a range that includes it.
#[diagnostic::on_unimplemented(
    message = "`a..=b` takes host integers, not `{Self}`",
    label = "not a host integer",
    note = "write `a..b + 1` for a number of the kernel"
)]
pub trait LastBound: Copy {}

/// `start..=end`, over host bounds.
#[op]
pub fn range_inclusive<B: Backend, S: IntoBound<T>, T: LastBound>(
    start: S,
    end: T,
) -> Steps<T, B, HostInclusive<T, B>> {
    let range = bound::<B, T, S>(start)..=end;
    Steps { state: HostInclusive { range, backend: PhantomData }, bound: PhantomData }
}

/// A loop over host integers, the end included.
#[derive(Debug)]
pub struct HostInclusive<T, B> {
    range: std::ops::RangeInclusive<T>,
    backend: PhantomData<B>,
}

impl<T, B, S: Iterator<Item = T>> Iterator for Steps<T, B, S> {
    type Item = T;

    #[op]
    fn next(&mut self) -> Option<T> {
        self.state.next()
    }
}

/// The iterations of a loop inside SIMD control flow, where loops are unrolled.
#[diagnostic::on_unimplemented(
    message = "a loop inside SIMD control flow has host bounds",
    label = "a bound that is known only when the kernel runs",
    note = "the loop is unrolled: `for i in 0..4 {{ acc[i] += 1; }}`; lanes that take different numbers of rounds are a \
            `simd_while!`, and a loop that all lanes take the same number of times surrounds the SIMD control flow"
)]
pub trait Unrolled: Iterator {}

impl<T, B> Unrolled for Steps<T, B, HostRange<T, B>> where HostRange<T, B>: Iterator<Item = T> {}

impl<T, B> Unrolled for Steps<T, B, HostInclusive<T, B>> where HostInclusive<T, B>: Iterator<Item = T> {}

impl<T: Bound<B>, B: Backend> Unrolled for Back<T, B, HostRange<T, B>> where
    HostRange<T, B>: Iterator<Item = T>
{
}

/// `a..b` of a loop inside SIMD control flow.
#[inlined]
pub fn unrolled<I: Unrolled>(steps: I) -> I {
    steps
}

/// A loop over host integers that are `step` apart.
#[derive(Debug)]
pub struct HostRange<T, B> {
    range: std::ops::Range<T>,
    step: T,
    backend: PhantomData<B>,
}

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl<B: Backend> Bound<B> for $t {
            type State = HostRange<$t, B>;
            #[inlined]
            fn begin(start: $t, end: $t) -> HostRange<$t, B> {
                Self::begin_by(start, end, 1)
            }
            #[inlined]
            fn begin_by(start: $t, end: $t, step: $t) -> HostRange<$t, B> {
                HostRange { range: start..end, step, backend: PhantomData }
            }
            #[inlined]
            fn ends(start: $t, end: $t) -> $t {
                start.wrapping_add(end).wrapping_sub(1)
            }
            #[inlined]
            fn opposite(ends: $t, value: $t) -> $t {
                ends.wrapping_sub(value)
            }
        }

        impl LastBound for $t {}

        impl<B: Backend> Iterator for HostInclusive<$t, B> {
            type Item = $t;
            #[op]
            fn next(&mut self) -> Option<$t> {
                B::host_round();
                self.range.next()
            }
        }

        impl<B: Backend> Iterator for HostRange<$t, B> {
            type Item = $t;
            #[op]
            fn next(&mut self) -> Option<$t> {
                B::host_round();
                let now = self.range.start;
                (now < self.range.end).then(|| {
                    let next = now.checked_add(self.step).filter(|next| *next > now);
                    self.range.start = next.unwrap_or(self.range.end);
                    now
                })
            }
        }
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize }

#[diagnostic::do_not_recommend]
impl<S: HostInteger, T: HostInteger> IntoBound<T> for S {
    #[inlined]
    fn into_bound(self) -> T {
        T::wrap(self.to_i128())
    }
    #[inlined]
    fn host(&self) -> Option<i128> {
        Some(self.to_i128())
    }
    #[inlined]
    fn fits(&self) -> Result<(), Violation> {
        limits::integer(self.to_i128(), T::LIMITS)
    }
}

#[diagnostic::do_not_recommend]
impl<S: HostInteger, T: Elem, B: Backend> IntoBound<Scalar<T, B>> for S {
    #[op]
    fn into_bound(self) -> Scalar<T, B> {
        Scalar::constant(T::cast_from(i64::wrap(self.to_i128())))
    }
    #[inlined]
    fn host(&self) -> Option<i128> {
        Some(self.to_i128())
    }
    #[inlined]
    fn fits(&self) -> Result<(), Violation> {
        limits::integer(self.to_i128(), T::RANGE)
    }
}

// `Bound` already reports bounds that are not integers; a bound here would report them again.
macro_rules! floats {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoBound<$t> for $t {
            #[inlined]
            fn into_bound(self) -> $t {
                self
            }
        }
    )*};
}

floats! { f32 f64 }

#[doc(hidden)]
impl<T: Elem, B: Backend> IntoBound<Scalar<T, B>> for Scalar<T, B> {
    #[inlined]
    fn into_bound(self) -> Self {
        self
    }
}

/// A staged loop: its variable, its end, and the state of the backend.
#[derive(Debug)]
pub struct StagedRange<T: Elem, B: Backend> {
    variable: Scalar<T, B>,
    end: Scalar<T, B>,
    /// Set if it is not 1.
    step: Option<Scalar<T, B>>,
    state: B::Loop,
    first: bool,
}

#[doc(hidden)]
impl<T: Int + Promote<T>, B: Backend> Bound<B> for Scalar<T, B> {
    type State = StagedRange<T, B>;

    #[op]
    fn begin(start: Self, end: Self) -> StagedRange<T, B> {
        let variable = Scalar::from_reg(B::variable(start.into_reg()));
        StagedRange { variable, end, step: None, state: B::begin_loop(), first: true }
    }

    #[op]
    fn begin_by(start: Self, end: Self, step: Self) -> StagedRange<T, B> {
        StagedRange { step: Some(step), ..Self::begin(start, end) }
    }

    #[op]
    fn ends(start: Self, end: Self) -> Self {
        let one = B::constant([[T::cast_from(1u8)]]);
        let last = binary::<B, Sub, T, 1, 1>(end.into_reg(), one);
        Scalar::from_reg(binary::<B, Add, T, 1, 1>(start.into_reg(), last))
    }

    #[op]
    fn opposite(ends: Self, value: Self) -> Self {
        Scalar::from_reg(binary::<B, Sub, T, 1, 1>(ends.into_reg(), value.into_reg()))
    }
}

impl<T: Int + Promote<T>, B: Backend> Iterator for StagedRange<T, B> {
    type Item = Scalar<T, B>;

    #[op]
    fn next(&mut self) -> Option<Scalar<T, B>> {
        // Still at the end of the body of the previous iteration.
        if !std::mem::take(&mut self.first) {
            let next = match self.step {
                Some(step) => {
                    let now = B::load(self.variable.reg_mut());
                    // A sum that wraps is smaller: the loop ends, as Rust's does. So does one whose step is 0.
                    let next = binary::<B, Add, T, 1, 1>(now, step.into_reg());
                    let more = binary::<B, Gt, T, 1, 1>(next, now);
                    merge::<B, u16, T, 1, 1>(more, next, self.end.into_reg())
                }
                None => {
                    let one = B::constant([[T::cast_from(1u8)]]);
                    binary::<B, Add, T, 1, 1>(B::load(self.variable.reg_mut()), one)
                }
            };
            B::store(self.variable.reg_mut(), next);
        }
        if !B::enter_loop(&mut self.state) {
            return None;
        }
        let now = B::load(self.variable.reg_mut());
        let more = B::any(binary::<B, Lt, T, 1, 1>(now, self.end.into_reg()));
        B::test_loop(&mut self.state, more).then(|| Scalar::from_reg(now))
    }
}
