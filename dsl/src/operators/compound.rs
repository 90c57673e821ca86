//! Compound assignments with trees on the right, for all elements at once or in strips.

use std::ops::Range;
use std::panic::Location;

use cm_macros::{inlined, op};

use super::computes::Computes;
use crate::backend::{Backend, Operand};
use crate::elem::Elem;
use crate::ops::BinaryOp;
use crate::registers::{Matrix, Vector};

/// What a compound assignment can have on its left.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no such compound assignment with this on its right",
    label = "not an operator of it",
    note = "a structure of registers has those that are written for it, `#[registers] impl AddAssign for Motion {{ .. }}`, with \
            what the trait names on the right: write `let right: Vector<i32, 8> = ..;` before, with that type"
)]
pub trait Compound<O, Y, B: Backend>: Strips<B> {
    /// `self = self O right`, converted to the elements of `self`.
    #[track_caller]
    fn combine(&mut self, right: Y);
    /// The same for a strip.
    #[inlined]
    #[track_caller]
    fn combine_in(&mut self, right: Y, _strip: &mut Self::Strip) {
        self.combine(right);
    }
}

/// The strips of a variable that assignments, in a loop or without one, change one after the other.
#[inlined]
#[must_use]
pub fn strips<B: Backend, X: Strips<B>, const LOOPED: bool>(_variable: &X) -> Range<usize> {
    X::strips::<LOOPED>()
}

/// Strip `number` of a variable.
#[inlined]
#[must_use]
pub fn strip<B: Backend, X: Strips<B>>(variable: &X, number: usize) -> X::Strip {
    variable.strip(number)
}

/// Ends the changes of a strip of a variable.
#[inlined]
pub fn end_strip<B: Backend, X: Strips<B>>(variable: &mut X, strip: &X::Strip) {
    variable.end_strip(strip);
}

/// A variable that several assignments may change strip by strip. A scalar has one strip.
pub trait Strips<B: Backend> {
    /// Some of its elements.
    type Strip;
    /// The numbers of its strips.
    #[must_use]
    #[inlined]
    fn strips<const LOOPED: bool>() -> Range<usize> {
        0..1
    }
    /// One of them.
    fn strip(&self, number: usize) -> Self::Strip;
    /// Puts the elements of a strip back.
    #[inlined]
    fn end_strip(&mut self, _strip: &Self::Strip) {}
}

/// `left O= right` for a strip.
#[op]
pub fn compound_in<B: Backend, O, L: Compound<O, Y, B>, Y>(left: &mut L, right: Y, strip: &mut L::Strip) {
    left.combine_in(right, strip);
}

/// `left O= right`, with a tree on the right.
#[op]
pub fn compound<B: Backend, O, L: Compound<O, Y, B>, Y>(left: &mut L, right: Y) {
    left.combine(right);
}

macro_rules! compound {
    ($reg:ident, $r:tt, $c:tt, [$($size:ident)*]; $($params:tt)*) => {
        #[doc(hidden)]
        impl<T: Elem, B: Backend, $($params)*> Strips<B> for $reg<T, $($size,)* B> {
            type Strip = B::Strip<T>;

            #[inlined]
            fn strips<const LOOPED: bool>() -> Range<usize> {
                B::strips::<T, $r, $c, LOOPED>()
            }

            #[inlined]
            fn strip(&self, number: usize) -> B::Strip<T> {
                B::strip::<T, $r, $c>(self.reg(), number)
            }

            #[inlined]
            fn end_strip(&mut self, strip: &B::Strip<T>) {
                B::end_strip::<T, $r, $c>(self.reg_mut(), strip);
            }
        }

        #[doc(hidden)]
        impl<'a, O, T, Y, B, $($params)*> Compound<O, &'a Y, B> for $reg<T, $($size,)* B>
        where
            B: Backend,
            T: Elem,
            Y: Operand<$r, $c, B> + Copy,
            O: Computes<T, Y::Elem> + BinaryOp<<O as Computes<T, Y::Elem>>::In>,
        {
            #[op]
            fn combine(&mut self, right: &'a Y) {
                // A large register is changed in place.
                let strips = B::strips::<T, $r, $c, false>();
                if strips.len() > 1 {
                    for number in strips {
                        let mut strip = B::strip::<T, $r, $c>(self.reg(), number);
                        let changed =
                            B::change::<O, <O as Computes<T, Y::Elem>>::In, T, &'a Y, $r, $c>(&mut strip, right);
                        assert!(changed, "a register with several strips is changed by strips");
                        B::end_strip::<T, $r, $c>(self.reg_mut(), &strip);
                    }
                    return;
                }
                let value = B::tree::<O, <O as Computes<T, Y::Elem>>::In, &Self, &'a Y, T, false, $r, $c>(
                    self,
                    right,
                    Location::caller(),
                );
                B::store(self.reg_mut(), value);
            }

            #[op]
            fn combine_in(&mut self, right: &'a Y, strip: &mut B::Strip<T>) {
                if !B::change::<O, <O as Computes<T, Y::Elem>>::In, T, &'a Y, $r, $c>(strip, right) {
                    <Self as Compound<O, &'a Y, B>>::combine(self, right);
                }
            }
        }
    };
}

compound!(Matrix, R, C, [R C]; const R: usize, const C: usize);
compound!(Vector, 1, N, [N]; const N: usize);
