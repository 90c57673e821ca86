//! SIMD control flow: `simd_if!` and `simd_while!` branch separately for each lane of a mask.
//!
//! A mask has 1 in the active lanes and 0 in the others. Statements change the active lanes of registers, and are
//! skipped if no lane is active.

use cm_compiler::ir::Plane;
use cm_compiler::limits::{self, Violation};
use cm_macros::{inlined, op};

use super::condition::branch;
use super::variable::Slot;
use crate::backend::{Backend, Condition, Stages, Stored, binary, merge, require};
use crate::elem::{Elem, Int};
use crate::limits::{Shape, SimdLanes};
use crate::ops::{And, Ne, Or, Xor};
use crate::registers::{ElementRef, Matrix, MatrixRef, Scalar, Vector, VectorRef};

/// A mask of SIMD control flow: 1 in the active lanes, and 0 in the others.
pub trait LaneMask<B: Backend>: Stored<B> + Stages<B, Var = Self> {
    /// The shape. The number of its elements is the number of lanes.
    type Shape;
    /// Every lane.
    #[track_caller]
    fn every() -> Self;
    /// The lanes of both.
    #[track_caller]
    fn both(self, other: Self) -> Self;
    /// The lanes of this mask that are not in the other one.
    #[track_caller]
    fn without(self, other: Self) -> Self;
    /// The lanes of either.
    #[track_caller]
    fn either(self, other: Self) -> Self;
    /// Whether a lane is active.
    #[track_caller]
    fn is_some(self) -> B::Cond;
    /// Whether this number of lanes is allowed.
    fn limit() -> Result<(), Violation>;
}

/// A mask for `R` x `C` elements.
#[diagnostic::on_unimplemented(
    message = "SIMD control flow over `{Self}` has no lanes for {R} x {C} elements",
    label = "not as many elements as there are lanes, in the same rows and columns",
    note = "inside, registers, places and masks have the shape of the mask; scalars change once"
)]
pub trait LanesOf<const R: usize, const C: usize, B: Backend>: LaneMask<B> {
    /// Its register.
    fn into_lanes(self) -> B::Reg<u16, R, C>;
    /// A register as a mask.
    fn from_lanes(lanes: B::Reg<u16, R, C>) -> Self;
}

/// A condition of outermost SIMD control flow: a register of integers, whose lanes take part if the element is not 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mask of SIMD control flow",
    label = "not a register of integers",
    note = "SIMD control flow takes a comparison of registers (`a < b`), or a register of integers; what is \
            one condition for all lanes is an ordinary `if`"
)]
pub trait LaneCondition<B: Backend> {
    /// The mask.
    type Mask: LaneMask<B>;
    /// The lanes that take part.
    #[track_caller]
    fn lanes(self) -> Self::Mask;
}

/// Kinds of conditions and variables: those that have lanes, or are one of the numbers of the kernel.
#[derive(Debug)]
pub struct OfLanes;

/// Those that are a condition for all lanes.
#[derive(Debug)]
pub struct OfAll;

/// A condition of SIMD control flow inside another one with the mask `M`: a register of as many integers, or
/// one condition for all lanes.
pub trait LaneConditionIn<M, B: Backend, K> {
    /// The lanes among these that take part.
    #[track_caller]
    fn lanes_in(self, outer: M) -> M;
}

/// A variable that statements under the mask `M` may change: a register of the same shape, of which the
/// active lanes change, or a number, which changes if a lane is active.
pub trait ChangedIn<M, B: Backend, K>: Copy {
    /// The new value in the active lanes, the old one in the others.
    #[track_caller]
    fn changed(self, old: Self, mask: M) -> Self;
}

/// A place that statements under the mask `M` may change.
pub trait PlaceIn<M, B: Backend> {
    /// The value of the place.
    type Value: Copy;
    /// The value of the place.
    #[track_caller]
    fn held(&self) -> Self::Value;
    /// Restores the old values of the inactive lanes.
    #[track_caller]
    fn keep(&mut self, old: Self::Value, mask: M);
}

/// The neutral element of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neutral {
    /// A sum.
    Sum,
    /// A minimum.
    Min,
    /// A maximum.
    Max,
}

impl Neutral {
    fn element<T: Elem>(self) -> T {
        let (kind, bits) = (T::TYPE, T::TYPE.bytes() * 8);
        match self {
            // `-0.0 + x` is `x`, whatever its sign is.
            Self::Sum if kind.is_float() => T::cast_from(-0.0f64),
            Self::Sum => T::cast_from(0u8),
            // NaN is ignored.
            Self::Min | Self::Max if kind.is_float() => T::cast_from(f64::NAN),
            Self::Min if kind.is_signed() => T::cast_from(u64::MAX >> (65 - bits)),
            Self::Min => T::cast_from(u64::MAX),
            Self::Max if kind.is_signed() => T::cast_from(1u64 << (bits - 1)),
            Self::Max => T::cast_from(0u8),
        }
    }
}

/// The elements of a reduction under the mask `M`.
pub trait ReducedIn<M, B: Backend> {
    /// Neutral elements in the inactive lanes.
    #[track_caller]
    fn or_neutral(self, mask: M, neutral: Neutral) -> Self;
    /// Whether an element of an active lane is not zero.
    #[track_caller]
    fn any_in(self, mask: M) -> B::Cond;
    /// Whether no element of an active lane is zero.
    #[track_caller]
    fn all_in(self, mask: M) -> B::Cond;
}

macro_rules! registers {
    ($reg:ident, $place:ident, $of:ty, $mask:ty, $held:ty, $r:tt, $c:tt; $($params:tt)*) => {
        #[doc(hidden)]
        impl<B: Backend, $($params)*> LaneMask<B> for $mask {
            type Shape = Shape<$r, $c>;
            #[op]
            fn every() -> Self {
                $reg::from_reg(B::constant([[1; $c]; $r]))
            }
            #[op]
            fn both(self, other: Self) -> Self {
                $reg::from_reg(binary::<B, And, u16, $r, $c>(self.into_reg(), other.into_reg()))
            }
            #[op]
            fn without(self, other: Self) -> Self {
                let ones = B::constant([[1; $c]; $r]);
                let others = binary::<B, Xor, u16, $r, $c>(other.into_reg(), ones);
                $reg::from_reg(binary::<B, And, u16, $r, $c>(self.into_reg(), others))
            }
            #[op]
            fn either(self, other: Self) -> Self {
                $reg::from_reg(binary::<B, Or, u16, $r, $c>(self.into_reg(), other.into_reg()))
            }
            #[op]
            fn is_some(self) -> B::Cond {
                B::any(self.into_reg())
            }
            #[inlined]
            fn limit() -> Result<(), Violation> {
                const { limits::simd_lanes($r * $c) }
            }
        }

        #[doc(hidden)]
        impl<T: Int, B: Backend, $($params)*> LaneCondition<B> for $of {
            type Mask = $mask;
            #[op]
            fn lanes(self) -> $mask {
                let zeros = B::constant([[T::cast_from(0u8); $c]; $r]);
                $reg::from_reg(binary::<B, Ne, T, $r, $c>(self.into_reg(), zeros))
            }
        }

        #[doc(hidden)]
        impl<B: Backend, $($params)*> LanesOf<$r, $c, B> for $mask {
            #[inlined]
            fn into_lanes(self) -> B::Reg<u16, $r, $c> {
                self.into_reg()
            }
            #[inlined]
            fn from_lanes(lanes: B::Reg<u16, $r, $c>) -> Self {
                $reg::from_reg(lanes)
            }
        }

        #[doc(hidden)]
        impl<T: Int, M: LanesOf<$r, $c, B>, B: Backend, $($params)*> LaneConditionIn<M, B, OfLanes> for $of {
            #[op]
            fn lanes_in(self, outer: M) -> M {
                outer.both(M::from_lanes(self.lanes().into_reg()))
            }
        }

        #[doc(hidden)]
        impl<T: Elem, M: LanesOf<$r, $c, B>, B: Backend, $($params)*> ChangedIn<M, B, OfLanes> for $of {
            #[op]
            fn changed(self, old: Self, mask: M) -> Self {
                let mask = mask.into_lanes();
                $reg::from_reg(merge::<B, u16, T, $r, $c>(mask, self.into_reg(), old.into_reg()))
            }
        }

        #[doc(hidden)]
        impl<T: Elem, M: LanesOf<$r, $c, B>, B: Backend, L, $($params)*> PlaceIn<M, B> for $held {
            type Value = $of;
            #[op]
            fn held(&self) -> $of {
                self.value()
            }
            #[op]
            fn keep(&mut self, old: $of, mask: M) {
                let new = self.value();
                self.put(new.changed(old, mask));
            }
        }

        #[doc(hidden)]
        impl<T: Elem, M: LanesOf<$r, $c, B>, B: Backend, $($params)*> ReducedIn<M, B> for $of {
            #[op]
            fn or_neutral(self, mask: M, neutral: Neutral) -> Self {
                let neutral = B::constant([[neutral.element::<T>(); $c]; $r]);
                $reg::from_reg(merge::<B, u16, T, $r, $c>(mask.into_lanes(), self.into_reg(), neutral))
            }
            #[op]
            fn any_in(self, mask: M) -> B::Cond {
                let zeros = B::constant([[T::cast_from(0u8); $c]; $r]);
                B::any(merge::<B, u16, T, $r, $c>(mask.into_lanes(), self.into_reg(), zeros))
            }
            #[op]
            fn all_in(self, mask: M) -> B::Cond {
                let ones = B::constant([[T::cast_from(1u8); $c]; $r]);
                B::all(merge::<B, u16, T, $r, $c>(mask.into_lanes(), self.into_reg(), ones))
            }
        }
    };
}

registers!(
    Matrix, MatrixRef, Matrix<T, R, C, B>, Matrix<u16, R, C, B>, MatrixRef<'_, T, R, C, B, L>, R, C;
    const R: usize, const C: usize
);
registers!(
    Vector, VectorRef, Vector<T, N, B>, Vector<u16, N, B>, VectorRef<'_, T, N, B, L>, 1, N;
    const N: usize
);

#[doc(hidden)]
impl<T: Elem, M: LaneMask<B>, B: Backend> ChangedIn<M, B, OfLanes> for Scalar<T, B> {
    #[inlined]
    fn changed(self, _: Self, _: M) -> Self {
        self
    }
}

impl<C: Condition<B>, M: LaneMask<B>, B: Backend> ChangedIn<M, B, OfAll> for C {
    #[inlined]
    fn changed(self, _: Self, _: M) -> Self {
        self
    }
}

macro_rules! host_values {
    ($($t:ident)*) => {$(
        // Refused by `store`, whose message names the alternative.
        impl<M: LaneMask<B>, B: Backend> ChangedIn<M, B, OfLanes> for $t {
            #[inlined]
            fn changed(self, _: Self, _: M) -> Self {
                self
            }
        }
    )*};
}

host_values! { usize isize Plane }

impl<C: Condition<B>, M: LaneMask<B>, B: Backend> LaneConditionIn<M, B, OfAll> for C {
    #[op]
    fn lanes_in(self, outer: M) -> M {
        let mut lanes = Slot::<B, M>::new();
        for arm in branch::<B, C>(self) {
            lanes.set(if arm { outer } else { outer.without(outer) });
        }
        lanes.get()
    }
}

#[doc(hidden)]
impl<T: Elem, M: LaneMask<B>, B: Backend> PlaceIn<M, B> for ElementRef<'_, T, B> {
    type Value = Scalar<T, B>;
    #[op]
    fn held(&self) -> Scalar<T, B> {
        self.value()
    }
    #[inlined]
    fn keep(&mut self, _: Scalar<T, B>, _: M) {}
}

/// The mask of a condition of outermost SIMD control flow.
#[op]
pub fn simd_lanes<B: Backend, X: LaneCondition<B>>(x: X) -> X::Mask
where
    <X::Mask as LaneMask<B>>::Shape: SimdLanes,
{
    x.lanes()
}

/// [`simd_lanes`] without a bound. The number of lanes is checked when the kernel is recorded.
#[op]
pub fn simd_lanes_any<B: Backend, X: LaneCondition<B>>(x: X) -> X::Mask {
    require::<B>(X::Mask::limit());
    x.lanes()
}

/// The mask of a condition inside SIMD control flow with this mask.
#[op]
pub fn simd_lanes_in<B: Backend, K, M, X: LaneConditionIn<M, B, K>>(x: X, outer: M) -> M {
    x.lanes_in(outer)
}

/// The lanes that do not take the first arm of a `simd_if!`; of all lanes, if it is not inside another one.
#[op]
pub fn simd_others<B: Backend, M: LaneMask<B>>(lanes: M, outer: Option<M>) -> M {
    match outer {
        Some(outer) => outer.without(lanes),
        None => M::every().without(lanes),
    }
}

/// Whether a lane is active.
#[op]
pub fn simd_some<B: Backend, M: LaneMask<B>>(mask: M) -> B::Cond {
    mask.is_some()
}

/// The lanes of a mask that have not left a loop or its iteration.
#[op]
pub fn simd_without<B: Backend, M: LaneMask<B>>(mask: M, gone: M) -> M {
    mask.without(gone)
}

/// The lanes of either mask.
#[op]
pub fn simd_either<B: Backend, M: LaneMask<B>>(a: M, b: M) -> M {
    a.either(b)
}

/// No lane of the shape of a mask.
#[op]
pub fn simd_none<B: Backend, M: LaneMask<B>>(mask: M) -> M {
    mask.without(mask)
}

/// After a statement that has changed all lanes of a variable: restores the old value in inactive lanes.
#[op]
pub fn simd_keep<B: Backend, K, M, V: Stored<B> + ChangedIn<M, B, K>>(x: &mut V, old: V, mask: M) {
    let new = x.load();
    x.put(new.changed(old, mask));
}

/// A variable in an expression of SIMD control flow. A method that changes it would change all lanes; as a statement,
/// `x.method();`, it changes the active ones. rustc names this type when it refuses the change.
#[derive(Debug)]
pub struct ChangedOnlyByAStatement<'a, V>(&'a V);

impl<V> std::ops::Deref for ChangedOnlyByAStatement<'_, V> {
    type Target = V;
    #[inlined]
    fn deref(&self) -> &V {
        self.0
    }
}

/// `x` in `x.method()`, in an expression.
#[inlined]
pub fn simd_read<V>(x: &V) -> ChangedOnlyByAStatement<'_, V> {
    ChangedOnlyByAStatement(x)
}

/// The value of a place before a statement.
#[op]
pub fn simd_held<B: Backend, M, P: PlaceIn<M, B>>(place: &P, _mask: M) -> P::Value {
    place.held()
}

/// After a statement that has changed all lanes of a place: restores the old value in inactive lanes.
#[op]
pub fn simd_keep_place<B: Backend, M, P: PlaceIn<M, B>>(place: &mut P, old: P::Value, mask: M) {
    place.keep(old, mask);
}

/// `x.any()`
#[op]
pub fn simd_any<B: Backend, M, X: ReducedIn<M, B>>(x: X, mask: M) -> B::Cond {
    x.any_in(mask)
}

/// `x.all()`
#[op]
pub fn simd_all<B: Backend, M, X: ReducedIn<M, B>>(x: X, mask: M) -> B::Cond {
    x.all_in(mask)
}

macro_rules! neutral {
    ($($name:ident $neutral:ident $of:literal;)*) => {$(
        #[doc = concat!("What ", $of, " is made of: the active lanes.")]
        #[op]
        pub fn $name<B: Backend, M, X: ReducedIn<M, B>>(x: X, mask: M) -> X {
            x.or_neutral(mask, Neutral::$neutral)
        }
    )*};
}

neutral! {
    simd_summed Sum "a sum";
    simd_least Min "a minimum";
    simd_largest Max "a maximum";
}

/// A `simd_while!` in progress.
#[derive(Debug)]
pub struct SimdWhile<B: Backend, M: LaneMask<B>> {
    state: B::Loop,
    live: M,
}

/// `simd_while!` for the lanes of a mask, or for all lanes.
#[op]
#[must_use]
pub fn simd_loop<B: Backend, M: LaneMask<B>>(outer: Option<M>) -> SimdWhile<B, M> {
    let live = match outer {
        Some(outer) => outer,
        None => M::every(),
    };
    let live = live.declare();
    SimdWhile { state: B::begin_loop(), live }
}

impl<B: Backend, M: LaneMask<B>> SimdWhile<B, M> {
    /// Whether to evaluate the condition (again).
    #[inlined]
    pub fn enter(&mut self) -> bool {
        B::enter_loop(&mut self.state)
    }

    /// Whether to run the body: lanes for which the condition does not hold have left.
    #[op]
    pub fn test(&mut self, condition: M) -> bool {
        let live = self.live.load().both(condition);
        self.live.put(live);
        B::test_loop(&mut self.state, live.is_some())
    }

    /// The lanes that are still in the loop.
    #[op]
    #[must_use]
    pub fn live(&self) -> M {
        self.live.load()
    }

    /// These lanes leave the loop.
    #[op]
    pub fn leave(&mut self, lanes: M) {
        let live = self.live.load().without(lanes);
        self.live.put(live);
    }
}
