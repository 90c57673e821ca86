//! The interface of a backend. A kernel is one function generic over it; the operations below are the whole language,
//! and everything else in this crate is written in terms of them.
//!
//! A backend may compute values at once ([`Cpu`](crate::cpu::Cpu)) or record
//! ([`Recorder`](crate::recorder::Recorder)). The backend drives control flow: a backend that computes
//! runs the arm that the condition selects, and runs a loop as long as its condition holds; a backend that records runs
//! both arms, and every loop body, whatever the condition is.

mod bounds;
mod composed;
mod operand;
mod region;
mod staged;

use std::fmt::{self, Debug};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::panic::Location;

use cm_compiler::ir::{Part, ThreadId};
use cm_compiler::limits::{DPAS_DEPTH, LARGEST_REGISTER_FILE};
use cm_compiler::ops::{
    AccessKind, AtomicHints, ChannelMask, LoadHints, PrefetchHints, StoreHints, SyncKind,
};
use cm_compiler::printf::{Layout, Template};
use cm_macros::inlined;

pub use self::bounds::Bounds;
pub(crate) use self::composed::{binary, convert, host_number, merge, number, ramp, require, require_object};
pub use self::operand::Operand;
pub(crate) use self::operand::{Sealed, combined, keeps_low, low, of_bytes};
pub use self::region::{InRegisters, Pitched, Region, Start, Storage};
pub use self::staged::{Condition, Staged, Stages, Stored};
use crate::elem::{Elem, Int};
use crate::limits::{AtomicElem, TypedAtomicElem, TypedElem, Violation};
use crate::ops::{AtomicOp, BinaryOp, Factor, GroupOp, TernaryOp, UnaryOp};

/// An execution of kernels. The type parameters `R` and `C` are rows and columns; vectors are one row, and
/// scalars are 1 x 1.
///
/// Implementations write `#[track_caller]` where they want the line of the kernel: all callers have it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a backend",
    note = "outside of kernels leave the last type parameter of a register away"
)]
pub trait Backend: Copy + Debug + 'static {
    /// A register object.
    type Reg<T: Elem, const R: usize, const C: usize>: Copy + Debug + 'static;
    /// A condition: `bool` where values are known.
    type Cond: Condition<Self> + Stored<Self, Name = bool> + Debug;
    /// Part of a register object that is written.
    type Place<'a>;
    /// A surface argument.
    type Surface: Copy + Debug;
    /// Storage in a read-only surface or buffer: blocks whose regions are read in place.
    type InMemory<'a>: Storage<Self>;
    /// The same for elements of type `V`, which are converted when regions are read.
    type ConvertedInMemory<'a, V: Elem>: Storage<Self>;
    /// Scratch space for such a block that is partly outside its surface or buffer.
    type Scratch;
    /// Storage in a stack slot: results of trees of which regions are used.
    type InStackSlot<'a>: Storage<Self>;
    /// A stack slot for such results.
    type StackSlot<T: Elem, const R: usize, const C: usize>;
    /// Bytes of the largest block of a surface that is read at once, even if no message can carry it; 0 if the limit of
    /// messages applies.
    const LARGEST_READ: usize = 0;
    /// A buffer argument.
    type Buffer: Copy + Debug;
    /// A loop in progress.
    type Loop;
    /// A value that is to be printed.
    type Printed: Clone + Debug;
    /// One element of the registers of this shape. There is none if the elements are not known.
    type Lane<const R: usize, const C: usize>: Copy;
    /// A region as an operand: `R2` x `C2` elements of an `R` x `C` object.
    type View<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>: Copy;
    /// What is known of the result of an operator within a tree of operators before the tree is computed.
    type Early<T: Elem, const R: usize, const C: usize>: Copy;
    /// The elements of a mask that a tree of operators with elements `T` becomes. Their lowest bits count.
    type MaskOf<T: Int>: Int;

    /// Values known now.
    #[track_caller]
    fn constant<T: Elem, const R: usize, const C: usize>(x: [[T; C]; R]) -> Self::Reg<T, R, C>;
    /// Every element `x`.
    #[track_caller]
    fn splat<T: Elem, const R: usize, const C: usize>(x: Self::Reg<T, 1, 1>) -> Self::Reg<T, R, C>;
    /// `O` on every element, converted to `P` first. The result is converted to `U`, as Rust's `as` does or,
    /// with `SAT`, as CM's `SAT`.
    #[track_caller]
    fn map1<O, P, T, U, const SAT: bool, const R: usize, const C: usize>(
        x: Self::Reg<T, R, C>,
    ) -> Self::Reg<U, R, C>
    where
        O: UnaryOp<P>,
        P: Elem,
        T: Elem,
        U: Elem;
    /// `O` on every pair of elements, both converted to `P` first, and a conversion to `U`.
    #[track_caller]
    fn map2<O, P, T, V, U, const SAT: bool, const R: usize, const C: usize>(
        a: Self::Reg<T, R, C>,
        b: Self::Reg<V, R, C>,
    ) -> Self::Reg<U, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem;
    /// The same for operands that may be trees of operators, and for an operator at this place in the source. A backend
    /// that computes can do so in one pass over the elements.
    #[track_caller]
    fn tree<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> Self::Reg<U, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
        U: Elem;
    /// The same in a stack slot, for a matrix of which regions are used.
    #[track_caller]
    fn tree_in<'a, O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        slot: &'a mut MaybeUninit<Self::StackSlot<U, R, C>>,
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> <Self::InStackSlot<'a> as Storage<Self>>::Reg<U, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
        U: Elem;
    /// A strip of the elements of a register, which assignments in loops change before they change the next one.
    type Strip<T: Elem>;
    /// The numbers of the strips of a register that assignments change one after the other, in a loop or without one.
    #[must_use]
    #[inlined]
    fn strips<T: Elem, const R: usize, const C: usize, const LOOPED: bool>() -> Range<usize> {
        0..1
    }
    /// One of its strips.
    fn strip<T: Elem, const R: usize, const C: usize>(
        x: &Self::Reg<T, R, C>,
        number: usize,
    ) -> Self::Strip<T>;
    /// `strip = strip O right`, if the register has several strips. If not, it returns `false`, and changes nothing.
    #[must_use]
    #[inlined]
    #[track_caller]
    fn change<O, P, T, Y, const R: usize, const C: usize>(_strip: &mut Self::Strip<T>, _right: Y) -> bool
    where
        O: BinaryOp<P>,
        P: Elem,
        T: Elem,
        Y: Operand<R, C, Self> + Copy,
    {
        false
    }
    /// Puts a strip back, if the register has several.
    #[inlined]
    fn end_strip<T: Elem, const R: usize, const C: usize>(
        _x: &mut Self::Reg<T, R, C>,
        _strip: &Self::Strip<T>,
    ) {
    }
    /// [`map1`](Self::map1) of an operand that may be a tree of operators.
    #[track_caller]
    fn function_of_tree<O, P, X, U, const SAT: bool, const R: usize, const C: usize>(
        x: X,
    ) -> Self::Reg<U, R, C>
    where
        O: UnaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        U: Elem;
    /// An operator inside a tree, when it is reached: a backend that records does so now, in the order of the source.
    #[track_caller]
    fn early<O, P, X, Y, const R: usize, const C: usize>(
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> Self::Early<O::Output, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy;
    /// The same for a function, whose result is `of()`.
    fn early_of<T: Elem, const R: usize, const C: usize>(
        of: impl FnOnce() -> Self::Reg<T, R, C>,
    ) -> Self::Early<T, R, C>;
    /// The result of an operator inside a tree, as a register; converted like that of [`map1`](Self::map1).
    #[track_caller]
    fn inside<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        early: Self::Early<O::Output, R, C>,
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> Self::Reg<U, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
        U: Elem;
    /// A region of neighbouring columns, as an operand: a backend that computes need not copy it.
    #[track_caller]
    fn view<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &'a Self::Reg<T, R, C>,
        region: Region<Self>,
    ) -> Self::View<'a, T, R, C, R2, C2>;
    /// A whole register, as such an operand.
    fn whole<T: Elem, const R: usize, const C: usize>(
        x: &Self::Reg<T, R, C>,
    ) -> Self::View<'_, T, R, C, R, C>;
    /// Its elements, in a register.
    #[track_caller]
    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: Self::View<'_, T, R, C, R2, C2>,
    ) -> Self::Reg<T, R2, C2>;
    /// Asks whether its elements can be read now.
    fn begin_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _view: &Self::View<'_, T, R, C, R2, C2>,
    ) {
    }
    /// One of its elements.
    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &Self::View<'_, T, R, C, R2, C2>,
        lane: Self::Lane<R2, C2>,
    ) -> T;
    /// One element of a register.
    fn element<T: Elem, const R: usize, const C: usize>(x: &Self::Reg<T, R, C>, lane: Self::Lane<R, C>) -> T;
    /// The scalar of the thread that an element belongs to.
    fn number<T: Elem, const R: usize, const C: usize>(x: &Self::Reg<T, 1, 1>, lane: Self::Lane<R, C>) -> T;
    /// Whether a scalar is the same number in all threads, in all its bits.
    #[inlined]
    fn same_number<T: Elem>(_x: &Self::Reg<T, 1, 1>) -> bool {
        true
    }
    /// `O` on every three elements, converted to `P` first (except a first operand that is a mask), and a conversion to
    /// `U`.
    #[track_caller]
    fn map3<O, F, P, T, V, U, const SAT: bool, const R: usize, const C: usize>(
        a: Self::Reg<F, R, C>,
        b: Self::Reg<T, R, C>,
        c: Self::Reg<V, R, C>,
    ) -> Self::Reg<U, R, C>
    where
        O: TernaryOp<F, P>,
        F: Elem,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem;
    /// `O` on every two groups of `W` neighbours in the linearised objects, both converted to `P` first, and a
    /// conversion to `U`. Every element of a group holds its result. The number of elements is a multiple of `W`.
    #[track_caller]
    fn group2<O, P, T, V, U, const W: usize, const SAT: bool, const R: usize, const C: usize>(
        a: Self::Reg<T, R, C>,
        b: Self::Reg<V, R, C>,
    ) -> Self::Reg<U, R, C>
    where
        O: GroupOp<P, W>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem;
    /// The sums and the products of `rows`, which hold the factors `Q` in dwords, and `columns`, which hold the
    /// factors `P`, in the order of `ir::Op::Dpas`.
    #[track_caller]
    fn dpas<P, Q, const R: usize, const C: usize>(
        sums: Self::Reg<P::Sum, R, C>,
        columns: Self::Reg<u32, DPAS_DEPTH, C>,
        rows: Self::Reg<u32, R, DPAS_DEPTH>,
    ) -> Self::Reg<P::Sum, R, C>
    where
        P: Factor,
        Q: Factor<Sum = P::Sum>;
    /// The reduction by `O` of the elements, converted to `P`, and a conversion to `U`. The order is that of
    /// `ir::Op::Reduce`.
    #[track_caller]
    fn reduce<O, P, T, U, const SAT: bool, const R: usize, const C: usize>(
        x: Self::Reg<T, R, C>,
    ) -> Self::Reg<U, 1, 1>
    where
        O: BinaryOp<P, Output = P>,
        P: Elem,
        T: Elem,
        U: Elem;
    /// A copy of a region, taken row by row.
    #[track_caller]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Self::Reg<T, R, C>,
        region: Region<Self>,
    ) -> Self::Reg<T, R2, C2>;
    /// The columns in reverse order.
    #[track_caller]
    fn mirrored<T: Elem, const R: usize, const C: usize>(x: &Self::Reg<T, R, C>) -> Self::Reg<T, R, C>;
    /// Element `k` of the result is element `index[k]` of the linearised object, `index` clamped to the last
    /// one.
    #[track_caller]
    fn iselect<T: Elem, const R: usize, const C: usize, const N: usize>(
        x: &Self::Reg<T, R, C>,
        index: Self::Reg<u32, 1, N>,
    ) -> Self::Reg<T, 1, N>;
    /// The same bytes as other elements; surplus bytes of `x` are dropped.
    #[track_caller]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Self::Reg<T, R, C>,
    ) -> Self::Reg<V, R2, C2>;
    /// Element `k` of the linearised mask is bit `k` of `bits`; 0 from element 32 on.
    #[track_caller]
    fn unpack_mask<const R: usize, const C: usize>(bits: Self::Reg<u32, 1, 1>) -> Self::Reg<u16, R, C>;
    /// Bit `k` is the lowest bit of element `k` of the linearised mask; elements from 32 on are ignored.
    #[track_caller]
    fn pack_mask<T: Int, const R: usize, const C: usize>(mask: Self::Reg<T, R, C>) -> Self::Reg<u32, 1, 1>;
    /// Whether at least one element is not zero.
    #[track_caller]
    fn any<T: Elem, const R: usize, const C: usize>(x: Self::Reg<T, R, C>) -> Self::Cond;
    /// Whether no element is zero.
    #[track_caller]
    fn all<T: Elem, const R: usize, const C: usize>(x: Self::Reg<T, R, C>) -> Self::Cond;

    /// A variable whose value does not matter until it is stored.
    #[track_caller]
    fn undefined<T: Elem, const R: usize, const C: usize>() -> Self::Reg<T, R, C>;
    /// A variable that starts as `init`.
    #[track_caller]
    fn variable<T: Elem, const R: usize, const C: usize>(init: Self::Reg<T, R, C>) -> Self::Reg<T, R, C>;
    /// The value that a variable has now (a value is itself).
    #[track_caller]
    fn load<T: Elem, const R: usize, const C: usize>(x: &Self::Reg<T, R, C>) -> Self::Reg<T, R, C>;
    /// Stores a value in a variable.
    #[track_caller]
    fn store<T: Elem, const R: usize, const C: usize>(x: &mut Self::Reg<T, R, C>, value: Self::Reg<T, R, C>);
    /// The whole of a variable as a place.
    fn place<T: Elem, const R: usize, const C: usize>(x: &mut Self::Reg<T, R, C>) -> Self::Place<'_>;
    /// The same place, for a shorter time.
    fn place_again<'a>(place: &'a mut Self::Place<'_>) -> Self::Place<'a>;
    /// A region of a place whose rows have `columns` elements `T`.
    #[track_caller]
    fn narrow<'a, T: Elem>(place: Self::Place<'a>, columns: usize, region: Region<Self>) -> Self::Place<'a>;
    /// A whole, contiguous place as rows of `columns` elements `T`.
    #[track_caller]
    fn format_place<'a, T: Elem>(place: Self::Place<'a>, columns: usize) -> Self::Place<'a>;
    /// The value of a place.
    #[track_caller]
    fn load_place<T: Elem, const R: usize, const C: usize>(place: &Self::Place<'_>) -> Self::Reg<T, R, C>;
    /// Writes a place.
    #[track_caller]
    fn store_place<T: Elem, const R: usize, const C: usize>(
        place: &mut Self::Place<'_>,
        value: Self::Reg<T, R, C>,
    );

    /// Begins a loop whose condition is staged.
    #[track_caller]
    fn begin_loop() -> Self::Loop;
    /// Whether to evaluate the condition (again).
    fn enter_loop(state: &mut Self::Loop) -> bool;
    /// Whether to run the body.
    #[track_caller]
    fn test_loop(state: &mut Self::Loop, condition: Self::Cond) -> bool;
    /// Begins an iteration of a loop over host values. A backend that records counts them, because they are unrolled.
    #[track_caller]
    fn host_round() {}
    /// Begins a scope that `break`, `continue` or `return` may leave; returns its number.
    #[must_use]
    #[inlined]
    #[track_caller]
    fn open_scope() -> u32 {
        0
    }
    /// Whether to leave a scope by Rust's own `break`: always, if everything is known. A backend that records continues
    /// with the rest of the scope if the condition is staged.
    #[must_use]
    #[inlined]
    #[track_caller]
    fn leave_scope(_scope: u32) -> bool {
        true
    }
    /// Whether the kernel is known not to get here: an exit in front of it was recorded, of which host values decide.
    #[must_use]
    #[inlined]
    fn unreached() -> bool {
        false
    }
    /// Ends a scope, and with it the scopes inside that were left.
    #[inlined]
    fn close_scope(_scope: u32) {}
    /// The number of open staged conditions and loops, and of scopes that may have been left under a staged condition;
    /// 0 if everything is known.
    #[must_use]
    fn depth() -> usize {
        0
    }

    /// An array with this number of elements that the threads of the group share.
    #[track_caller]
    fn shared<T: Elem>(elements: usize) -> Self::Buffer;
    /// Declares the number of named barriers of the group.
    #[track_caller]
    fn named_barriers(count: usize);
    /// Waits for other threads of the group, or signals them, with the operands of the kind.
    #[track_caller]
    fn sync(kind: SyncKind, operands: &[Self::Reg<u32, 1, 1>]);
    /// An id or size of this thread.
    #[track_caller]
    fn thread_id(id: ThreadId) -> Self::Reg<u32, 1, 1>;
    /// A block of a surface of any size: `x` in bytes, `y` in rows; reads outside follow the edge rule.
    #[track_caller]
    fn read_media<T: Elem, const R: usize, const C: usize>(
        surface: &Self::Surface,
        x: Self::Reg<i32, 1, 1>,
        y: Self::Reg<i32, 1, 1>,
    ) -> Self::Reg<T, R, C>;
    /// Writes a block of a surface; out-of-bounds writes are dropped.
    #[track_caller]
    fn write_media<T: Elem, const R: usize, const C: usize>(
        surface: &mut Self::Surface,
        x: Self::Reg<i32, 1, 1>,
        y: Self::Reg<i32, 1, 1>,
        data: Self::Reg<T, R, C>,
    );
    /// Channels of the texels at these coordinates, a row each; 0 outside. A 2-D surface has columns and rows, a 3-D
    /// surface also slices.
    #[track_caller]
    fn read_texels<T: TypedElem, const R: usize, const L: usize, const D: usize>(
        surface: &Self::Surface,
        channels: ChannelMask,
        place: [Self::Reg<u32, 1, L>; D],
    ) -> Self::Reg<T, R, L>;
    /// Writes channels of the texels at these coordinates; those outside are dropped.
    #[track_caller]
    fn write_texels<T: TypedElem, const R: usize, const L: usize, const D: usize>(
        surface: &mut Self::Surface,
        channels: ChannelMask,
        place: [Self::Reg<u32, 1, L>; D],
        data: Self::Reg<T, R, L>,
    );
    /// Updates the texels at these coordinates atomically, and returns the old values; 0 outside.
    #[track_caller]
    fn update_texels<O: AtomicOp<T>, T: TypedAtomicElem, const L: usize, const D: usize>(
        surface: &mut Self::Surface,
        place: [Self::Reg<u32, 1, L>; D],
        sources: [Option<Self::Reg<T, 1, L>>; 2],
    ) -> Self::Reg<T, 1, L>;
    /// Neighbouring elements of a buffer from this byte on, rounded down to the alignment of the access; 0 outside.
    #[track_caller]
    fn read_bytes<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &Self::Buffer,
        offset: Self::Reg<u32, 1, 1>,
    ) -> Self::Reg<T, R, C>;
    /// Writes neighbouring elements of a buffer; out-of-bounds writes are dropped.
    #[track_caller]
    fn write_bytes<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &mut Self::Buffer,
        offset: Self::Reg<u32, 1, 1>,
        data: Self::Reg<T, R, C>,
    );
    /// A 2-D block of a buffer; 0 outside.
    #[track_caller]
    fn read_pitched<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &Self::Buffer,
        block: Pitched<Self>,
    ) -> Self::Reg<T, R, C>;
    /// Writes a 2-D block of a buffer; out-of-bounds writes are dropped.
    #[track_caller]
    fn write_pitched<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &mut Self::Buffer,
        block: Pitched<Self>,
        data: Self::Reg<T, R, C>,
    );
    /// The elements of a buffer with these numbers; 0 outside.
    #[track_caller]
    fn gather<T: Elem, const R: usize, const C: usize>(
        hints: LoadHints,
        buffer: &Self::Buffer,
        elements: Self::Reg<u32, R, C>,
    ) -> Self::Reg<T, R, C>;
    /// Writes the elements of a buffer with these numbers; out-of-bounds writes are dropped.
    #[track_caller]
    fn scatter<T: Elem, const R: usize, const C: usize>(
        hints: StoreHints,
        buffer: &mut Self::Buffer,
        elements: Self::Reg<u32, R, C>,
        data: Self::Reg<T, R, C>,
    );
    /// The vectors of `R` elements of a buffer that begin with the elements of these numbers, as columns; elements outside
    /// are 0.
    #[track_caller]
    fn gather_vectors<T: Elem, const R: usize, const C: usize>(
        hints: LoadHints,
        buffer: &Self::Buffer,
        firsts: Self::Reg<u32, 1, C>,
    ) -> Self::Reg<T, R, C>;
    /// Writes such vectors; out-of-bounds writes are dropped.
    #[track_caller]
    fn scatter_vectors<T: Elem, const R: usize, const C: usize>(
        hints: StoreHints,
        buffer: &mut Self::Buffer,
        firsts: Self::Reg<u32, 1, C>,
        data: Self::Reg<T, R, C>,
    );
    /// An atomic operation on the elements of a buffer, one after the other; returns the old elements, 0 outside.
    #[track_caller]
    fn update<O: AtomicOp<T>, T: AtomicElem, const R: usize, const C: usize>(
        hints: AtomicHints,
        buffer: &mut Self::Buffer,
        elements: Self::Reg<u32, R, C>,
        sources: [Option<Self::Reg<T, R, C>>; 2],
    ) -> Self::Reg<T, R, C>;
    /// Part of a surface, as a surface; `writes` says that the kernel may write it.
    #[track_caller]
    fn part(surface: &Self::Surface, part: Part, writes: bool) -> Self::Surface;
    /// Loads neighbouring elements of a buffer into the caches, which does not affect results.
    #[inlined]
    fn prefetch<T: Elem, const R: usize, const C: usize>(
        _kind: AccessKind,
        _buffer: &Self::Buffer,
        _offset: Self::Reg<u32, 1, 1>,
    ) {
    }
    /// The same for the elements with these numbers.
    #[inlined]
    fn prefetch_elements<T: Elem, const R: usize, const C: usize>(
        _hints: PrefetchHints,
        _buffer: &Self::Buffer,
        _elements: Self::Reg<u32, R, C>,
    ) {
    }
    /// The same for a 2-D block.
    #[inlined]
    fn prefetch_pitched<T: Elem, const R: usize, const C: usize>(
        _kind: AccessKind,
        _buffer: &Self::Buffer,
        _block: Pitched<Self>,
    ) {
    }
    /// Scratch space for a block.
    fn scratch() -> Self::Scratch;
    /// A block that is [read](Self::read_media), in as few messages as possible, from a surface that is not written
    /// while the block is in use.
    #[track_caller]
    fn media_block<'a, T: Elem, const R: usize, const C: usize>(
        surface: &'a Self::Surface,
        x: Self::Reg<i32, 1, 1>,
        y: Self::Reg<i32, 1, 1>,
        scratch: &'a mut Self::Scratch,
    ) -> <Self::InMemory<'a> as Storage<Self>>::Reg<T, R, C>;
    /// A block of a buffer that is not written while the block is in use, read by messages of `message` bytes, of this
    /// kind, as many as there fit, and of half as many, and so on.
    #[track_caller]
    fn linear_block<'a, T: Elem, const C: usize>(
        kind: AccessKind,
        message: usize,
        buffer: &'a Self::Buffer,
        offset: Self::Reg<u32, 1, 1>,
        scratch: &'a mut Self::Scratch,
    ) -> <Self::InMemory<'a> as Storage<Self>>::Reg<T, 1, C>;
    /// Such a block, with its elements converted like Rust's `as`. (`'a: 'a`, because implementations may not name it.)
    #[track_caller]
    fn convert_block<'a: 'a, V: Elem, T: Elem, const R: usize, const C: usize>(
        block: <Self::InMemory<'a> as Storage<Self>>::Reg<V, R, C>,
    ) -> <Self::ConvertedInMemory<'a, V> as Storage<Self>>::Reg<T, R, C>;

    /// Bytes of the register file of the kernel; of the largest one where no kernel is known.
    #[must_use]
    #[inlined]
    fn register_file() -> usize {
        LARGEST_REGISTER_FILE
    }

    /// The timestamp, as `ir::Op::Clock` describes it.
    #[track_caller]
    fn clock() -> Self::Reg<u32, 1, 4>;
    /// The current value of a register, for printing.
    #[track_caller]
    fn printed<T: Elem, const R: usize, const C: usize>(x: Self::Reg<T, R, C>) -> Self::Printed;
    /// Prints a line with these values in its placeholders.
    #[track_caller]
    fn print(template: Template, values: Vec<Self::Printed>);
    /// The text of `{:?}` of a register, for debugging: its elements, if they are known.
    ///
    /// # Errors
    /// Those of the formatter.
    fn debug<T: Elem, const R: usize, const C: usize>(
        x: &Self::Reg<T, R, C>,
        _layout: Layout,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        x.fmt(f)
    }

    /// The kernel samples a surface by a sampler of these values; a backend that records keeps it if the sampler is an
    /// argument.
    #[track_caller]
    fn samples<const N: usize>(_surface: &Self::Surface, _sampler: Self::Reg<f32, 1, N>) {}

    /// Asserts that `x` is a multiple of 4; a backend that records checks it if it is known.
    #[track_caller]
    fn whole_dwords(_x: Self::Reg<i32, 1, 1>) {}

    /// Reports a broken rule that is only detected now. Without a recording this panics, like an index out of range;
    /// kernels get here only in the recording that precedes their first launch.
    #[track_caller]
    fn violation(violation: Violation);
}
