//! Methods that registers lack, with error messages that name the alternative.
//!
//! Without these methods rustc finds those of `Iterator` and `Ord` and says that a register is not an
//! iterator. No type satisfies their bounds, so they are never called.

use std::convert::Infallible;
use std::ops::Index;

use cm_macros::inlined;

use super::objects::{Matrix, Vector};
use super::scalar::Scalar;
use crate::backend::{Backend, Storage};
use crate::elem::Elem;

/// A bound that no type satisfies, because no type implements the traits that require it. A function with such a bound is
/// only there for the message about it.
pub trait Unsatisfied {
    /// The result of such a function.
    const NEVER: Infallible;
}

/// Comparison by a method.
#[diagnostic::on_unimplemented(
    message = "registers have no methods that compare: write `a < b`",
    label = "write the operator",
    note = "in kernels and functions `<`, `<=`, `>`, `>=`, `==` and `!=` compare element by element \
            and give a mask"
)]
pub trait ComparesByMethod: Unsatisfied {}

/// An order of whole registers.
#[diagnostic::on_unimplemented(
    message = "registers have no methods for minima and maxima: write `math::min::<u8, _>(a, b)` or \
               `math::max`, with the element type of the result",
    label = "not a method of registers",
    note = "the smallest element of a register is `math::reduced_min::<u8, _>(x)`, the largest \
            `math::reduced_max`"
)]
pub trait HasOrder: Unsatisfied {}

/// Functions of every element by a method.
#[diagnostic::on_unimplemented(
    message = "registers have no methods that compute: write `math::abs::<i32, _>(x)`, `math::sqrt(x)`, `math::rndd(x)`",
    label = "not a method of registers",
    note = "`math` has CM's functions under their names: `floor` is `rndd`, `ceil` is `rndu`, `round` is `rnde`, `mul_add` is \
            `fma`, `rotate_left` is `rol`, and `exp` and `log` are to base 2",
    note = "of bits: `count_ones` is `cbit`, `leading_zeros` is `lzd`, `trailing_zeros` is `fbl`, `reverse_bits` is `bf_reverse`, \
            `v.to_bits()` is `v.format::<u32>()`",
    note = "operators are enough for others: `x.div_euclid(8)` is `x >> 3`, `x.rem_euclid(8)` is `x & 7`, `x.is_nan()` is `x != x`"
)]
pub trait ComputesElements: Unsatisfied {}

/// Operators by a method.
#[diagnostic::on_unimplemented(
    message = "registers have no methods for operators: write `a + b`, `a - b` or `a * b`",
    label = "not a method of registers",
    note = "as in CM, results have a promoted type and are converted: `(a + b).convert::<u8>()` wraps, `.saturate::<u8>()` \
            saturates, and `math::add_sat::<u8, _>(a, b)` does both in one"
)]
pub trait ComputesByMethod: Unsatisfied {}

/// The sum of all elements by a method.
#[diagnostic::on_unimplemented(
    message = "registers have no `sum`: write `math::sum::<i32, _>(x)`, with the type of the result",
    label = "not a method of registers",
    note = "the product of all elements is `math::prod`"
)]
pub trait SumsElements: Unsatisfied {}

/// The size by a method.
#[diagnostic::on_unimplemented(
    message = "registers have no methods for their size: write `Vector::<u8, 32>::ELEMENTS`, or `ROWS` and `COLUMNS` of a matrix type",
    label = "the size is a constant",
    note = "the size is part of the type: `Matrix::<u8, 8, 32>::ROWS` is 8"
)]
pub trait CountsElements: Unsatisfied {}

/// Rows and columns.
#[diagnostic::on_unimplemented(
    message = "a vector has no rows and columns: write `.select::<N, S>(i)` for elements of it",
    label = "a method of matrices",
    note = "`.get(i)` is one element; `.format::<T, R, C>()` is the vector as a matrix"
)]
pub trait HasRows: Unsatisfied {}

/// The index of a register.
#[diagnostic::on_unimplemented(
    message = "registers are not indexed by `[..]`: write `m.get(i, j)` or `v.get(i)`",
    label = "not an index of a register",
    note = "`.get_mut(i, j).assign(x)` writes an element, `.row(i)` is a row"
)]
pub trait RegisterIndex: Unsatisfied {
    /// The indexed element.
    type Element;
}

/// A host value with an order, as `std::cmp::min` and `max` require it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order for `std::cmp`: write `math::min::<u8, _>(a, b)` or `math::max`, with \
               the element type of the result",
    label = "not a host value"
)]
pub trait Ordered {
    /// The same type. As the result of [`ordered`] it keeps rustc from taking the type of a literal for that of `x`.
    type Own;
    /// The value.
    fn own(self) -> Self::Own;
}
#[diagnostic::do_not_recommend]
impl<T: Ord> Ordered for T {
    type Own = T;
    #[inlined]
    fn own(self) -> T {
        self
    }
}

/// An argument of `std::cmp::min` or `max`.
#[inlined]
pub fn ordered<T: Ordered>(x: T) -> T::Own {
    x.own()
}

macro_rules! absent {
    ($([$($params:tt)*], $ty:ty, $mask:ty;)*) => {$(
        impl<T: Elem, $($params)* B: Backend> $ty {
            absent!(@compares $mask: lt le gt ge eq ne);
            absent!(@orders min max);
            absent!(@computes self: abs sqrt exp exp2 ln log2 sin cos floor ceil round trunc fract recip);
            absent!(@computes self: count_ones leading_zeros trailing_zeros reverse_bits);
            absent!(@computes self: signum is_nan to_bits tan asin acos atan tanh isqrt ilog2);
            absent!(@computes self, (_: V): pow powi powf abs_diff rotate_left rotate_right div_ceil);
            absent!(@computes self, (_: V): div_euclid rem_euclid atan2 hypot copysign);
            absent!(@computes self, (_: V, _: V): mul_add);
            absent!(@operators wrapping_add wrapping_sub wrapping_mul saturating_add saturating_sub saturating_mul);

            #[doc(hidden)]
            pub fn clamp<V>(self, _: V, _: V) -> Self
            where
                Self: HasOrder,
            {
                match Self::NEVER {}
            }
        }
    )*};
    (@compares $mask:ty: $($method:ident)*) => {$(
        #[doc(hidden)]
        pub fn $method<V>(&self, _: V) -> $mask
        where
            Self: ComparesByMethod,
        {
            match Self::NEVER {}
        }
    )*};
    (@computes self: $($method:ident)*) => {$(
        #[doc(hidden)]
        pub fn $method(self) -> Self
        where
            Self: ComputesElements,
        {
            match Self::NEVER {}
        }
    )*};
    (@computes self, $operands:tt: $($method:ident)*) => {$(
        absent!(@computes_with $method $operands);
    )*};
    (@computes_with $method:ident ($($operands:tt)*)) => {
        #[doc(hidden)]
        pub fn $method<V>(self, $($operands)*) -> Self
        where
            Self: ComputesElements,
        {
            match Self::NEVER {}
        }
    };
    (@operators $($method:ident)*) => {$(
        #[doc(hidden)]
        pub fn $method<V>(self, _: V) -> Self
        where
            Self: ComputesByMethod,
        {
            match Self::NEVER {}
        }
    )*};
    (@orders $($method:ident)*) => {$(
        #[doc(hidden)]
        pub fn $method<V>(self, _: V) -> Self
        where
            Self: HasOrder,
        {
            match Self::NEVER {}
        }
    )*};
}

macro_rules! no_rows {
    ($($method:ident)*) => {
        impl<T: Elem, const N: usize, B: Backend, S: Storage<B>> Vector<T, N, B, S> {$(
            #[doc(hidden)]
            pub fn $method<V>(&self, _: V) -> Vector<T, N, B>
            where
                Self: HasRows,
            {
                match Self::NEVER {}
            }
        )*}
    };
}

no_rows!(row column);

absent! {
    [const R: usize, const C: usize,], Matrix<T, R, C, B>, Matrix<u16, R, C, B>;
    [const N: usize,], Vector<T, N, B>, Vector<u16, N, B>;
    [], Scalar<T, B>, B::Cond;
}

macro_rules! of_elements {
    (@counts $($method:ident)*) => {$(
        #[doc(hidden)]
        pub fn $method(&self) -> usize
        where
            Self: CountsElements,
        {
            match Self::NEVER {}
        }
    )*};
    ($([$($params:tt)*], $ty:ty;)*) => {$(
        impl<T: Elem, $($params)* B: Backend> $ty {
            #[doc(hidden)]
            pub fn sum(&self) -> Scalar<T, B>
            where
                Self: SumsElements,
            {
                match Self::NEVER {}
            }

            of_elements!(@counts n_elems n_rows n_cols);
        }

        #[doc(hidden)]
        impl<T: Elem, $($params)* B: Backend, I: RegisterIndex> Index<I> for $ty {
            type Output = I::Element;

            fn index(&self, _: I) -> &I::Element {
                match I::NEVER {}
            }
        }
    )*};
}

of_elements! {
    [const R: usize, const C: usize,], Matrix<T, R, C, B>;
    [const N: usize,], Vector<T, N, B>;
}
