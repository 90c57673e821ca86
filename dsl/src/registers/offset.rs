//! Offsets: `cargo check` checks literals, recording checks host numbers, and staged numbers are clamped to the
//! object.

use cm_compiler::limits::{self, last_start, reach};
use cm_macros::{inlined, op};
use typenum::{B0, B1};

use super::scalar::Scalar;
use crate::backend::{Backend, Region, Start, require};
use crate::elem::{Int, host_integers};
use crate::limits::{Extent, Reach, Violation, Within};

/// An integer literal as a type. `#[kernel]` generates it for a literal offset.
#[derive(Clone, Copy, Debug)]
pub struct Lit<const I: usize>;

/// The unit of an offset, and how offsets in this unit are checked.
pub trait Counts<B: Backend> {
    /// The checked offset, as operations take it.
    type Value;
    /// Checks a number that is known when the kernel is recorded.
    #[track_caller]
    fn host(number: i128) -> Self::Value;
    /// Converts a staged number.
    #[track_caller]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value;
}

/// An offset or a coordinate: an integer literal, a host integer of any type, or a staged integer. `K` is its
/// unit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "expected an integer: a literal, a host integer or a staged one",
    note = "coordinates (x in bytes, y in rows), offsets into buffers, rows, columns and elements are \
            integers; `.convert::<i32>()` makes one"
)]
pub trait Offset<K: Counts<B>, B: Backend>: Copy {
    /// Whether the kernel may compute the offset. If not, the code for computed offsets is not compiled.
    const STAGED: bool = true;
    /// The number, checked if it is known.
    #[track_caller]
    fn value(self) -> K::Value;
}

host_integers! {
    impl [K: Counts<B>, B: Backend] Offset<K, B> {
        const STAGED: bool = false;

        #[op]
        fn value(self) -> K::Value {
            K::host(self as i128)
        }
    }
}

impl<K: Counts<B>, T: Int, B: Backend> Offset<K, B> for Scalar<T, B> {
    #[op]
    fn value(self) -> K::Value {
        K::staged(self)
    }
}

/// The range of an offset into a register.
///
/// A staged offset is an unsigned 32-bit number and is clamped to the last legal position, so it can never
/// read or write outside the object. A negative offset also selects the last position.
pub trait Limit {
    /// The largest legal offset; `None` if no offset is legal.
    const LAST: Option<usize>;
    /// Checks an offset.
    ///
    /// # Errors
    /// If the offset is not legal.
    fn check(offset: i128) -> Result<(), Violation>;
}

impl<L: Limit, B: Backend> Counts<B> for L {
    type Value = Position<B>;

    #[op]
    fn host(number: i128) -> Position<B> {
        match L::check(number) {
            Ok(()) => Position::Host(number as usize),
            Err(violation) => {
                B::violation(violation);
                Position::Host(L::LAST.unwrap_or(0))
            }
        }
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Position<B> {
        // If no offset is legal, a staged offset is reported as well.
        if L::LAST.is_none() {
            require::<B>(L::check(0));
        }
        Position::Staged(number.limited_to(L::LAST.unwrap_or(0) as u32))
    }
}

/// A position inside an object.
#[derive(Debug)]
pub enum Position<B: Backend> {
    /// Known while recording.
    Host(usize),
    /// Known when the kernel runs, and already clamped.
    Staged(Scalar<u32, B>),
}

impl<B: Backend> Position<B> {
    /// The value of an offset that the kernel does not compute.
    #[inlined]
    fn host(self) -> usize {
        match self {
            Self::Host(position) => position,
            Self::Staged(_) => unreachable!("`Offset::STAGED` says that the kernel may compute it"),
        }
    }
}

macro_rules! offsets {
    ($($(#[$doc:meta])* $name:ident<$($c:ident),*>, last $last:expr, $check:expr;
        leaf $leaf:ident, $message:literal, $label:literal, $note:literal;
        lit $at:ty, base $base:ty;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$(const $c: usize),*>;

        impl<$(const $c: usize),*> Limit for $name<$($c),*> {
            const LAST: Option<usize> = $last;
            #[inlined]
            fn check(offset: i128) -> Result<(), Violation> {
                $check(offset)
            }
        }

        /// Leaf of a literal offset; silent if the region fits at no offset, which is already reported.
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $leaf<Base> {}
        impl<X> $leaf<X> for B1 {}
        impl $leaf<B0> for B0 {}

        impl<B: Backend, const I: usize, $(const $c: usize),*> Offset<$name<$($c),*>, B> for Lit<I>
        where
            $base: Within,
            $at: Within<Bit: $leaf<<$base as Within>::Bit>>,
        {
            const STAGED: bool = false;

            #[inlined]
            fn value(self) -> Position<B> {
                Position::Host(I)
            }
        }
    )*};
}

offsets! {
    /// The first row of a `select` of `SIZE` rows, `STRIDE` apart, of `TOTAL`.
    RowOffset<TOTAL, SIZE, STRIDE>, last last_start(TOTAL, SIZE, STRIDE),
        |offset| limits::rows(offset, TOTAL, SIZE, STRIDE);
    leaf SelectRowInside, "`select` starts too low: it reaches past the last row",
        "the region does not fit below this row",
        "the first row is at most the rows minus (R - 1) * VS + 1: start higher, or take fewer rows";
    lit Extent<I, SIZE, STRIDE, TOTAL>, base Extent<0, SIZE, STRIDE, TOTAL>;

    /// The first column of a `select` of `SIZE` columns, `STRIDE` apart, of `TOTAL`.
    ColumnOffset<TOTAL, SIZE, STRIDE>, last last_start(TOTAL, SIZE, STRIDE),
        |offset| limits::columns(offset, TOTAL, SIZE, STRIDE);
    leaf SelectColumnInside, "`select` starts too far right: it reaches past the last column",
        "the region does not fit right of this column",
        "the first column is at most the columns minus (C - 1) * HS + 1: start further left, or take fewer \
         columns";
    lit Extent<I, SIZE, STRIDE, TOTAL>, base Extent<0, SIZE, STRIDE, TOTAL>;

    /// The first element of a `select` of `SIZE` elements, `STRIDE` apart, of `TOTAL`.
    SelectOffset<TOTAL, SIZE, STRIDE>, last last_start(TOTAL, SIZE, STRIDE),
        |offset| limits::elements(offset, TOTAL, SIZE, STRIDE);
    leaf SelectElementInside, "`select` starts too far right: it reaches past the last element",
        "the region does not fit behind this element",
        "the first element is at most the elements minus (N - 1) * S + 1: start earlier, or take fewer \
         elements";
    lit Extent<I, SIZE, STRIDE, TOTAL>, base Extent<0, SIZE, STRIDE, TOTAL>;

    /// A row index.
    ElementRow<TOTAL>, last last_start(TOTAL, 1, 1), |offset| limits::row(offset, TOTAL);
    leaf RowExists, "row index out of range", "the matrix has no such row",
        "rows are counted from 0: the last one is the number of rows minus 1";
    lit Extent<I, 1, 1, TOTAL>, base Extent<0, 1, 1, TOTAL>;

    /// A column index.
    ElementColumn<TOTAL>, last last_start(TOTAL, 1, 1), |offset| limits::column(offset, TOTAL);
    leaf ColumnExists, "column index out of range", "the matrix has no such column",
        "columns are counted from 0: the last one is the number of columns minus 1";
    lit Extent<I, 1, 1, TOTAL>, base Extent<0, 1, 1, TOTAL>;

    /// An element index of a vector.
    ElementOffset<TOTAL>, last last_start(TOTAL, 1, 1), |offset| limits::element(offset, TOTAL);
    leaf ElementExists, "element index out of range", "the vector has no such element",
        "elements are counted from 0: the last one is the number of elements minus 1";
    lit Extent<I, 1, 1, TOTAL>, base Extent<0, 1, 1, TOTAL>;

    /// The number of a named barrier.
    BarrierNumber<TOTAL>, last last_start(TOTAL, 1, 1), |number| limits::named_barrier(number, TOTAL);
    leaf BarrierExists, "named barrier out of range", "the kernel has no such barrier",
        "barriers are counted from 0: the last one is the `N` of `named_barriers::<N>()` minus 1";
    lit Extent<I, 1, 1, TOTAL>, base Extent<0, 1, 1, TOTAL>;

    /// The first element of a `replicate` of a vector. In a matrix the row and the column are checked separately,
    /// and the position of the last element when the kernel is recorded.
    ReplicateElement<TOTAL, REP, VS, W, HS>, last last_start(TOTAL, 2, reach(REP, VS, W, HS)),
        |offset| limits::replicate(offset, reach(REP, VS, W, HS), TOTAL);
    leaf ReplicateStartsInside, "`replicate` starts too far right: it reads past the last element",
        "fewer elements follow than are read",
        "element (REP - 1) * VS + (W - 1) * HS after the offset must still be one of the vector's";
    lit Reach<I, REP, VS, W, HS, TOTAL>, base Reach<0, REP, VS, W, HS, TOTAL>;
}

/// The linear offset of position `(i, j)` in rows of `columns` elements.
#[op]
pub(super) fn row_major<B, K, L, I, J>(i: I, j: J, columns: usize) -> Start<B>
where
    B: Backend,
    K: Counts<B, Value = Position<B>>,
    L: Counts<B, Value = Position<B>>,
    I: Offset<K, B>,
    J: Offset<L, B>,
{
    let (i, j) = (i.value(), j.value());
    if const { !I::STAGED && !J::STAGED } {
        return Start::Host(i.host() * columns + j.host());
    }
    let start = match i {
        Position::Host(i) => return plus(i * columns, j),
        Position::Staged(i) => row_of(i, columns),
    };
    match j {
        Position::Host(0) => Start::Staged(start.into_reg()),
        Position::Host(j) => Start::Staged((start + j as u32).into_reg()),
        Position::Staged(j) => Start::Staged((start + j).into_reg()),
    }
}

/// The linear offset of row `i` of `columns` elements.
#[op]
pub(super) fn row_start<B, K, I>(i: I, columns: usize) -> Start<B>
where
    B: Backend,
    K: Counts<B, Value = Position<B>>,
    I: Offset<K, B>,
{
    let i = i.value();
    if const { !I::STAGED } {
        return Start::Host(i.host() * columns);
    }
    match i {
        Position::Host(i) => Start::Host(i * columns),
        Position::Staged(i) => Start::Staged(row_of(i, columns).into_reg()),
    }
}

/// The first element of a computed row. Products with 1 and sums with 0 are not recorded.
#[op]
fn row_of<B: Backend>(i: Scalar<u32, B>, columns: usize) -> Scalar<u32, B> {
    if columns == 1 { i } else { i * columns as u32 }
}

/// `start + j`, with a known start.
#[op]
fn plus<B: Backend>(start: usize, j: Position<B>) -> Start<B> {
    match j {
        Position::Host(j) => Start::Host(start + j),
        Position::Staged(j) if start == 0 => Start::Staged(j.into_reg()),
        Position::Staged(j) => Start::Staged((j + start as u32).into_reg()),
    }
}

/// The linear offset of position `i`.
#[inlined]
pub(super) fn locate<B: Backend>(i: Position<B>) -> Start<B> {
    match i {
        Position::Host(i) => Start::Host(i),
        Position::Staged(i) => Start::Staged(i.into_reg()),
    }
}

/// The region of a `select` of a matrix, checked if it is known.
#[op]
pub(super) fn matrix_region<
    B: Backend,
    const R: usize,
    const C: usize,
    const R2: usize,
    const VS: usize,
    const C2: usize,
    const HS: usize,
>(
    i: impl Offset<RowOffset<R, R2, VS>, B>,
    j: impl Offset<ColumnOffset<C, C2, HS>, B>,
) -> Region<B> {
    require::<B>(const { limits::region(R2, VS) });
    require::<B>(const { limits::region(C2, HS) });
    Region { offset: row_major(i, j, C), row_stride: VS * C, width: C2, column_stride: HS }
}

/// The region of a `select` of a vector, checked if it is known.
#[op]
pub(super) fn vector_region<B: Backend, const N: usize, const SIZE: usize, const STRIDE: usize>(
    i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
) -> Region<B> {
    require::<B>(const { limits::region(SIZE, STRIDE) });
    // There is only one row, so any row stride works.
    Region { offset: locate(i.value()), row_stride: SIZE * STRIDE, width: SIZE, column_stride: STRIDE }
}
