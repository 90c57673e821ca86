//! The operands of operators.

use cm_macros::inlined;

use super::{Backend, Bounds};
use crate::elem::{Convert as _, Elem, ElemType, Int, is_long};
use crate::ops::{BinaryOp, MapKind};

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
    /// Whether part of a longer row of 32-bit integers is part of it, which are not converted from shorter ones.
    const LONG_PARTS: bool = false;
    /// Whether part of a longer row is part of it.
    const PARTS: bool = false;
    /// Whether elements of a surface are part of it.
    const IN_MEMORY: bool = false;
    /// Whether whole rows of a register are part of it: each thread may have chosen others.
    const WHOLE_ROWS: bool = false;
    /// Operators that are part of it.
    const OPERATORS: usize = 0;
    /// Whether all of it are bytes, host integers, and bits of comparisons of bytes.
    const BYTES: bool = false;
    /// Whether elements in it are shifted to the left, and its lowest bits depend only on those of its operands.
    const SHIFTED: bool = false;
    /// The register.
    #[track_caller]
    fn into_operand(self) -> B::Reg<Self::Elem, R, C>;
    /// Whether the threads may have chosen different rows.
    #[doc(hidden)]
    #[inlined]
    fn chosen(&self) -> bool {
        false
    }
    /// Whether the elements of each thread in a row begin `columns` after those of the thread before: after `C` columns they
    /// follow each other, after fewer some are those of both threads. Asked after [`begin`](Self::begin).
    #[doc(hidden)]
    #[inlined]
    fn is_apart(&self, columns: usize) -> bool {
        columns == C && !Self::PARTS
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
    /// Whether the staged scalars that are part of it are the same in all threads.
    #[doc(hidden)]
    #[inlined]
    fn same(&self) -> bool {
        true
    }
    /// One element of that register.
    #[doc(hidden)]
    fn element(&self, lane: B::Lane<R, C>) -> Self::Elem;
    /// The lowest 16 bits of an element, an integer.
    #[doc(hidden)]
    #[inlined]
    fn low(&self, lane: B::Lane<R, C>) -> u16 {
        u16::cast_from(self.element(lane))
    }
}

/// Whether the results of `O` are bits of bytes: of comparisons of bytes, or of such bits.
pub(crate) const fn of_bytes<O, P, X, Y, B, const R: usize, const C: usize>() -> bool
where
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, B>,
    Y: Operand<R, C, B>,
    B: Backend,
{
    let bits = match O::KIND {
        MapKind::And | MapKind::Or | MapKind::Xor => true,
        MapKind::Shl => !Y::STAGED_NUMBER && Y::OPERATORS == 0,
        kind => kind.class().is_comparison() && X::OPERATORS + Y::OPERATORS == 0,
    };
    bits && X::BYTES && Y::BYTES
}

/// Whether the lowest 16 bits of the results of `O` are computed from those of its operands: where elements are shifted to the
/// left. The compiler does the same for other operators, but not for shifts by numbers that it does not know.
pub(crate) const fn keeps_low<O, P, X, Y, B, const R: usize, const C: usize>() -> bool
where
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, B>,
    Y: Operand<R, C, B>,
    B: Backend,
{
    match O::KIND {
        MapKind::Shl => is_long::<P>(),
        MapKind::Add | MapKind::Sub | MapKind::Mul | MapKind::And | MapKind::Or | MapKind::Xor => {
            is_long::<P>() && (X::SHIFTED || Y::SHIFTED)
        }
        _ => false,
    }
}

/// The lowest 16 bits of the result of such an operator.
#[inlined]
pub(crate) fn low<O, P, X, Y, B, const R: usize, const C: usize>(a: &X, b: &Y, lane: B::Lane<R, C>) -> u16
where
    O: BinaryOp<P>,
    P: Elem,
    X: Operand<R, C, B>,
    Y: Operand<R, C, B>,
    B: Backend,
{
    if const { matches!(O::KIND, MapKind::Shl) } {
        let places = u32::cast_from(b.element(lane)) % u32::BITS;
        // By a bit more if no bit is left. A condition would be one for each row.
        return a.low(lane) << places.min(u16::BITS - 1) << u32::from(places >= u16::BITS);
    }
    let (a, b) = (a.low(lane), b.low(lane));
    match const { O::KIND } {
        MapKind::Add => a.wrapping_add(b),
        MapKind::Sub => a.wrapping_sub(b),
        MapKind::Mul => a.wrapping_mul(b),
        MapKind::And => a & b,
        MapKind::Or => a | b,
        _ => a ^ b,
    }
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
    // Minima, maxima and averages are computed in few bits. `O` of the same number twice is this number, as elements of its
    // result.
    if const { Bounds::lies_between::<O, P>() && is_u8::<X::Elem>() && is_u8::<Y::Elem>() } {
        let (a, b) = (u8::cast_from(a.element(lane)), u8::cast_from(b.element(lane)));
        let result = P::cast_from(between::<O, P, u8>(a, b));
        return O::apply(result, result);
    }
    if const { Bounds::lies_between::<O, P>() }
        && a.bounds().converted::<P>().within::<i16>()
        && b.bounds().converted::<P>().within::<i16>()
    {
        let (a, b) = (i16::cast_from(a.element(lane)), i16::cast_from(b.element(lane)));
        let result = P::cast_from(between::<O, P, i16>(a, b));
        return O::apply(result, result);
    }
    // The compiler knows that these numbers have 16 bits, and would shift them in 32 all the same, as the highest bit needs one
    // more.
    if const { X::OPERATORS > 0 && matches!(O::KIND, MapKind::Shr) && is_long::<P>() }
        && let (bounds, Some(places @ 0..16)) = (a.bounds().converted::<P>(), b.bounds().only::<u8>())
        && bounds.within::<i16>()
        && !bounds.within::<u16>()
    {
        return O::apply(P::cast_from(i16::cast_from(a.element(lane)) >> places), P::cast_from(0u8));
    }
    let left = P::cast_from(a.element(lane));
    let left = if const { X::OPERATORS > 0 && Bounds::pass_words::<O, P>() } {
        a.bounds().converted::<P>().through_words(left)
    } else {
        left
    };
    O::apply(left, P::cast_from(b.element(lane)))
}

/// The minimum, the maximum or the average, as `O`.
#[inlined]
fn between<O: BinaryOp<P>, P: Elem, T: Int>(a: T, b: T) -> T {
    match const { O::KIND } {
        MapKind::Min => T::min(a, b),
        MapKind::Max => T::max(a, b),
        _ => T::sub(T::or(a, b), T::shr(T::xor(a, b), T::cast_from(1u8))),
    }
}

const fn is_u8<T: Elem>() -> bool {
    matches!(T::TYPE, ElemType::U8)
}
