//! The operator traits of the standard library for registers, scalars and places.

use std::ops;

use cm_macros::op;

use crate::backend::{Backend, Operand};
use crate::elem::{Elem, Int, Numeric, Promote, ShiftBy, f16};
use crate::ops::{Add, And, BinaryOp, Div, Mul, Neg, Not, Or, Rem, Shl, Shr, Sub, Xor};
use crate::registers::{ElementRef, IntoScalar, Matrix, MatrixRef, Scalar, ScalarLike, Vector, VectorRef};

/// Each operator with the trait for the type in which it is computed: the common type of both sides (`Promote`), or the
/// promoted left side (`ShiftBy`).
macro_rules! operators {
    ($($op:ident, $trait:ident::$method:ident, $assign:ident::$assign_method:ident, $rule:ident;)*) => {$(
        operators!(@register $op, $trait, $method, $rule, Matrix, R, C; const R: usize, const C: usize);
        operators!(@register $op, $trait, $method, $rule, Vector, 1, N; const N: usize);

        impl<T, V, B> ops::$trait<V> for Scalar<T, B>
        where
            B: Backend,
            V: ScalarLike + IntoScalar<B>,
            T: $rule<V::Elem>,
            $op: BinaryOp<<T as $rule<V::Elem>>::Output>,
        {
            type Output = Scalar<<$op as BinaryOp<<T as $rule<V::Elem>>::Output>>::Output, B>;
            #[op]
            fn $method(self, rhs: V) -> Self::Output {
                Scalar::from_reg(B::map2::<$op, <T as $rule<V::Elem>>::Output, T, V::Elem, _, false, 1, 1>(
                    self.into_reg(),
                    rhs.into_scalar().into_reg(),
                ))
            }
        }

        impl<T, V, B> ops::$assign<V> for Scalar<T, B>
        where
            B: Backend,
            V: ScalarLike + IntoScalar<B>,
            T: $rule<V::Elem>,
            $op: BinaryOp<<T as $rule<V::Elem>>::Output>,
        {
            #[op]
            fn $assign_method(&mut self, rhs: V) {
                let value = B::map2::<$op, <T as $rule<V::Elem>>::Output, T, V::Elem, T, false, 1, 1>(
                    (*self).into_reg(),
                    rhs.into_scalar().into_reg(),
                );
                B::store(self.reg_mut(), value);
            }
        }

        operators!(@place $op, $trait, $method, $assign, $assign_method, $rule, MatrixRef, Matrix, R, C;
            const R: usize, const C: usize);
        operators!(@place $op, $trait, $method, $assign, $assign_method, $rule, VectorRef, Vector, 1, N; const N: usize);

        // One implementation per type: Rust's orphan rule does not allow a type parameter on the left.
        cm_compiler::for_each_element!(operators @hosts $op, $trait, $method, $rule:);
        // As on the right.
        operators!(@left $op, $trait, $method, $rule, usize as i32);
        operators!(@left $op, $trait, $method, $rule, isize as i32);

        operators!(@assign $op, $trait, $method, $assign, $assign_method, $rule, Matrix, R, C; const R: usize, const C: usize);
        operators!(@assign $op, $trait, $method, $assign, $assign_method, $rule, Vector, 1, N; const N: usize);
    )*};

    (@register $op:ident, $trait:ident, $method:ident, $rule:ident, $reg:ident, $r:tt, $c:tt;
        $($params:tt)*) => {
        impl<T, V, B, $($params)*> ops::$trait<V> for operators!(@ty $reg T, $r, $c, B)
        where
            B: Backend,
            V: Operand<$r, $c, B>,
            T: $rule<V::Elem>,
            $op: BinaryOp<<T as $rule<V::Elem>>::Output>,
        {
            type Output = operators!(
                @ty $reg <$op as BinaryOp<<T as $rule<V::Elem>>::Output>>::Output, $r, $c, B);
            #[op]
            fn $method(self, rhs: V) -> Self::Output {
                $reg::from_reg(B::map2::<$op, <T as $rule<V::Elem>>::Output, T, V::Elem, _, false, $r, $c>(
                    self.into_reg(),
                    rhs.into_operand(),
                ))
            }
        }

        impl<T, V, B, $($params)*> ops::$trait<operators!(@ty $reg V, $r, $c, B)> for Scalar<T, B>
        where
            B: Backend,
            T: $rule<V>,
            V: Elem,
            $op: BinaryOp<<T as $rule<V>>::Output>,
        {
            type Output = operators!(@ty $reg <$op as BinaryOp<<T as $rule<V>>::Output>>::Output, $r, $c, B);
            #[op]
            fn $method(self, rhs: operators!(@ty $reg V, $r, $c, B)) -> Self::Output {
                $reg::from_reg(B::map2::<$op, <T as $rule<V>>::Output, T, V, _, false, $r, $c>(
                    B::splat(self.into_reg()),
                    rhs.into_reg(),
                ))
            }
        }
    };

    (@ty Matrix $t:ty, $r:tt, $c:tt, $b:ty) => { Matrix<$t, $r, $c, $b> };
    (@ty Vector $t:ty, $r:tt, $c:tt, $b:ty) => { Vector<$t, $c, $b> };

    (@assign $op:ident, $trait:ident, $method:ident, $assign:ident, $assign_method:ident, $rule:ident, $reg:ident,
        $r:tt, $c:tt; $($params:tt)*) => {
        impl<T, V, B, $($params)*> ops::$assign<V> for operators!(@ty $reg T, $r, $c, B)
        where
            B: Backend,
            V: Operand<$r, $c, B>,
            T: $rule<V::Elem>,
            $op: BinaryOp<<T as $rule<V::Elem>>::Output>,
        {
            #[op]
            fn $assign_method(&mut self, rhs: V) {
                let value = B::map2::<$op, <T as $rule<V::Elem>>::Output, T, V::Elem, T, false, $r, $c>(
                    (*self).into_reg(),
                    rhs.into_operand(),
                );
                B::store(self.reg_mut(), value);
            }
        }
    };

    (@place $op:ident, $trait:ident, $method:ident, $assign:ident, $assign_method:ident, $rule:ident, $place:ident,
        $reg:ident, $r:tt, $c:tt; $($params:tt)*) => {
        impl<T, V, B, L, $($params)*> ops::$assign<V> for operators!(@place_ty $place T, $r, $c, B, L)
        where
            B: Backend,
            V: Operand<$r, $c, B>,
            T: $rule<V::Elem>,
            $op: BinaryOp<<T as $rule<V::Elem>>::Output>,
        {
            #[op]
            fn $assign_method(&mut self, rhs: V) {
                let value = B::map2::<$op, <T as $rule<V::Elem>>::Output, T, V::Elem, T, false, $r, $c>(
                    self.value().into_reg(),
                    rhs.into_operand(),
                );
                self.put($reg::from_reg(value));
            }
        }
    };

    (@place_ty MatrixRef $t:ty, $r:tt, $c:tt, $b:ty, $l:ty) => { MatrixRef<'_, $t, $r, $c, $b, $l> };
    (@place_ty VectorRef $t:ty, $r:tt, $c:tt, $b:ty, $l:ty) => { VectorRef<'_, $t, $c, $b, $l> };

    (@hosts $op:ident, $trait:ident, $method:ident, $rule:ident: $($host:ident)*) => {$(
        operators!(@left $op, $trait, $method, $rule, $host as $host);
    )*};

    (@left $op:ident, $trait:ident, $method:ident, $rule:ident, $host:ident as $elem:ident) => {
        operators!(@number $op, $trait, $method, $rule, $host as $elem, Matrix, R, C; const R: usize, const C: usize);
        operators!(@number $op, $trait, $method, $rule, $host as $elem, Vector, 1, N; const N: usize);

        impl<T, B> ops::$trait<Scalar<T, B>> for $host
        where
            B: Backend,
            T: Elem,
            $elem: $rule<T>,
            $op: BinaryOp<<$elem as $rule<T>>::Output>,
        {
            type Output = Scalar<<$op as BinaryOp<<$elem as $rule<T>>::Output>>::Output, B>;
            #[op]
            fn $method(self, rhs: Scalar<T, B>) -> Self::Output {
                ops::$trait::$method(IntoScalar::<B>::into_scalar(self), rhs)
            }
        }
    };

    (@number $op:ident, $trait:ident, $method:ident, $rule:ident, $host:ident as $elem:ident, $reg:ident, $r:tt, $c:tt;
        $($params:tt)*) => {
        impl<T, B, $($params)*> ops::$trait<operators!(@ty $reg T, $r, $c, B)> for $host
        where
            B: Backend,
            T: Elem,
            $elem: $rule<T>,
            $op: BinaryOp<<$elem as $rule<T>>::Output>,
        {
            type Output = operators!(@ty $reg <$op as BinaryOp<<$elem as $rule<T>>::Output>>::Output, $r, $c, B);
            #[op]
            fn $method(self, rhs: operators!(@ty $reg T, $r, $c, B)) -> Self::Output {
                ops::$trait::$method(IntoScalar::<B>::into_scalar(self), rhs)
            }
        }
    };
}

operators! {
    Add, Add::add, AddAssign::add_assign, Promote;
    Sub, Sub::sub, SubAssign::sub_assign, Promote;
    Mul, Mul::mul, MulAssign::mul_assign, Promote;
    Div, Div::div, DivAssign::div_assign, Promote;
    Rem, Rem::rem, RemAssign::rem_assign, Promote;
    And, BitAnd::bitand, BitAndAssign::bitand_assign, Promote;
    Or, BitOr::bitor, BitOrAssign::bitor_assign, Promote;
    Xor, BitXor::bitxor, BitXorAssign::bitxor_assign, Promote;
    Shl, Shl::shl, ShlAssign::shl_assign, ShiftBy;
    Shr, Shr::shr, ShrAssign::shr_assign, ShiftBy;
}

macro_rules! unary {
    ($($op:ident, $trait:ident::$method:ident, $bound:ident;)*) => {$(
        unary!(@one $op, $trait, $method, $bound, Matrix, Matrix<T, R, C, B>, Matrix<T::Widened, R, C, B>;
            const R: usize, const C: usize);
        unary!(@one $op, $trait, $method, $bound, Vector, Vector<T, N, B>, Vector<T::Widened, N, B>; const N: usize);
        unary!(@one $op, $trait, $method, $bound, Scalar, Scalar<T, B>, Scalar<T::Widened, B>;);
    )*};
    (@one $op:ident, $trait:ident, $method:ident, $bound:ident, $reg:ident, $from:ty, $to:ty; $($params:tt)*) => {
        impl<T: Elem<Widened: $bound>, B: Backend, $($params)*> ops::$trait for $from {
            type Output = $to;
            #[op]
            fn $method(self) -> Self::Output {
                $reg::from_reg(B::map1::<$op, T::Widened, T, T::Widened, false, _, _>(self.into_reg()))
            }
        }
    };
}

unary! {
    Neg, Neg::neg, Numeric;
    Not, Not::not, Int;
}

macro_rules! element_operators {
    ($($trait:ident::$method:ident, $binary:ident::$operator:ident, $rule:ident;)*) => {$(
        impl<T, V, B> std::ops::$trait<V> for ElementRef<'_, T, B>
        where
            B: Backend,
            V: IntoScalar<B>,
            T: $rule<V::Elem>,
            Scalar<T, B>: std::ops::$binary<V, Output = Scalar<<T as $rule<V::Elem>>::Output, B>>,
        {
            #[op]
            fn $method(&mut self, rhs: V) {
                let value = std::ops::$binary::$operator(self.value(), rhs);
                self.assign(value);
            }
        }
    )*};
}

element_operators! {
    AddAssign::add_assign, Add::add, Promote;
    SubAssign::sub_assign, Sub::sub, Promote;
    MulAssign::mul_assign, Mul::mul, Promote;
    DivAssign::div_assign, Div::div, Promote;
    RemAssign::rem_assign, Rem::rem, Promote;
    BitAndAssign::bitand_assign, BitAnd::bitand, Promote;
    BitOrAssign::bitor_assign, BitOr::bitor, Promote;
    BitXorAssign::bitxor_assign, BitXor::bitxor, Promote;
    ShlAssign::shl_assign, Shl::shl, ShiftBy;
    ShrAssign::shr_assign, Shr::shr, ShiftBy;
}
