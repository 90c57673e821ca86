//! The operands of operators.

use cm_macros::inlined;

use super::{Backend, Bounds};
use crate::elem::Elem;
use crate::ops::BinaryOp;

/// Seals the operands: code without bounds checks relies on [`Operand::begin`].
pub trait Sealed {}

impl<X: Sealed> Sealed for &X {}

/// The right operand of an `R` x `C` register: a register of the same shape or a single number; in a tree of
/// operators also the result of another operator, which has not been computed yet.
#[diagnostic::on_unimplemented(
    message = "this cannot be combined with a register of {R} rows and {C} columns",
    label = "another shape, or not a number",
    note = "both sides of an operator have the same rows and columns, or one is a single number: take a \
            region with `.select`, `.row(i)` or `.format`",
    note = "a helper that gives a register to a kernel needs `#[function]`"
)]
pub trait Operand<const R: usize, const C: usize, B: Backend>: Sealed {
    /// Its element type.
    type Elem: Elem;
    /// Whether a staged scalar is part of it: threads that run side by side may have different numbers.
    const STAGED_NUMBER: bool = false;
    /// Whether a register of 32-bit integers is part of it.
    const LONG: bool = false;
    /// Whether part of a longer row is part of it.
    const PARTS: bool = false;
    /// Whether elements of a surface are part of it.
    const IN_MEMORY: bool = false;
    /// Whether whole rows of a register are part of it: each thread may have chosen others.
    const WHOLE_ROWS: bool = false;
    /// Operators that are part of it.
    const OPERATORS: usize = 0;
    /// The register.
    #[track_caller]
    fn into_operand(self) -> B::Reg<Self::Elem, R, C>;
    /// Whether the threads may have chosen different rows.
    #[doc(hidden)]
    #[inlined]
    fn chosen(&self) -> bool {
        false
    }
    /// Whether the elements of all threads in a row follow each other: each thread's first one is after the last one of the
    /// thread before. Asked after [`begin`](Self::begin).
    #[doc(hidden)]
    #[inlined]
    fn adjacent(&self) -> bool {
        !Self::PARTS
    }
    /// Asks whether its elements can be read now. Called before [`element`](Self::element).
    #[doc(hidden)]
    #[inlined]
    fn begin(&self) {}
    /// The range of its elements. Called before a loop, and for each element that is shifted or divided: the compiler evaluates it
    /// where host numbers are constants, and otherwise outside of the loop.
    #[doc(hidden)]
    #[inlined]
    fn bounds(&self) -> Bounds {
        Bounds::of::<Self::Elem>()
    }
    /// One element of that register.
    #[doc(hidden)]
    fn element(&self, lane: B::Lane<R, C>) -> Self::Elem;
}

/// One element of the result of an operator, whose operands are converted to `P`.
#[inlined]
pub(crate) fn combined<O, P, X, Y, B, const R: usize, const C: usize>(
    a: &X,
    b: &Y,
    lane: B::Lane<R, C>,
) -> O::Output
where
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, B>,
    Y: Operand<R, C, B>,
    B: Backend,
{
    let left = P::cast_from(a.element(lane));
    let left = if const { X::OPERATORS > 0 && Bounds::pass_words::<O, P>() } {
        a.bounds().converted::<P>().through_words(left)
    } else {
        left
    };
    O::apply(left, P::cast_from(b.element(lane)))
}
