//! The element types in which operators are computed.

use cm_macros::inlined;

use crate::elem::{Elem, Int, Numeric, Promote, ShiftBy};
use crate::ops::{
    Abs, Add, And, As, Avg, Convert, Div, Eq, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, OfFirst, Or, Rem, Shl, Shr,
    Sub, Xor,
};

/// The element type in which an operator is computed.
pub trait Computes<T: Elem, V: Elem> {
    /// It.
    type In: Elem;
}

macro_rules! rules {
    ($($op:ident by $rule:ident in $domain:ident::$same:ident)*) => {$(
        impl<T: Elem + $rule<V, Output: $domain>, V: Elem> Computes<T, V> for $op {
            type In = <<T as $rule<V>>::Output as $domain>::$same;
        }
    )*};
}

rules! {
    Add by Promote in Numeric::Same
    Sub by Promote in Numeric::Same
    Mul by Promote in Numeric::Same
    Div by Promote in Numeric::Same
    Rem by Promote in Int::Whole
    And by Promote in Int::Whole
    Or by Promote in Int::Whole
    Xor by Promote in Int::Whole
    Shl by ShiftBy in Int::Whole
    Shr by ShiftBy in Int::Whole
    Lt by Promote in Numeric::Same
    Le by Promote in Numeric::Same
    Gt by Promote in Numeric::Same
    Ge by Promote in Numeric::Same
    Eq by Promote in Numeric::Same
    Ne by Promote in Numeric::Same
    Max by Promote in Numeric::Same
    Min by Promote in Numeric::Same
    Avg by Promote in Int::Whole
}

impl<T: Numeric, V: Elem> Computes<T, V> for OfFirst<Abs> {
    type In = T;
}

impl<T: Elem, V: Elem> Computes<T, V> for OfFirst<Convert> {
    type In = T;
}

impl<O: Computes<T, V>, U, T: Elem, V: Elem, const SAT: bool> Computes<T, V> for As<O, U, SAT> {
    type In = O::In;
}

/// An element type that rustc knows. Types that are made with its help are unknown if the element type is:
/// rustc does not look for methods of unknown types, which would be a second error.
pub trait Known {
    /// `T`.
    type Then<T>;
    /// `x`.
    fn then<T>(x: T) -> Self::Then<T>;
}

impl<E: Elem> Known for E {
    type Then<T> = T;

    #[inlined]
    fn then<T>(x: T) -> T {
        x
    }
}
