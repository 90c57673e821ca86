//! Functions of groups of neighbouring elements.

use cm_macros::op;

use super::register::{Beside, Register};
use crate::elem::{Elem, Int};
use crate::limits::Groups;
use crate::ops::{Dp4, Sad2};

/// The four forms of a function: as documented, saturating, and both without a bound.
macro_rules! functions {
    ($($(#[$doc:meta])* $op:ident $width:literal of $domain:ident: $name:ident $sat:ident $any:ident $sat_any:ident;)*) => {$(
        $(#[$doc])*
        #[op]
        pub fn $name<U: Elem, A: Register<Shape: Groups<$width>>>(
            a: A,
            b: impl Beside<A, Common: $domain>,
        ) -> A::With<U> {
            $any::<U, A>(a, b)
        }

        #[doc = concat!("[`", stringify!($name), "`] with CM's `SAT`: the result is limited to the range of `U`.")]
        #[op]
        pub fn $sat<U: Elem, A: Register<Shape: Groups<$width>>>(
            a: A,
            b: impl Beside<A, Common: $domain>,
        ) -> A::With<U> {
            $sat_any::<U, A>(a, b)
        }

        #[doc = concat!("[`", stringify!($name), "`] without a bound: the number of elements is checked when the kernel is recorded.")]
        #[op]
        pub fn $any<U: Elem, A: Register>(a: A, b: impl Beside<A, Common: $domain>) -> A::With<U> {
            group::<$op, U, $width, false, A, _>(a, b)
        }

        #[doc = concat!("[`", stringify!($sat), "`] without a bound: the number of elements is checked when the kernel is recorded.")]
        #[op]
        pub fn $sat_any<U: Elem, A: Register>(a: A, b: impl Beside<A, Common: $domain>) -> A::With<U> {
            group::<$op, U, $width, true, A, _>(a, b)
        }
    )*};
}

functions! {
    /// Sums of the absolute differences of two pairs. CM: `cm_sad2<U>(a, b)`.
    ///
    /// Elements 0 and 1, row by row, are a pair, then 2 and 3, and so on: the number of elements is even.
    /// Both elements of a pair become `|a[0] - b[0]| + |a[1] - b[1]|`; CM leaves the second one undefined.
    /// `b` has the shape of `a` or is a number.
    ///
    /// The elements are integers of any type, CM's are bytes. They are computed in their common type, that of
    /// operators: sums of bytes and words are exact in `i32`, others wrap.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let a = Vector::from_array([10u8, 0, 255, 255]);
    /// let b = Vector::from_array([13u8, 5, 0, 0]);
    /// assert_eq!(math::sad2::<u16, _>(a, b).to_array(), [8, 8, 510, 510]);
    /// assert_eq!(math::sad2_sat::<u8, _>(a, b).to_array(), [8, 8, 255, 255]);
    /// // One sum for each pair.
    /// assert_eq!(math::sad2::<u16, _>(a, b).select::<2, 2>(0).to_array(), [8, 510]);
    /// ```
    Sad2 2 of Int: sad2 sad2_sat sad2_any sad2_sat_any;

    /// Dot products of four elements. CM: `cm_dp4<U>(a, b)`.
    ///
    /// Elements 0 to 3, row by row, are a group, then 4 to 7, and so on: the number of elements is a multiple
    /// of 4. All elements of a group become `(a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])`. `b`
    /// has the shape of `a` or is a number.
    ///
    /// The elements are of any type, CM's are floats. They are computed in their common type, that of
    /// operators: floats are rounded after each operation, integers wrap.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let pixel = Vector::from_array([200u8, 100, 50, 255]);
    /// let weights = Vector::from_array([0.25f32, 0.5, 0.25, 0.0]);
    /// assert_eq!(math::dp4::<u8, _>(pixel, weights).to_array(), [112; 4]);
    /// assert_eq!(math::dp4::<i32, _>(pixel, pixel).to_array(), [117_525; 4]);
    /// ```
    Dp4 4 of Elem: dp4 dp4_sat dp4_any dp4_sat_any;
}

/// `O` of two operands in their common type, as elements `U`.
#[op]
fn group<O, U, const W: usize, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: crate::ops::GroupOp<V::Common, W>,
    U: Elem,
    A: Register,
    V: Beside<A>,
{
    a.group2::<O, V::Common, V::Elem, U, W, SAT>(b.beside())
}
