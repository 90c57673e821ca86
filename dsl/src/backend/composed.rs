//! Operations that are composed of a backend's operations.

use cm_compiler::limits;
use cm_macros::op;

use super::Backend;
use crate::elem::{Elem, HostInteger, Int, Numeric};
use crate::limits::Violation;
use crate::ops::{Add, BinaryOp, Convert, Merge, Mul};

/// A limit that is not a bound.
#[op]
pub(crate) fn require<B: Backend>(limit: Result<(), Violation>) {
    if let Err(violation) = limit {
        B::violation(violation);
    }
}

/// A host number of type `usize` or `isize` as the `i32` that it is in a kernel.
#[op]
pub(crate) fn host_number<B: Backend, H: HostInteger>(number: H) -> i32 {
    let number = number.to_i128();
    require::<B>(limits::host_number(number));
    number as i32
}

/// An object of this number of bytes fits the register file.
#[op]
pub(crate) fn require_object<B: Backend>(bytes: usize) {
    require::<B>(limits::object(bytes, B::register_file()));
}

/// Rust's `as` on every element.
#[op]
pub(crate) fn convert<B: Backend, T: Elem, U: Elem, const R: usize, const C: usize>(
    x: B::Reg<T, R, C>,
) -> B::Reg<U, R, C> {
    B::map1::<Convert, T, T, U, false, R, C>(x)
}

/// A binary operation on elements of one type, without a conversion.
#[op]
pub(crate) fn binary<B: Backend, O: BinaryOp<T>, T: Elem, const R: usize, const C: usize>(
    a: B::Reg<T, R, C>,
    b: B::Reg<T, R, C>,
) -> B::Reg<O::Output, R, C> {
    B::map2::<O, T, T, T, O::Output, false, R, C>(a, b)
}

/// A number in every element.
#[op]
pub(crate) fn number<B: Backend, T: Elem, const R: usize, const C: usize>(x: T) -> B::Reg<T, R, C> {
    B::splat(B::constant([[x]]))
}

/// `init`, `init + step`, `init + 2 * step` and so on, row by row.
#[op]
pub(crate) fn ramp<B: Backend, T: Numeric, const R: usize, const C: usize>(
    init: B::Reg<T, 1, 1>,
    step: B::Reg<T, 1, 1>,
) -> B::Reg<T, R, C> {
    let mut numbers = [[T::default(); C]; R];
    for (r, row) in numbers.iter_mut().enumerate() {
        for (c, number) in row.iter_mut().enumerate() {
            *number = T::cast_from((r * C + c) as u32);
        }
    }
    let steps = binary::<B, Mul, T, R, C>(B::splat(step), B::constant(numbers));
    binary::<B, Add, T, R, C>(B::splat(init), steps)
}

/// `x` where the lowest bit of the mask is set, otherwise `y`.
#[op]
pub(crate) fn merge<B: Backend, M: Int, T: Elem, const R: usize, const C: usize>(
    mask: B::Reg<M, R, C>,
    x: B::Reg<T, R, C>,
    y: B::Reg<T, R, C>,
) -> B::Reg<T, R, C> {
    B::map3::<Merge, M, T, T, T, T, false, R, C>(mask, x, y)
}
