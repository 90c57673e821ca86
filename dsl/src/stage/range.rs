//! `for i in a..b`: unrolls over host bounds, is a loop of the kernel over staged ones.

use std::marker::PhantomData;

use cm_macros::op;

use crate::backend::{Backend, binary};
use crate::elem::{Elem, HostInteger, Int, Promote};
use crate::ops::Lt;
use crate::registers::Scalar;

/// The end of a range; the loop variable has its type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot bound a loop",
    label = "not an integer",
    note = "ranges run over host integers (the loop unrolls) or staged integers (the loop is recorded)"
)]
pub trait Bound<B: Backend>: Copy {
    /// The state of the loop.
    type State;
    /// Before the first round.
    #[track_caller]
    fn begin(start: Self, end: Self) -> Self::State;
    /// The next value of the loop variable.
    #[track_caller]
    fn step(state: &mut Self::State) -> Option<Self>;
}

/// A start that goes with an end of type `T`.
#[diagnostic::on_unimplemented(
    message = "a range cannot start at `{Self}` and end at `{T}`",
    label = "different kinds of bounds",
    note = "both bounds are host integers or both are staged; `x.convert::<u32>()` changes a staged one"
)]
pub trait IntoBound<T> {
    /// The start as a `T`.
    #[track_caller]
    fn into_bound(self) -> T;
}

/// The rounds of a `for` loop. `S` is the state, `T::State`: a bound here would report once more what cannot
/// bound a loop.
#[derive(Debug)]
pub struct Steps<T, B, S> {
    state: S,
    bound: PhantomData<(T, B)>,
}

/// `start..end`.
#[op]
pub fn range<B: Backend, S: IntoBound<T>, T: Bound<B>>(start: S, end: T) -> Steps<T, B, T::State> {
    Steps { state: T::begin(start.into_bound(), end), bound: PhantomData }
}

/// `start..=end`, over host bounds.
#[inline(always)]
pub fn range_inclusive<S: IntoBound<T>, T>(start: S, end: T) -> std::ops::RangeInclusive<T> {
    start.into_bound()..=end
}

impl<T: Bound<B>, B: Backend> Iterator for Steps<T, B, T::State> {
    type Item = T;

    #[op]
    fn next(&mut self) -> Option<T> {
        T::step(&mut self.state)
    }
}

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl<B: Backend> Bound<B> for $t {
            type State = std::ops::Range<$t>;
            #[inline(always)]
            fn begin(start: $t, end: $t) -> Self::State {
                start..end
            }
            #[op]
            fn step(state: &mut Self::State) -> Option<$t> {
                B::host_round();
                state.next()
            }
        }
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize }

#[diagnostic::do_not_recommend]
impl<S: HostInteger, T: HostInteger> IntoBound<T> for S {
    #[inline(always)]
    fn into_bound(self) -> T {
        T::wrap(self.to_i128())
    }
}

#[diagnostic::do_not_recommend]
impl<S: HostInteger, T: Elem, B: Backend> IntoBound<Scalar<T, B>> for S {
    #[op]
    fn into_bound(self) -> Scalar<T, B> {
        Scalar::constant(T::cast_from(i64::wrap(self.to_i128())))
    }
}

// That bounds are integers is said by `Bound`; here it would be said again.
macro_rules! floats {
    ($($t:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoBound<$t> for $t {
            #[inline(always)]
            fn into_bound(self) -> $t {
                self
            }
        }
    )*};
}

floats! { f32 f64 }

impl<T: Elem, B: Backend> IntoBound<Scalar<T, B>> for Scalar<T, B> {
    #[inline(always)]
    fn into_bound(self) -> Self {
        self
    }
}

/// A staged loop: its variable, its end, and where the backend is.
#[derive(Debug)]
pub struct StagedRange<T: Elem, B: Backend> {
    variable: Scalar<T, B>,
    end: Scalar<T, B>,
    state: B::Loop,
    first: bool,
}

impl<T: Int + Promote<T>, B: Backend> Bound<B> for Scalar<T, B> {
    type State = StagedRange<T, B>;

    #[op]
    fn begin(start: Self, end: Self) -> StagedRange<T, B> {
        let variable = Scalar::from_reg(B::variable(start.into_reg()));
        StagedRange { variable, end, state: B::begin_loop(), first: true }
    }

    #[op]
    fn step(range: &mut StagedRange<T, B>) -> Option<Self> {
        // Still in the body of the round before, at its end.
        if !std::mem::take(&mut range.first) {
            let one = B::constant([[T::cast_from(1u8)]]);
            let next = binary::<B, crate::ops::Add, T, 1, 1>(B::load(range.variable.reg_mut()), one);
            B::store(range.variable.reg_mut(), next);
        }
        if !B::enter_loop(&mut range.state) {
            return None;
        }
        let now = B::load(range.variable.reg_mut());
        let more = B::any(binary::<B, Lt, T, 1, 1>(now, range.end.into_reg()));
        B::test_loop(&mut range.state, more).then(|| Scalar::from_reg(now))
    }
}
