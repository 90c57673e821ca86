//! The element types in which operators are computed.

use crate::elem::{Elem, Promote, ShiftBy};
use crate::ops::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};

/// The element type in which an operator is computed.
pub trait Computes<T: Elem, V: Elem> {
    /// It.
    type In: Elem;
}

macro_rules! rules {
    ($($op:ident by $rule:ident)*) => {$(
        impl<T: Elem + $rule<V>, V: Elem> Computes<T, V> for $op {
            type In = <T as $rule<V>>::Output;
        }
    )*};
}

rules! {
    Add by Promote Sub by Promote Mul by Promote Div by Promote Rem by Promote
    And by Promote Or by Promote Xor by Promote Shl by ShiftBy Shr by ShiftBy
}
