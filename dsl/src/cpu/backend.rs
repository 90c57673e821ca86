//! The operations on arrays.
//!
//! Those on elements are in [`lanes`]; here is what moves data.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::panic::Location;

use super::arrays::{self, Lanes, each, zeroed};
use super::block;
use super::block_2d;
use super::checked_surface::SurfaceAccess;
use super::environment::{Cpu, Environment, KeptOf};
use super::in_place::InPlace;
use super::place::Place;
use super::readable::Memory;
use super::stack_slot::StackSlot;
use super::storage::Converted;
use super::strips::{self, Strip};
use super::trees;
use super::views::{Lane, View};
use super::window::{LARGEST_READ, Scratch};
use super::{
    buffer, concat, debug, dpas, groups, lanes, lookup, mask_bits, reduce, regions, strided, texels,
};
use crate::backend::{Backend, Operand, Pitched, Region, Start, Stored};
use crate::elem::{Elem, Int, bits_of};
use crate::limits::{AtomicElem, TypedAtomicElem, TypedElem, Violation};
use crate::ops::{AtomicOp, BinaryOp, Factor, GroupOp, TernaryOp, UnaryOp};
use cm_compiler::ir::{Axis, Part, ThreadId};
use cm_compiler::limits::DPAS_DEPTH;
use cm_compiler::ops::{AccessKind, AtomicHints, ChannelMask, LoadHints, StoreHints, SyncKind, SyncNumbers};
use cm_compiler::printf::{Layout, Printed, Template};
use cm_macros::inlined;
use num_traits::AsPrimitive;

impl<E: Environment, const N: usize> Backend for Cpu<E, N> {
    type Reg<T: Elem, const R: usize, const C: usize> = Lanes<T, N, R, C>;
    type Cond = bool;
    type Place<'a> = Place<'a, N>;
    type Surface = E::Surface;
    type InMemory<'a> = InPlace<'a, KeptOf<E>, N>;
    type ConvertedInMemory<'a, V: Elem> = Converted<InPlace<'a, KeptOf<E>, N>, V>;
    type Scratch = Scratch;
    type InStackSlot<'a> = InPlace<'a, (), N>;
    type StackSlot<T: Elem, const R: usize, const C: usize> = StackSlot<T, N, R, C>;
    const LARGEST_READ: usize = LARGEST_READ;
    type Buffer = E::Buffer;
    type Loop = ();
    type Printed = [Printed; N];
    type Lane<const R: usize, const C: usize> = Lane<N, R, C>;
    type Strip<T: Elem> = Strip<T>;
    type View<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize> =
        View<'a, E, T, N, R, C, R2, C2>;
    type Early<T: Elem, const R: usize, const C: usize> = ();
    type MaskOf<T: Int> = u8;

    #[inlined]
    fn constant<T: Elem, const R: usize, const C: usize>(x: [[T; C]; R]) -> Lanes<T, N, R, C> {
        arrays::repeated(x)
    }

    #[inlined]
    fn splat<T: Elem, const R: usize, const C: usize>(x: Lanes<T, N, 1, 1>) -> Lanes<T, N, R, C> {
        lanes::splat(x)
    }

    #[inlined]
    fn map1<O, P, T, U, const SAT: bool, const R: usize, const C: usize>(
        x: Lanes<T, N, R, C>,
    ) -> Lanes<U, N, R, C>
    where
        O: UnaryOp<P>,
        P: Elem,
        T: Elem,
        U: Elem,
    {
        lanes::map1::<E, O, P, T, U, SAT, N, R, C>(x)
    }

    #[inlined]
    fn map2<O, P, T, V, U, const SAT: bool, const R: usize, const C: usize>(
        a: Lanes<T, N, R, C>,
        b: Lanes<V, N, R, C>,
    ) -> Lanes<U, N, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
    {
        lanes::map2::<E, O, P, T, V, U, SAT, N, R, C>(a, b)
    }

    #[inlined]
    fn tree<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        a: X,
        b: Y,
        _: &'static Location<'static>,
    ) -> Lanes<U, N, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
        U: Elem,
    {
        trees::computed::<E, O, P, X, Y, U, SAT, N, R, C>(a, b)
    }

    #[inlined]
    fn tree_in<'a, O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        slot: &'a mut MaybeUninit<StackSlot<U, N, R, C>>,
        a: X,
        b: Y,
        _: &'static Location<'static>,
    ) -> InPlace<'a, (), N>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
        U: Elem,
    {
        trees::computed_in::<E, O, P, X, Y, U, SAT, N, R, C>(slot, a, b)
    }

    #[inlined]
    fn strips<T: Elem, const R: usize, const C: usize, const LOOPED: bool>() -> Range<usize> {
        const { strips::numbers::<E, T, N, R, C>(LOOPED) }
    }

    #[inlined]
    fn strip<T: Elem, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>, number: usize) -> Strip<T> {
        strips::begin::<E, T, N, R, C>(x, number)
    }

    #[inlined]
    fn change<O, P, T, Y, const R: usize, const C: usize>(strip: &mut Strip<T>, right: Y) -> bool
    where
        O: BinaryOp<P>,
        P: Elem,
        T: Elem,
        Y: Operand<R, C, Self> + Copy,
    {
        strips::change::<E, O, P, T, Y, N, R, C>(strip, right)
    }

    #[inlined]
    fn end_strip<T: Elem, const R: usize, const C: usize>(x: &mut Lanes<T, N, R, C>, strip: &Strip<T>) {
        strips::end::<E, T, N, R, C>(x, strip);
    }

    #[inlined]
    fn function_of_tree<O, P, X, U, const SAT: bool, const R: usize, const C: usize>(
        x: X,
    ) -> Lanes<U, N, R, C>
    where
        O: UnaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        U: Elem,
    {
        trees::function_of::<E, O, P, X, U, SAT, N, R, C>(x)
    }

    #[inlined]
    fn early<O, P, X, Y, const R: usize, const C: usize>(_: X, _: Y, _: &'static Location<'static>)
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
    {
    }

    #[inlined]
    fn early_of<T: Elem, const R: usize, const C: usize>(_: impl FnOnce() -> Lanes<T, N, R, C>) {}

    #[inlined]
    fn inside<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        (): (),
        a: X,
        b: Y,
        _: &'static Location<'static>,
    ) -> Lanes<U, N, R, C>
    where
        O: BinaryOp<P>,
        P: Elem,
        X: Operand<R, C, Self> + Copy,
        Y: Operand<R, C, Self> + Copy,
        U: Elem,
    {
        trees::computed::<E, O, P, X, Y, U, SAT, N, R, C>(a, b)
    }

    #[inlined]
    fn view<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &'a Lanes<T, N, R, C>,
        region: Region<Self>,
    ) -> View<'a, E, T, N, R, C, R2, C2> {
        View { source: x, region }
    }

    #[inlined]
    fn whole<T: Elem, const R: usize, const C: usize>(
        x: &Lanes<T, N, R, C>,
    ) -> View<'_, E, T, N, R, C, R, C> {
        View { source: x, region: Region::whole(C) }
    }

    #[inlined]
    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: View<'_, E, T, N, R, C, R2, C2>,
    ) -> Lanes<T, N, R2, C2> {
        Self::region::<T, R, C, R2, C2>(view.source, view.region)
    }

    #[inlined]
    fn begin_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &View<'_, E, T, N, R, C, R2, C2>,
    ) {
        view.begin();
    }

    #[inlined]
    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: &View<'_, E, T, N, R, C, R2, C2>,
        lane: Lane<N, R2, C2>,
    ) -> T {
        // SAFETY: only `trees` has lanes and gives them to operands, which are sealed, after `begin`.
        unsafe { view.element(lane) }
    }

    #[inlined]
    fn element<T: Elem, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>, lane: Lane<N, R, C>) -> T {
        lane.of(x)
    }

    #[inlined]
    fn number<T: Elem, const R: usize, const C: usize>(x: &Lanes<T, N, 1, 1>, lane: Lane<N, R, C>) -> T {
        lane.of_thread(x)
    }

    #[inlined]
    fn same_number<T: Elem>([x]: &Lanes<T, N, 1, 1>) -> bool {
        let mut same = true;
        for n in 1..N {
            same &= bits_of(&x[n][0]) == bits_of(&x[0][0]);
        }
        same
    }

    #[inlined]
    fn map3<O, F, P, T, V, U, const SAT: bool, const R: usize, const C: usize>(
        a: Lanes<F, N, R, C>,
        b: Lanes<T, N, R, C>,
        c: Lanes<V, N, R, C>,
    ) -> Lanes<U, N, R, C>
    where
        O: TernaryOp<F, P>,
        F: Elem,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
    {
        lanes::map3::<E, O, F, P, T, V, U, SAT, N, R, C>(a, b, c)
    }

    #[inlined]
    fn group2<O, P, T, V, U, const W: usize, const SAT: bool, const R: usize, const C: usize>(
        a: Lanes<T, N, R, C>,
        b: Lanes<V, N, R, C>,
    ) -> Lanes<U, N, R, C>
    where
        O: GroupOp<P, W>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
    {
        groups::group2::<O, P, T, V, U, W, SAT, N, R, C>(a, b)
    }

    #[inlined]
    fn dpas<P, Q, const R: usize, const C: usize>(
        sums: Lanes<P::Sum, N, R, C>,
        columns: Lanes<u32, N, DPAS_DEPTH, C>,
        rows: Lanes<u32, N, R, DPAS_DEPTH>,
    ) -> Lanes<P::Sum, N, R, C>
    where
        P: Factor,
        Q: Factor<Sum = P::Sum>,
    {
        dpas::dpas::<E, P, Q, N, R, C>(sums, &columns, &rows)
    }

    #[inlined]
    fn reduce<O, P, T, U, const SAT: bool, const R: usize, const C: usize>(
        x: Lanes<T, N, R, C>,
    ) -> Lanes<U, N, 1, 1>
    where
        O: BinaryOp<P, Output = P>,
        P: Elem,
        T: Elem,
        U: Elem,
    {
        reduce::reduce::<O, P, T, U, SAT, N, R, C>(&x)
    }

    #[inlined]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Lanes<T, N, R, C>,
        region: Region<Self>,
    ) -> Lanes<T, N, R2, C2> {
        let Region { row_stride, width, column_stride, .. } = region;
        match region.offset {
            Start::Host(at) => {
                regions::region::<E, T, N, R, C, R2, C2>(x, at, row_stride, width, column_stride)
            }
            Start::Staged(_) => {
                let elements = arrays::flat(x);
                let mut rows: Lanes<T, N, R2, C2> = zeroed();
                let at = regions::positions(region.offset);
                for n in 0..N {
                    for k in 0..R2 * C2 {
                        let from = at[n] + k / width * row_stride + k % width * column_stride;
                        rows[k / C2][n][k % C2] = elements[(from / C * N + n) * C + from % C];
                    }
                }
                rows
            }
        }
    }

    #[inlined]
    fn mirrored<T: Elem, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> Lanes<T, N, R, C> {
        regions::mirrored(x)
    }

    #[inlined]
    fn iselect<T: Elem, const R: usize, const C: usize, const M: usize>(
        x: &Lanes<T, N, R, C>,
        [index]: Lanes<u32, N, 1, M>,
    ) -> Lanes<T, N, 1, M> {
        [lookup::pick::<E, T, N, R, C, M>(x, &index)]
    }

    #[inlined]
    fn format<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Lanes<T, N, R, C>,
    ) -> Lanes<V, N, R2, C2> {
        let mut rows: Lanes<V, N, R2, C2> = zeroed();
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(arrays::flat_mut(&mut rows));
        let source: &[u8] = bytemuck::cast_slice(arrays::flat(x));
        let (from, to) = (C * size_of::<T>(), C2 * size_of::<V>());
        if const { N == 1 || C * size_of::<T>() == C2 * size_of::<V>() } {
            // What is more is left away; of several threads side by side there is none.
            let len = bytes.len().min(source.len());
            arrays::copy(&source[..len], &mut bytes[..len]);
            return rows;
        }
        // The longest pieces that never lie across the end of a row, neither before nor after.
        let piece = const { concat::gcd(C * size_of::<T>(), C2 * size_of::<V>()) };
        if const { N == 2 && (C * size_of::<T>() <= 4 || C2 * size_of::<V>() <= 4) }
            && strided::turn(source, from, bytes, to)
        {
            return rows;
        }
        for n in 0..N {
            for k in 0..(R * from).min(R2 * to) / piece {
                let at = k * piece;
                let (source_at, at) =
                    ((at / from * N + n) * from + at % from, (at / to * N + n) * to + at % to);
                arrays::copy(&source[source_at..source_at + piece], &mut bytes[at..at + piece]);
            }
        }
        rows
    }

    #[inlined]
    fn unpack_mask<const R: usize, const C: usize>([bits]: Lanes<u32, N, 1, 1>) -> Lanes<u16, N, R, C> {
        let mut rows = [[[0; C]; N]; R];
        for n in 0..N {
            let words = mask_bits::unpacked(bits[n][0]);
            for k in 0..(R * C).min(mask_bits::WORDS) {
                rows[k / C][n][k % C] = words[k];
            }
        }
        rows
    }

    #[inlined]
    fn pack_mask<T: Int, const R: usize, const C: usize>(mask: Lanes<T, N, R, C>) -> Lanes<u32, N, 1, 1> {
        let mut bits = [[0]; N];
        for n in 0..N {
            let mut words = [0; mask_bits::WORDS];
            for k in 0..(R * C).min(mask_bits::WORDS) {
                words[k] = AsPrimitive::<u16>::as_(mask[k / C][n][k % C]);
            }
            bits[n][0] = mask_bits::packed(words);
        }
        [bits]
    }

    #[inlined]
    fn any<T: Elem, const R: usize, const C: usize>(x: Lanes<T, N, R, C>) -> bool {
        // `!=` rather than bits: -0.0 is zero, and NaN is not.
        reduce::any(&x)
    }

    #[inlined]
    fn all<T: Elem, const R: usize, const C: usize>(x: Lanes<T, N, R, C>) -> bool {
        reduce::all(&x)
    }

    #[inlined]
    fn undefined<T: Elem, const R: usize, const C: usize>() -> Lanes<T, N, R, C> {
        zeroed()
    }

    #[inlined]
    fn variable<T: Elem, const R: usize, const C: usize>(init: Lanes<T, N, R, C>) -> Lanes<T, N, R, C> {
        init
    }

    #[inlined]
    fn load<T: Elem, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> Lanes<T, N, R, C> {
        *x
    }

    #[inlined]
    fn store<T: Elem, const R: usize, const C: usize>(x: &mut Lanes<T, N, R, C>, value: Lanes<T, N, R, C>) {
        if const { R == 1 && C == 1 && N > 1 } {
            // As a whole they would be one larger number, which loops take apart and put together again.
            each!(n < N => {
                x[0][n][0] = value[0][n][0];
            });
        } else {
            *x = value;
        }
    }

    #[inlined]
    fn place<T: Elem, const R: usize, const C: usize>(x: &mut Lanes<T, N, R, C>) -> Place<'_, N> {
        Place::whole(x)
    }

    #[inlined]
    fn place_again<'a>(place: &'a mut Self::Place<'_>) -> Self::Place<'a> {
        place.again()
    }

    #[inlined]
    fn narrow<'a, T: Elem>(place: Self::Place<'a>, columns: usize, region: Region<Self>) -> Self::Place<'a> {
        let at = place.positions::<E, T>(region);
        place.narrow(columns, at, region.row_stride, region.column_stride)
    }

    #[inlined]
    fn format_place<'a, T: Elem>(place: Self::Place<'a>, columns: usize) -> Self::Place<'a> {
        place.format::<T>(columns)
    }

    #[inlined]
    fn load_place<T: Elem, const R: usize, const C: usize>(place: &Place<'_, N>) -> Lanes<T, N, R, C> {
        place.load::<E, T, R, C>()
    }

    #[inlined]
    fn store_place<T: Elem, const R: usize, const C: usize>(
        place: &mut Place<'_, N>,
        value: Lanes<T, N, R, C>,
    ) {
        place.store::<E, T, R, C>(&value);
    }

    #[inlined]
    fn begin_loop() {}

    #[inlined]
    fn enter_loop((): &mut ()) -> bool {
        true
    }

    #[inlined]
    fn test_loop((): &mut (), condition: bool) -> bool {
        condition
    }

    #[inlined]
    fn thread_id(id: ThreadId) -> Lanes<u32, N, 1, 1> {
        let [x, y] = E::thread_origin();
        let mut lanes = [[0]; N];
        each!(n < N => {
            // Threads that run side by side are neighbours in a row.
            let x = x + n as u32;
            lanes[n] = match id {
                ThreadId::Origin(Axis::X) => [x],
                ThreadId::Origin(Axis::Y) => [y],
                _ => [E::row_ids().id([x, y], id)],
            };
        });
        [lanes]
    }

    fn shared<T: Elem>(elements: usize) -> E::Buffer {
        E::shared(elements * size_of::<T>())
    }

    fn named_barriers(_: usize) {}

    fn sync(kind: SyncKind, operands: &[Lanes<u32, N, 1, 1>]) {
        // Threads that run side by side have no group, so the numbers of one thread are enough.
        let numbers: SyncNumbers = operands.iter().map(|operand| operand[0][0][0]).collect();
        E::sync(kind, &numbers, Location::caller());
    }

    fn clock() -> Lanes<u32, N, 1, 4> {
        let time = E::clock();
        [[[time as u32, (time >> 32) as u32, 0, 0]; N]]
    }

    // Not inlined: a kernel that prints need not be fast.
    #[inline(never)]
    fn printed<T: Elem, const R: usize, const C: usize>(x: Lanes<T, N, R, C>) -> [Printed; N] {
        std::array::from_fn(|n| {
            let bits = x.iter().flat_map(|row| &row[n]).map(bits_of).collect();
            Printed { elem: T::TYPE, columns: C, bits }
        })
    }

    #[inline(never)]
    fn print(template: Template, values: Vec<[Printed; N]>) {
        let [x, y] = E::thread_origin();
        let mut values: Vec<_> = values.into_iter().map(IntoIterator::into_iter).collect();
        for n in 0..N {
            let own: Vec<Printed> = values.iter_mut().filter_map(Iterator::next).collect();
            E::print([x + n as u32, y], &template, &own);
        }
    }

    fn debug<T: Elem, const R: usize, const C: usize>(
        x: &Lanes<T, N, R, C>,
        layout: Layout,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        (0..N).try_for_each(|n| debug::elements(x, n, layout, f))
    }

    #[inlined]
    fn read_media<T: Elem, const R: usize, const C: usize>(
        surface: &E::Surface,
        x: Lanes<i32, N, 1, 1>,
        y: Lanes<i32, N, 1, 1>,
    ) -> Lanes<T, N, R, C> {
        let mut scratch = Scratch::uninit();
        concat::windowed::<E, T, N, R, C>(block::find::<E, T, false, N, R, C>(surface, x, y, &mut scratch), 1)
    }

    #[inlined]
    fn write_media<T: Elem, const R: usize, const C: usize>(
        surface: &mut E::Surface,
        x: Lanes<i32, N, 1, 1>,
        y: Lanes<i32, N, 1, 1>,
        data: Lanes<T, N, R, C>,
    ) {
        block::write::<E, T, N, R, C>(surface, x, y, &data);
    }

    #[inlined]
    fn read_texels<T: TypedElem, const R: usize, const L: usize, const D: usize>(
        surface: &E::Surface,
        channels: ChannelMask,
        place: [Lanes<u32, N, 1, L>; D],
    ) -> Lanes<T, N, R, L> {
        texels::read(surface, channels, place)
    }

    #[inlined]
    fn write_texels<T: TypedElem, const R: usize, const L: usize, const D: usize>(
        surface: &mut E::Surface,
        channels: ChannelMask,
        place: [Lanes<u32, N, 1, L>; D],
        data: Lanes<T, N, R, L>,
    ) {
        texels::write(surface, channels, place, &data);
    }

    #[inlined]
    fn update_texels<O: AtomicOp<T>, T: TypedAtomicElem, const L: usize, const D: usize>(
        surface: &mut E::Surface,
        place: [Lanes<u32, N, 1, L>; D],
        sources: [Option<Lanes<T, N, 1, L>>; 2],
    ) -> Lanes<T, N, 1, L> {
        let none: Lanes<T, N, 1, L> = zeroed();
        let [source, compare] = sources.map(|source| source.unwrap_or(none));
        texels::update::<O, T, N, L, D>(surface, place, &source, &compare)
    }

    #[inlined]
    fn read_bytes<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &E::Buffer,
        offset: Lanes<u32, N, 1, 1>,
    ) -> Lanes<T, N, R, C> {
        buffer::read_block(buffer, kind, offset)
    }

    #[inlined]
    fn write_bytes<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &mut E::Buffer,
        offset: Lanes<u32, N, 1, 1>,
        data: Lanes<T, N, R, C>,
    ) {
        buffer::write_block(buffer, kind, offset, data);
    }

    #[inlined]
    fn read_pitched<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &E::Buffer,
        block: Pitched<Self>,
    ) -> Lanes<T, N, R, C> {
        block_2d::read::<E, T, N, R, C>(buffer, kind, block)
    }

    #[inlined]
    fn write_pitched<T: Elem, const R: usize, const C: usize>(
        _kind: AccessKind,
        buffer: &mut E::Buffer,
        block: Pitched<Self>,
        data: Lanes<T, N, R, C>,
    ) {
        block_2d::write::<E, T, N, R, C>(buffer, block, data);
    }

    #[inlined]
    fn gather<T: Elem, const R: usize, const C: usize>(
        _hints: LoadHints,
        buffer: &E::Buffer,
        elements: Lanes<u32, N, R, C>,
    ) -> Lanes<T, N, R, C> {
        buffer::gather(buffer, elements)
    }

    #[inlined]
    fn scatter<T: Elem, const R: usize, const C: usize>(
        _hints: StoreHints,
        buffer: &mut E::Buffer,
        elements: Lanes<u32, N, R, C>,
        data: Lanes<T, N, R, C>,
    ) {
        buffer::scatter(buffer, elements, data);
    }

    #[inlined]
    fn gather_vectors<T: Elem, const R: usize, const C: usize>(
        _hints: LoadHints,
        buffer: &E::Buffer,
        firsts: Lanes<u32, N, 1, C>,
    ) -> Lanes<T, N, R, C> {
        buffer::gather(buffer, buffer::vectors::<T, N, R, C>(firsts))
    }

    #[inlined]
    fn scatter_vectors<T: Elem, const R: usize, const C: usize>(
        _hints: StoreHints,
        buffer: &mut E::Buffer,
        firsts: Lanes<u32, N, 1, C>,
        data: Lanes<T, N, R, C>,
    ) {
        buffer::scatter(buffer, buffer::vectors::<T, N, R, C>(firsts), data);
    }

    #[inlined]
    fn update<O: AtomicOp<T>, T: AtomicElem, const R: usize, const C: usize>(
        _hints: AtomicHints,
        memory: &mut E::Buffer,
        elements: Lanes<u32, N, R, C>,
        sources: [Option<Lanes<T, N, R, C>>; 2],
    ) -> Lanes<T, N, R, C> {
        // In place of sources that the operation does not have, and so does not look at.
        let none: Lanes<T, N, R, C> = zeroed();
        let [source, compare] = sources.map(|source| source.unwrap_or(none));
        buffer::atomic::<O, T, N, R, C>(memory, elements, source, compare)
    }

    #[inlined]
    fn part(surface: &E::Surface, part: Part, _writes: bool) -> E::Surface {
        SurfaceAccess::part(surface, part)
    }

    #[inlined]
    fn scratch() -> Scratch {
        Scratch::uninit()
    }

    #[inlined]
    fn media_block<'a, T: Elem, const R: usize, const C: usize>(
        surface: &'a E::Surface,
        x: Lanes<i32, N, 1, 1>,
        y: Lanes<i32, N, 1, 1>,
        scratch: &'a mut Scratch,
    ) -> InPlace<'a, KeptOf<E>, N> {
        InPlace::new(surface.kept(), block::find::<E, T, true, N, R, C>(surface, x, y, scratch))
    }

    #[inlined]
    fn linear_block<'a, T: Elem, const C: usize>(
        kind: AccessKind,
        message: usize,
        memory: &'a E::Buffer,
        offset: Lanes<u32, N, 1, 1>,
        scratch: &'a mut Scratch,
    ) -> InPlace<'a, KeptOf<E>, N> {
        let starts = buffer::starts(kind, offset);
        InPlace::new(memory.kept(), block::find_linear(memory, starts, C * size_of::<T>(), message, scratch))
    }

    #[inlined]
    fn convert_block<'a: 'a, V: Elem, T: Elem, const R: usize, const C: usize>(
        block: InPlace<'a, KeptOf<E>, N>,
    ) -> InPlace<'a, KeptOf<E>, N> {
        block
    }

    #[inlined]
    #[track_caller]
    fn violation(violation: Violation) {
        broken(violation);
    }
}

/// Not generic, so that its declaration tells every codegen unit that it does not return. A function of the backend would
/// be in one of them, and the others would simplify loops over regions as if the kernel went on after the call.
#[cold]
#[inline(never)]
#[track_caller]
fn broken(violation: Violation) -> ! {
    panic!("{violation}");
}

impl<E: Environment, const N: usize> Stored<Cpu<E, N>> for bool {
    type Name = bool;

    #[inlined]
    fn declare(self) -> bool {
        self
    }

    #[inlined]
    fn undefined() -> bool {
        false
    }

    #[inlined]
    fn load(&self) -> bool {
        *self
    }

    #[inlined]
    fn put(&mut self, value: bool) {
        *self = value;
    }
}
