//! Trees of operators: `(a + b * 2).convert()`.
//!
//! Results of operators have the promoted type, often twice as wide as the operands and the final result. Here the
//! operators and the conversion are one step, so that the CPU never stores the promoted results. `#[kernel]` recognises
//! trees by their form and passes the operands by reference, so a tree is a few pointers.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::panic::Location;

use cm_macros::{inlined, op};

use super::computes::{Computes, Known};
use crate::backend::{Backend, Bounds, Operand, Sealed, Storage, combined, keeps_low, low, of_bytes};
use crate::elem::{Convert as _, Elem, Int};
use crate::ops::BinaryOp;
use crate::registers::{Matrix, MatrixView, Vector, VectorView};

/// The left side of an operator in such a tree.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods of registers",
    label = "not a register",
    note = "the method belongs to registers and staged scalars",
    note = "an operator of a structure takes on its right what its trait names: write \
            `let right: Vector<i32, 8> = ..;` before, with that type"
)]
pub trait LeftOf<O, R, B: Backend> {
    /// The element type in which the operator is computed.
    type In;
    /// The result, with the methods `convert` and `saturate`.
    type Output;
    /// The left side as a register.
    type Register;
    /// The result.
    #[track_caller]
    fn before(self, right: R) -> Self::Output;
    /// The left side as a register.
    #[track_caller]
    fn register(self) -> Self::Register;
}

/// `left O right` in a tree.
#[op]
pub fn pending<B, O, L, R>(left: L, right: R) -> <L::In as Known>::Then<L::Output>
where
    B: Backend,
    L: LeftOf<O, R, B, In: Known>,
{
    <L::In as Known>::then(left.before(right))
}

/// The same if rustc may not know the type of `right` yet: a name of an integer without a type.
#[op]
pub fn pending_untyped<B: Backend, O, L: LeftOf<O, R, B>, R>(left: L, right: R) -> L::Output {
    left.before(right)
}

/// A function of `math` as an operand of a tree. `of` is the call of the function, for backends that compute registers.
#[op]
pub fn function<B, O, L, R, F>(left: L, right: R, of: F) -> <L::Output as Operated<B>>::Inner
where
    B: Backend,
    L: LeftOf<O, R, B, Output: Operated<B>> + Copy,
    R: Copy,
    F: FnOnce(L::Register, R) -> <L::Output as Operated<B>>::Value,
{
    L::Output::function(left, right, of)
}

/// The result of an operator.
pub trait Operated<B: Backend> {
    /// Its elements.
    type Elem: Elem;
    /// As an operand of the next operator of the tree.
    type Inner;
    /// As a register.
    type Value;
    /// As a register of these elements; a scalar keeps its own.
    type Converted<T: Elem>;
    /// As an operand of the next operator of the tree.
    #[track_caller]
    fn into_inner(self) -> Self::Inner;
    /// The same for a function of `left` and `right`, whose result as a register is that of `of`.
    #[track_caller]
    fn function<Q, L, R>(left: L, right: R, of: impl FnOnce(L::Register, R) -> Self::Value) -> Self::Inner
    where
        L: LeftOf<Q, R, B, Output = Self> + Copy,
        R: Copy;
    /// As a register.
    #[track_caller]
    fn into_value(self) -> Self::Value;
    /// As a register, with elements converted like an assignment.
    #[track_caller]
    fn into_converted<T: Elem>(self) -> Self::Converted<T>;
}

/// An operator of a tree, other than the one at the root.
#[op]
pub fn inner<B: Backend, X: Operated<B>>(operator: X) -> X::Inner {
    operator.into_inner()
}

/// A stack slot for the results of a tree of which regions are used.
#[inlined]
#[must_use]
pub fn stack_slot<T>() -> MaybeUninit<T> {
    MaybeUninit::uninit()
}

/// The result of a tree that is not converted.
#[op]
pub fn value<B: Backend, X: Operated<B>>(operator: X) -> X::Value {
    operator.into_value()
}

/// A tree as the mask of a `merge`: of its elements only the lowest bits count.
#[op]
pub fn mask<B: Backend, X: Operated<B, Elem: Int>>(tree: X) -> X::Converted<B::MaskOf<X::Elem>> {
    tree.into_converted()
}

/// The result of an operator of a structure of registers, which is computed at once.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce<T>(pub T);

/// Methods of the result.
impl<T> Deref for AtOnce<T> {
    type Target = T;

    #[inlined]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T, B: Backend> Operated<B> for AtOnce<T> {
    // No mask and no conversion takes a structure: rustc refuses it where that is expected.
    type Elem = u8;
    type Inner = T;
    type Value = T;
    type Converted<U: Elem> = T;

    #[inlined]
    fn into_inner(self) -> T {
        self.0
    }

    #[inlined]
    fn function<Q, L, R>(left: L, right: R, of: impl FnOnce(L::Register, R) -> T) -> T
    where
        L: LeftOf<Q, R, B, Output = Self> + Copy,
        R: Copy,
    {
        of(left.register(), right)
    }

    #[inlined]
    fn into_value(self) -> T {
        self.0
    }

    #[inlined]
    fn into_converted<U: Elem>(self) -> T {
        self.0
    }
}

macro_rules! registers {
    ($pending:ident, $inner:ident, $reg:ident, $name:literal, $r:tt, $c:tt, [$($size:ident)*]; $($params:tt)*) => {
        #[doc = concat!("A ", $name, " that is the result of an operator, before its conversion.")]
        #[expect(missing_debug_implementations, reason = "never seen by a kernel")]
        pub struct $pending<O, P, X, Y, $($params)*, B> {
            left: X,
            right: Y,
            place: &'static Location<'static>,
            operator: PhantomData<fn(P) -> (O, B)>,
        }

        impl<O, P, X: Copy, Y: Copy, $($params)*, B> Clone for $pending<O, P, X, Y, $($size,)* B> {
            #[inlined]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<O, P, X: Copy, Y: Copy, $($params)*, B> Copy for $pending<O, P, X, Y, $($size,)* B> {}

        impl<O, P, X, Y, $($params)*, B: Backend> $pending<O, P, X, Y, $($size,)* B> {
            #[op]
            pub(super) fn new(left: X, right: Y) -> Self {
                Self { left, right, place: Location::caller(), operator: PhantomData }
            }

            /// The result, converted like an assignment.
            #[op]
            pub fn convert<U: Elem>(self) -> $reg<U, $($size,)* B>
            where
                O: BinaryOp<P>,
                P: Elem,
                X: Operand<$r, $c, B> + Copy,
                Y: Operand<$r, $c, B> + Copy,
            {
                // The instruction has the position of the operator, not of `.convert()`.
                $reg::from_reg(B::tree::<O, P, X, Y, U, false, $r, $c>(self.left, self.right, self.place))
            }

            /// The result, converted like CM's `SAT`.
            #[op]
            pub fn saturate<U: Elem>(self) -> $reg<U, $($size,)* B>
            where
                O: BinaryOp<P>,
                P: Elem,
                X: Operand<$r, $c, B> + Copy,
                Y: Operand<$r, $c, B> + Copy,
            {
                $reg::from_reg(B::tree::<O, P, X, Y, U, true, $r, $c>(self.left, self.right, self.place))
            }

            /// The result in a stack slot, converted like an assignment, or like CM's `SAT`.
            #[op]
            pub fn convert_in<U: Elem, const SAT: bool>(
                self,
                slot: &mut MaybeUninit<B::StackSlot<U, $r, $c>>,
            ) -> $reg<U, $($size,)* B, B::InStackSlot<'_>>
            where
                O: BinaryOp<P>,
                P: Elem,
                X: Operand<$r, $c, B> + Copy,
                Y: Operand<$r, $c, B> + Copy,
            {
                let Self { left, right, place, .. } = self;
                $reg::from_storage(B::tree_in::<O, P, X, Y, U, SAT, $r, $c>(slot, left, right, place))
            }

            /// The result in a stack slot.
            #[op]
            pub fn value_in(
                self,
                slot: &mut MaybeUninit<B::StackSlot<O::Output, $r, $c>>,
            ) -> $reg<O::Output, $($size,)* B, B::InStackSlot<'_>>
            where
                O: BinaryOp<P>,
                P: Elem,
                X: Operand<$r, $c, B> + Copy,
                Y: Operand<$r, $c, B> + Copy,
            {
                self.convert_in::<O::Output, false>(slot)
            }
        }

        #[doc = concat!("A ", $name, " that is the result of an operator inside a tree.")]
        #[expect(missing_debug_implementations, reason = "never seen by a kernel")]
        pub struct $inner<O: BinaryOp<P>, P: Elem, X, Y, $($params)*, B: Backend> {
            operator: $pending<O, P, X, Y, $($size,)* B>,
            early: B::Early<O::Output, $r, $c>,
        }

        impl<O: BinaryOp<P>, P: Elem, X: Copy, Y: Copy, $($params)*, B: Backend> Clone
            for $inner<O, P, X, Y, $($size,)* B>
        {
            #[inlined]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<O: BinaryOp<P>, P: Elem, X: Copy, Y: Copy, $($params)*, B: Backend> Copy
            for $inner<O, P, X, Y, $($size,)* B>
        {
        }

        impl<O, P, X, Y, $($params)*, B> Operated<B> for $pending<O, P, X, Y, $($size,)* B>
        where
            O: BinaryOp<P>,
            P: Elem,
            X: Operand<$r, $c, B> + Copy,
            Y: Operand<$r, $c, B> + Copy,
            B: Backend,
        {
            type Elem = O::Output;
            type Inner = $inner<O, P, X, Y, $($size,)* B>;
            type Value = $reg<O::Output, $($size,)* B>;
            type Converted<U: Elem> = $reg<U, $($size,)* B>;

            #[op]
            fn into_inner(self) -> Self::Inner {
                let early = B::early::<O, P, X, Y, $r, $c>(self.left, self.right, self.place);
                $inner { operator: self, early }
            }

            #[op]
            fn function<Q, L, S>(left: L, right: S, of: impl FnOnce(L::Register, S) -> Self::Value) -> Self::Inner
            where
                L: LeftOf<Q, S, B, Output = Self> + Copy,
                S: Copy,
            {
                let early = B::early_of::<O::Output, $r, $c>(|| of(left.register(), right).into_reg());
                $inner { operator: left.before(right), early }
            }

            #[op]
            fn into_value(self) -> Self::Value {
                self.convert::<O::Output>()
            }

            #[op]
            fn into_converted<U: Elem>(self) -> $reg<U, $($size,)* B> {
                self.convert::<U>()
            }
        }

        impl<O, P, X, Y, $($params)*, B> $inner<O, P, X, Y, $($size,)* B>
        where
            O: BinaryOp<P>,
            P: Elem,
            X: Operand<$r, $c, B> + Copy,
            Y: Operand<$r, $c, B> + Copy,
            B: Backend,
        {
            #[op]
            fn computed<U: Elem, const SAT: bool>(self) -> $reg<U, $($size,)* B> {
                let Self { operator: $pending { left, right, place, .. }, early } = self;
                $reg::from_reg(B::inside::<O, P, X, Y, U, SAT, $r, $c>(early, left, right, place))
            }

            /// The result, converted like an assignment.
            #[op]
            pub fn convert<U: Elem>(self) -> $reg<U, $($size,)* B> {
                self.computed::<U, false>()
            }

            /// The result, converted like CM's `SAT`.
            #[op]
            pub fn saturate<U: Elem>(self) -> $reg<U, $($size,)* B> {
                self.computed::<U, true>()
            }
        }

        /// The name of a tree.
        impl<O, P, X, Y, $($params)*, B> Operated<B> for $inner<O, P, X, Y, $($size,)* B>
        where
            O: BinaryOp<P>,
            P: Elem,
            X: Operand<$r, $c, B> + Copy,
            Y: Operand<$r, $c, B> + Copy,
            B: Backend,
        {
            type Elem = O::Output;
            type Inner = Self;
            type Value = $reg<O::Output, $($size,)* B>;
            type Converted<U: Elem> = $reg<U, $($size,)* B>;

            #[op]
            fn into_inner(self) -> Self {
                self
            }

            #[op]
            fn function<Q, L, S>(left: L, right: S, _: impl FnOnce(L::Register, S) -> Self::Value) -> Self
            where
                L: LeftOf<Q, S, B, Output = Self> + Copy,
                S: Copy,
            {
                left.before(right)
            }

            #[op]
            fn into_value(self) -> Self::Value {
                self.convert::<O::Output>()
            }

            #[op]
            fn into_converted<U: Elem>(self) -> $reg<U, $($size,)* B> {
                self.convert::<U>()
            }
        }

        impl<O: BinaryOp<P>, P: Elem, X, Y, $($params)*, B: Backend> Sealed for $inner<O, P, X, Y, $($size,)* B> {}

        #[diagnostic::do_not_recommend]
        impl<O, P, X, Y, $($params)*, B> Operand<$r, $c, B> for $inner<O, P, X, Y, $($size,)* B>
        where
            O: BinaryOp<P>,
            P: Elem,
            X: Operand<$r, $c, B> + Copy,
            Y: Operand<$r, $c, B> + Copy,
            B: Backend,
        {
            type Elem = O::Output;
            const STAGED_NUMBER: bool = X::STAGED_NUMBER || Y::STAGED_NUMBER;
            const LONG: bool = X::LONG || Y::LONG;
            const LONG_PARTS: bool = X::LONG_PARTS || Y::LONG_PARTS;
            const PARTS: bool = X::PARTS || Y::PARTS;
            const IN_MEMORY: bool = X::IN_MEMORY || Y::IN_MEMORY;
            const WHOLE_ROWS: bool = X::WHOLE_ROWS || Y::WHOLE_ROWS;
            const OPERATORS: usize = X::OPERATORS + Y::OPERATORS + 1;
            const BYTES: bool = of_bytes::<O, P, X, Y, B, $r, $c>();
            const SHIFTED: bool = keeps_low::<O, P, X, Y, B, $r, $c>();

            #[op]
            fn into_operand(self) -> B::Reg<O::Output, $r, $c> {
                self.computed::<O::Output, false>().into_reg()
            }

            #[inlined]
            fn chosen(&self) -> bool {
                self.operator.left.chosen() || self.operator.right.chosen()
            }

            #[inlined]
            fn is_apart(&self, columns: usize) -> bool {
                self.operator.left.is_apart(columns) && self.operator.right.is_apart(columns)
            }

            #[inlined]
            fn begin(&self) {
                self.operator.left.begin();
                self.operator.right.begin();
            }

            #[inlined]
            fn bounds(&self) -> Bounds {
                let $pending { left, right, .. } = &self.operator;
                left.bounds().combined::<O, P>(right.bounds())
            }

            #[inlined]
            fn same(&self) -> bool {
                self.operator.left.same() && self.operator.right.same()
            }

            #[inlined]
            fn element(&self, lane: B::Lane<$r, $c>) -> O::Output {
                let $pending { left, right, .. } = &self.operator;
                combined::<O, P, X, Y, B, $r, $c>(left, right, lane)
            }

            #[inlined]
            fn low(&self, lane: B::Lane<$r, $c>) -> u16 {
                let $pending { left, right, .. } = &self.operator;
                if const { Self::SHIFTED } {
                    low::<O, P, X, Y, B, $r, $c>(left, right, lane)
                } else {
                    u16::cast_from(combined::<O, P, X, Y, B, $r, $c>(left, right, lane))
                }
            }
        }
    };
}

registers!(PendingMatrix, InnerMatrix, Matrix, "matrix", R, C, [R C]; const R: usize, const C: usize);
registers!(PendingVector, InnerVector, Vector, "vector", 1, N, [N]; const N: usize);

/// What can be on the left of an operator in a tree, with the type of the result.
macro_rules! left_of {
    ($($pending:ident, $reg:ident, $r:tt, $c:tt, [$($size:ident)*], $left:ty, $elem:ty, [$($bounds:tt)*]; [$($params:tt)*])*) => {$(
        #[doc(hidden)]
        impl<'a, $($params)*, O, Y, B> LeftOf<O, &'a Y, B> for &'a $left
        where
            B: Backend,
            Y: Operand<$r, $c, B> + Copy,
            O: Computes<$elem, Y::Elem>
                + BinaryOp<<O as Computes<$elem, Y::Elem>>::In>,
            $($bounds)*
        {
            type In = <O as Computes<$elem, Y::Elem>>::In;
            type Output = $pending<
                O, <O as Computes<$elem, Y::Elem>>::In, Self, &'a Y, $($size,)* B>;
            type Register = $reg<$elem, $($size,)* B>;

            #[op]
            fn before(self, right: &'a Y) -> Self::Output {
                $pending::new(self, right)
            }

            #[op]
            fn register(self) -> Self::Register {
                $reg::from_reg(self.into_operand())
            }
        }
    )*};
}

left_of! {
    PendingMatrix, Matrix, R, C, [R C], Matrix<T, R, C, B>, T, []; [T: Elem, const R: usize, const C: usize]
    PendingVector, Vector, 1, N, [N], Vector<T, N, B>, T, []; [T: Elem, const N: usize]
    PendingMatrix, Matrix, R, C, [R C], InnerMatrix<Q, P, X, Z, R, C, B>, Q::Output, [
        Q: BinaryOp<P>, P: Elem, X: Operand<R, C, B> + Copy, Z: Operand<R, C, B> + Copy
    ]; [Q, P, X, Z, const R: usize, const C: usize]
    PendingVector, Vector, 1, N, [N], InnerVector<Q, P, X, Z, N, B>, Q::Output, [
        Q: BinaryOp<P>, P: Elem, X: Operand<1, N, B> + Copy, Z: Operand<1, N, B> + Copy
    ]; [Q, P, X, Z, const N: usize]
    PendingMatrix, Matrix, R2, C2, [R2 C2], MatrixView<'v, T, R2, C2, R, C, VS, B, S>, T, [T: Elem, S: Storage<B> + 'v];
        ['v, T, S, const R: usize, const C: usize, const R2: usize, const C2: usize, const VS: usize]
    PendingVector, Vector, 1, N, [N], VectorView<'v, T, N, R, C, VS, B, S>, T, [T: Elem, S: Storage<B> + 'v];
        ['v, T, S, const R: usize, const C: usize, const N: usize, const VS: usize]
}
