//! The numbers of the lanes of a scattered access.

use cm_macros::{inlined, op};

use super::objects::Vector;
use super::scalar::{IntoScalar, Scalar};
use crate::backend::Backend;
use crate::elem::{Elem, bf16, f16, tf32};

/// A number for each of `L` lanes: a vector by reference, or a single number for a single lane.
#[diagnostic::on_unimplemented(
    message = "expected `&Vector<{T}, {L}>` or a single number, found `{Self}`",
    label = "not `&Vector<{T}, {L}>`",
    note = "scattered accesses take vectors of one length by reference, `&offsets`; a single number accesses one element",
    note = "element types do not change by themselves: `.convert::<i32>()` converts"
)]
pub trait PerLane<T: Elem, const L: usize, B: Backend> {
    /// The numbers.
    #[track_caller]
    fn per_lane(self) -> Vector<T, L, B>;
}

impl<T: Elem, const L: usize, B: Backend> PerLane<T, L, B> for &Vector<T, L, B> {
    #[inlined]
    fn per_lane(self) -> Vector<T, L, B> {
        Vector::from_reg((*self).into_reg())
    }
}

impl<T: Elem, B: Backend> PerLane<T, 1, B> for Scalar<T, B> {
    #[inlined]
    fn per_lane(self) -> Vector<T, 1, B> {
        Vector::from_reg(self.into_reg())
    }
}

macro_rules! numbers {
    ($($element:ident)*) => {
        numbers! { $($element as $element),* }
    };
    ($($t:ident as $elem:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<B: Backend> PerLane<$elem, 1, B> for $t {
            #[op]
            fn per_lane(self) -> Vector<$elem, 1, B> {
                IntoScalar::<B>::into_scalar(self).per_lane()
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
crate::for_each_storage!(numbers);
numbers! { usize as i32, isize as i32 }
