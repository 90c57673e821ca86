//! Offsets: literals that `cargo check` tests, host numbers that are tested when the kernel is recorded,
//! and staged numbers that stay inside the object whatever they are.

use cm_macros::op;
use typenum::{B0, B1};

use super::Violation;
use super::replicate::Reach;
use super::select::{Span, Within};
use crate::backend::{Backend, Offset as LinearOffset};
use crate::elem::Int;
use crate::registers::Scalar;

/// An integer literal as a type: what `#[kernel]` makes of a literal offset.
#[derive(Clone, Copy, Debug)]
pub struct Lit<const I: usize>;

/// What an offset must respect.
pub trait Limit {
    /// The largest legal offset; `None` where no offset is legal.
    const LAST: Option<usize>;
    /// The rule that `offset` breaks.
    fn violation(offset: i128) -> Violation;
}

/// An offset: an integer literal, a host integer of any type, or a staged integer.
///
/// A staged offset is taken as an unsigned 32-bit number and limited to the last legal position, so it can
/// never read or write outside the object (a negative one selects the last position as well).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an offset",
    label = "not an integer",
    note = "rows, columns and elements are counted by integers: a literal, a host integer, or a staged integer"
)]
pub trait Offset<L: Limit, B: Backend>: Copy {
    /// The position it stands for.
    fn position(self) -> Position<B>;
}

/// A position inside an object.
#[derive(Debug)]
pub enum Position<B: Backend> {
    /// Known while recording.
    Host(usize),
    /// Known when the kernel runs; limited already.
    Staged(Scalar<u32, B>),
}

macro_rules! offsets {
    ($($(#[$doc:meta])* $name:ident<$($c:ident),*>, last $last:expr, $violation:expr;
        leaf $leaf:ident, $message:literal, $label:literal, $note:literal;
        lit $at:ty, base $base:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$(const $c: usize),*>;

        impl<$(const $c: usize),*> Limit for $name<$($c),*> {
            const LAST: Option<usize> = $last;
            #[cold]
            fn violation(offset: i128) -> Violation {
                $violation(offset)
            }
        }

        /// Leaf of a literal offset; silent where the region fits at no offset, which is reported already.
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $leaf<Base> {}
        impl<X> $leaf<X> for B1 {}
        impl $leaf<B0> for B0 {}

        impl<B: Backend, const I: usize, $(const $c: usize),*> Offset<$name<$($c),*>, B> for Lit<I>
        where
            $base: Within,
            $at: Within<Bit: $leaf<<$base as Within>::Bit>>,
        {
            #[inline(always)]
            fn position(self) -> Position<B> {
                Position::Host(I)
            }
        }
    )*};
}

const fn last(total: usize, size: usize, stride: usize) -> Option<usize> {
    if size == 0 { Some(total) } else { total.checked_sub((size - 1) * stride + 1) }
}

/// How far the last element of a `replicate` lies behind the first.
pub(crate) const fn reach(rep: usize, vs: usize, w: usize, hs: usize) -> usize {
    rep.saturating_sub(1) * vs + w.saturating_sub(1) * hs
}

offsets! {
    /// The first row of a `select` of `SIZE` rows, `STRIDE` apart, of `TOTAL`.
    RowOffset<TOTAL, SIZE, STRIDE>, last last(TOTAL, SIZE, STRIDE),
        |offset| Violation::Rows { offset, size: SIZE, stride: STRIDE, rows: TOTAL };
    leaf SelectRowInside, "`select` starts too low: it reaches past the last row",
        "the region does not fit below this row",
        "the first row is at most the rows minus (R - 1) * VS + 1: start higher, or take fewer rows";
    lit Span<I, SIZE, STRIDE, TOTAL>, base Span<0, SIZE, STRIDE, TOTAL>;

    /// The first column of a `select` of `SIZE` columns, `STRIDE` apart, of `TOTAL`.
    ColumnOffset<TOTAL, SIZE, STRIDE>, last last(TOTAL, SIZE, STRIDE),
        |offset| Violation::Columns { offset, size: SIZE, stride: STRIDE, columns: TOTAL };
    leaf SelectColumnInside, "`select` starts too far right: it reaches past the last column",
        "the region does not fit right of this column",
        "the first column is at most the columns minus (C - 1) * HS + 1: start further left, or take fewer columns";
    lit Span<I, SIZE, STRIDE, TOTAL>, base Span<0, SIZE, STRIDE, TOTAL>;

    /// The first element of a `select` of `SIZE` elements, `STRIDE` apart, of `TOTAL`.
    SelectOffset<TOTAL, SIZE, STRIDE>, last last(TOTAL, SIZE, STRIDE),
        |offset| Violation::Elements { offset, size: SIZE, stride: STRIDE, elements: TOTAL };
    leaf SelectElementInside, "`select` starts too far right: it reaches past the last element",
        "the region does not fit behind this element",
        "the first element is at most the elements minus (N - 1) * S + 1: start earlier, or take fewer elements";
    lit Span<I, SIZE, STRIDE, TOTAL>, base Span<0, SIZE, STRIDE, TOTAL>;

    /// A row index.
    ElementRow<TOTAL>, last last(TOTAL, 1, 1), |offset| Violation::Row { offset, rows: TOTAL };
    leaf RowExists, "row index out of range", "the matrix has no such row",
        "rows are counted from 0: the last one is the number of rows minus 1";
    lit Span<I, 1, 1, TOTAL>, base Span<0, 1, 1, TOTAL>;

    /// A column index.
    ElementColumn<TOTAL>, last last(TOTAL, 1, 1), |offset| Violation::Column { offset, columns: TOTAL };
    leaf ColumnExists, "column index out of range", "the matrix has no such column",
        "columns are counted from 0: the last one is the number of columns minus 1";
    lit Span<I, 1, 1, TOTAL>, base Span<0, 1, 1, TOTAL>;

    /// An element index of a vector.
    ElementOffset<TOTAL>, last last(TOTAL, 1, 1), |offset| Violation::Element { offset, elements: TOTAL };
    leaf ElementExists, "element index out of range", "the vector has no such element",
        "elements are counted from 0: the last one is the number of elements minus 1";
    lit Span<I, 1, 1, TOTAL>, base Span<0, 1, 1, TOTAL>;

    /// The first element of a `replicate` of a vector. In a matrix the row and the column are checked one by one, and
    /// where the last element is when the kernel is recorded.
    ReplicateElement<TOTAL, REP, VS, W, HS>, last last(TOTAL, 2, reach(REP, VS, W, HS)),
        |offset| Violation::Replicate { offset, reach: reach(REP, VS, W, HS), elements: TOTAL };
    leaf ReplicateStartsInside, "`replicate` starts too far right: it reads past the last element",
        "fewer elements follow than are read",
        "element (REP - 1) * VS + (W - 1) * HS after the offset must still be one of the vector's";
    lit Reach<I, REP, VS, W, HS, TOTAL>, base Reach<0, REP, VS, W, HS, TOTAL>;
}

macro_rules! host_offsets {
    ($($t:ident)*) => {$(
        impl<L: Limit, B: Backend> Offset<L, B> for $t {
            #[op]
            fn position(self) -> Position<B> {
                let last = L::LAST.unwrap_or(0);
                match usize::try_from(self) {
                    Ok(at) if at <= last && L::LAST.is_some() => Position::Host(at),
                    _ => {
                        B::violation(L::violation(self as i128));
                        Position::Host(last)
                    }
                }
            }
        }
    )*};
}

host_offsets! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize }

impl<L: Limit, B: Backend, T: Int> Offset<L, B> for Scalar<T, B> {
    #[op]
    fn position(self) -> Position<B> {
        let last = L::LAST.unwrap_or(0);
        if L::LAST.is_none() {
            B::violation(L::violation(0));
        }
        Position::Staged(self.limited_to(last as u32))
    }
}

/// The linear offset of position `(i, j)` in rows of `columns` elements.
#[op]
pub(crate) fn linear<B: Backend>(i: Position<B>, j: Position<B>, columns: usize) -> LinearOffset<B> {
    let start = match i {
        Position::Host(i) => return plus(i * columns, j),
        Position::Staged(i) if columns == 1 => i,
        Position::Staged(i) => i * columns as u32,
    };
    match j {
        Position::Host(0) => LinearOffset::Staged(start.into_reg()),
        Position::Host(j) => LinearOffset::Staged((start + j as u32).into_reg()),
        Position::Staged(j) => LinearOffset::Staged((start + j).into_reg()),
    }
}

/// `start + j`, of which the start is known.
#[op]
fn plus<B: Backend>(start: usize, j: Position<B>) -> LinearOffset<B> {
    match j {
        Position::Host(j) => LinearOffset::Host(start + j),
        Position::Staged(j) if start == 0 => LinearOffset::Staged(j.into_reg()),
        Position::Staged(j) => LinearOffset::Staged((j + start as u32).into_reg()),
    }
}

/// The linear offset of position `i`.
#[inline(always)]
pub(crate) fn locate<B: Backend>(i: Position<B>) -> LinearOffset<B> {
    match i {
        Position::Host(i) => LinearOffset::Host(i),
        Position::Staged(i) => LinearOffset::Staged(i.into_reg()),
    }
}
