//! The recording backend: every operation becomes an instruction.

use std::convert::Infallible;
use std::mem::MaybeUninit;
use std::panic::Location;

use super::condition::{Rounds, Truth};
use super::declared;
use super::element::Element;
use super::handle::{Handle, RecordedBuffer, RecordedSurface, Recorder};
use super::instructions::{
    Operation, block, converted, dims, in_ir, pitched, read, result, texels, truth, ty, update, write,
};
use super::mirror::mirrored;
use super::place::Place;
use super::recording::{self, now};
use crate::access::oword_read;
use crate::backend::{self, Backend, InRegisters, Pitched, Region, convert};
use crate::elem::{Elem, ElemType, Int, bits_of};
use crate::limits::{AtomicElem, TypedAtomicElem, TypedElem, Violation};
use crate::ops::{AtomicOp, BinaryOp, Convert, Factor, GroupOp, TernaryOp, UnaryOp};
use crate::split;
use cm_compiler::ir::{Bits, Op, Operands, Part, ThreadId, Type, Value};
use cm_compiler::limits::DPAS_DEPTH;
use cm_compiler::ops::{
    AccessKind, AtomicHints, ChannelMask, Computed, LoadHints, PrefetchHints, StoreHints, SyncKind,
};
use cm_compiler::printf::Template;

// The methods have `#[track_caller]` from the declaration of the trait.
impl Backend for Recorder {
    type Reg<T: Elem, const R: usize, const C: usize> = Handle;
    type Cond = Truth;
    type Place<'a> = Place<'a>;
    type Surface = RecordedSurface;
    // A recorded block is in registers; reading in place is only for the CPU.
    type InMemory<'a> = InRegisters;
    type ConvertedInMemory<'a, V: Elem> = InRegisters;
    type Scratch = ();
    type InStackSlot<'a> = InRegisters;
    type StackSlot<T: Elem, const R: usize, const C: usize> = ();
    type Buffer = RecordedBuffer;
    type Loop = Rounds;
    type Printed = Value;
    // A recording has no elements.
    type Lane<const R: usize, const C: usize> = Infallible;
    type Strip<T: Elem> = ();
    type View<'a, T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize> = Handle;
    type Early<T: Elem, const R: usize, const C: usize> = Handle;
    type MaskOf<T: Int> = T;

    fn constant<T: Elem, const R: usize, const C: usize>(x: [[T; C]; R]) -> Handle {
        let all = x.as_flattened();
        let first = all.first().map_or(0, bits_of);
        // By bits: NaN is not equal to itself, and 0.0 is equal to -0.0.
        let constant = if all.iter().all(|e| bits_of(e) == first) {
            Bits::Splat(first)
        } else {
            Bits::Each(all.iter().map(bits_of).collect())
        };
        result(Op::Constant(constant), ty::<T, R, C>())
    }

    fn undefined<T: Elem, const R: usize, const C: usize>() -> Handle {
        recording::variable(None, ty::<T, R, C>())
    }

    fn splat<T: Elem, const R: usize, const C: usize>(x: Handle) -> Handle {
        let x = now::<T, 1, 1>(x);
        if R == 1 && C == 1 { Handle::Value(x) } else { result(Op::Splat(x), ty::<T, R, C>()) }
    }

    fn map1<O, P, T, U, const SAT: bool, const R: usize, const C: usize>(x: Handle) -> Handle
    where
        O: UnaryOp<P>,
        P: Elem,
        T: Elem,
        U: Elem,
    {
        let operation = Operation::of::<P, O::Output, U, SAT, R, C>(Computed::Map(O::KIND, false));
        operation.record(O::KIND.operands(), &[(x, Element::of::<T>())])
    }

    fn map2<O, P, T, V, U, const SAT: bool, const R: usize, const C: usize>(a: Handle, b: Handle) -> Handle
    where
        O: BinaryOp<P>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
    {
        let operation = Operation::of::<P, O::Output, U, SAT, R, C>(Computed::Map(O::KIND, false));
        operation.record(O::KIND.operands(), &[(a, Element::of::<T>()), (b, Element::of::<V>())])
    }

    fn strip<T: Elem, const R: usize, const C: usize>(_x: &Handle, _number: usize) {}

    fn tree<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> Handle
    where
        O: BinaryOp<P>,
        P: Elem,
        X: backend::Operand<R, C, Self> + Copy,
        Y: backend::Operand<R, C, Self> + Copy,
        U: Elem,
    {
        recording::begin_operands(place);
        let (a, b) = (now::<X::Elem, R, C>(a.into_operand()), now::<Y::Elem, R, C>(b.into_operand()));
        recording::end_operands(place);
        Self::map2::<O, P, X::Elem, Y::Elem, U, SAT, R, C>(Handle::Value(a), Handle::Value(b))
    }

    fn tree_in<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        _slot: &mut MaybeUninit<()>,
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> Handle
    where
        O: BinaryOp<P>,
        P: Elem,
        X: backend::Operand<R, C, Self> + Copy,
        Y: backend::Operand<R, C, Self> + Copy,
        U: Elem,
    {
        Self::tree::<O, P, X, Y, U, SAT, R, C>(a, b, place)
    }

    fn function_of_tree<O, P, X, U, const SAT: bool, const R: usize, const C: usize>(x: X) -> Handle
    where
        O: UnaryOp<P>,
        P: Elem,
        X: backend::Operand<R, C, Self> + Copy,
        U: Elem,
    {
        Self::map1::<O, P, X::Elem, U, SAT, R, C>(x.into_operand())
    }

    fn early<O, P, X, Y, const R: usize, const C: usize>(
        a: X,
        b: Y,
        place: &'static Location<'static>,
    ) -> Handle
    where
        O: BinaryOp<P>,
        P: Elem,
        X: backend::Operand<R, C, Self> + Copy,
        Y: backend::Operand<R, C, Self> + Copy,
    {
        Self::tree::<O, P, X, Y, O::Output, false, R, C>(a, b, place)
    }

    fn early_of<T: Elem, const R: usize, const C: usize>(of: impl FnOnce() -> Handle) -> Handle {
        of()
    }

    fn inside<O, P, X, Y, U, const SAT: bool, const R: usize, const C: usize>(
        early: Handle,
        _: X,
        _: Y,
        _: &'static Location<'static>,
    ) -> Handle
    where
        O: BinaryOp<P>,
        P: Elem,
        X: backend::Operand<R, C, Self> + Copy,
        Y: backend::Operand<R, C, Self> + Copy,
        U: Elem,
    {
        // `bf16` has the bits of `u16` and `tf32` those of `u32`, but other numbers.
        if !SAT && Element::of::<U>() == Element::of::<O::Output>() {
            return early;
        }
        Self::map1::<Convert, O::Output, O::Output, U, SAT, R, C>(early)
    }

    fn view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Handle,
        region: Region<Self>,
    ) -> Handle {
        Self::region::<T, R, C, R2, C2>(x, region)
    }

    fn whole<T: Elem, const R: usize, const C: usize>(x: &Handle) -> Handle {
        *x
    }

    fn viewed<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        view: Handle,
    ) -> Handle {
        view
    }

    fn element_of_view<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        _: &Handle,
        lane: Infallible,
    ) -> T {
        match lane {}
    }

    fn element<T: Elem, const R: usize, const C: usize>(_: &Handle, lane: Infallible) -> T {
        match lane {}
    }

    fn number<T: Elem, const R: usize, const C: usize>(_: &Handle, lane: Infallible) -> T {
        match lane {}
    }

    fn map3<O, F, P, T, V, U, const SAT: bool, const R: usize, const C: usize>(
        a: Handle,
        b: Handle,
        c: Handle,
    ) -> Handle
    where
        O: TernaryOp<F, P>,
        F: Elem,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
    {
        let operation = Operation::of::<P, O::Output, U, SAT, R, C>(Computed::Map(O::KIND, false));
        let operands = [(a, Element::of::<F>()), (b, Element::of::<T>()), (c, Element::of::<V>())];
        operation.record(O::KIND.operands(), &operands)
    }

    fn group2<O, P, T, V, U, const W: usize, const SAT: bool, const R: usize, const C: usize>(
        a: Handle,
        b: Handle,
    ) -> Handle
    where
        O: GroupOp<P, W>,
        P: Elem,
        T: Elem,
        V: Elem,
        U: Elem,
    {
        let operation = Operation::of::<P, O::Output, U, SAT, R, C>(Computed::Group(O::KIND));
        operation.record(O::KIND.operands(), &[(a, Element::of::<T>()), (b, Element::of::<V>())])
    }

    fn dpas<P, Q, const R: usize, const C: usize>(sums: Handle, columns: Handle, rows: Handle) -> Handle
    where
        P: Factor,
        Q: Factor<Sum = P::Sum>,
    {
        let operands =
            [now::<P::Sum, R, C>(sums), now::<u32, DPAS_DEPTH, C>(columns), now::<u32, R, DPAS_DEPTH>(rows)];
        let (b, a, operands) = (P::PRECISION, Q::PRECISION, Operands::new(&operands));
        result(Op::Dpas { b, a, operands }, ty::<P::Sum, R, C>())
    }

    fn reduce<O, P, T, U, const SAT: bool, const R: usize, const C: usize>(x: Handle) -> Handle
    where
        O: BinaryOp<P, Output = P>,
        P: Elem,
        T: Elem,
        U: Elem,
    {
        let op = Op::Reduce { kind: O::KIND, common: P::TYPE, operand: now::<T, R, C>(x) };
        let reduced = recording::value(op, Type::scalar(P::TYPE));
        Handle::Value(converted(reduced, Element::of::<P>(), Element::of::<U>(), SAT, 1, 1))
    }

    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Handle,
        region: Region<Self>,
    ) -> Handle {
        let x = now::<T, R, C>(*x);
        result(Op::Region(x, in_ir(region)), ty::<T, R2, C2>())
    }

    fn mirrored<T: Elem, const R: usize, const C: usize>(x: &Handle) -> Handle {
        Handle::Value(mirrored(now::<T, R, C>(*x), ty::<T, R, C>()))
    }

    fn iselect<T: Elem, const R: usize, const C: usize, const N: usize>(x: &Handle, index: Handle) -> Handle {
        let (x, index) = (now::<T, R, C>(*x), now::<u32, 1, N>(index));
        result(Op::Iselect(x, index), ty::<T, 1, N>())
    }

    fn format<T: Elem, V: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &Handle,
    ) -> Handle {
        result(Op::Format(now::<T, R, C>(*x)), ty::<V, R2, C2>())
    }

    fn unpack_mask<const R: usize, const C: usize>(bits: Handle) -> Handle {
        result(Op::UnpackMask(now::<u32, 1, 1>(bits)), Type::new(ElemType::U16, R, C))
    }

    fn pack_mask<T: Int, const R: usize, const C: usize>(mask: Handle) -> Handle {
        result(Op::PackMask(now::<T, R, C>(mask)), Type::scalar(ElemType::U32))
    }

    fn any<T: Elem, const R: usize, const C: usize>(x: Handle) -> Truth {
        Truth::new(Op::Any(truth(x, Element::of::<T>(), R, C)))
    }

    fn all<T: Elem, const R: usize, const C: usize>(x: Handle) -> Truth {
        Truth::new(Op::All(truth(x, Element::of::<T>(), R, C)))
    }

    fn variable<T: Elem, const R: usize, const C: usize>(init: Handle) -> Handle {
        let init = now::<T, R, C>(init);
        recording::variable(Some(init), ty::<T, R, C>())
    }

    fn load<T: Elem, const R: usize, const C: usize>(x: &Handle) -> Handle {
        Handle::Value(now::<T, R, C>(*x))
    }

    fn store<T: Elem, const R: usize, const C: usize>(x: &mut Handle, value: Handle) {
        let value = now::<T, R, C>(value);
        recording::store(x, value, ty::<T, R, C>());
    }

    fn place<T: Elem, const R: usize, const C: usize>(x: &mut Handle) -> Place<'_> {
        Place::whole::<T, R, C>(x)
    }

    fn place_again<'a>(place: &'a mut Self::Place<'_>) -> Self::Place<'a> {
        place.again()
    }

    fn narrow<'a, T: Elem>(place: Self::Place<'a>, columns: usize, region: Region<Self>) -> Self::Place<'a> {
        place.narrow(columns, region)
    }

    fn format_place<'a, T: Elem>(place: Self::Place<'a>, columns: usize) -> Self::Place<'a> {
        place.format::<T>(columns)
    }

    fn load_place<T: Elem, const R: usize, const C: usize>(place: &Place<'_>) -> Handle {
        place.load(T::TYPE, R, C)
    }

    fn store_place<T: Elem, const R: usize, const C: usize>(place: &mut Place<'_>, value: Handle) {
        place.store(T::TYPE, R, C, value);
    }

    fn begin_loop() -> Rounds {
        Rounds::begin()
    }

    fn enter_loop(state: &mut Rounds) -> bool {
        state.enter()
    }

    fn test_loop(state: &mut Rounds, condition: Truth) -> bool {
        state.test(condition)
    }

    fn host_round() {
        recording::host_round();
    }

    fn open_scope() -> u32 {
        recording::open_scope()
    }

    fn leave_scope(scope: u32) -> bool {
        recording::leave_scope(scope)
    }

    fn unreached() -> bool {
        recording::is_over()
    }

    fn close_scope(scope: u32) {
        recording::close_scope(scope);
    }

    fn depth() -> usize {
        recording::depth()
    }

    fn shared<T: Elem>(elements: usize) -> RecordedBuffer {
        declared::shared(T::TYPE, elements)
    }

    fn named_barriers(count: usize) {
        declared::named_barriers(count);
    }

    fn sync(kind: SyncKind, operands: &[Handle]) {
        let operands: Vec<Value> = operands.iter().map(|operand| now::<u32, 1, 1>(*operand)).collect();
        recording::effect(Op::Sync(kind, Operands::new(&operands)), Type::CONDITION);
    }

    fn thread_id(id: ThreadId) -> Handle {
        result(Op::Thread(id), Type::scalar(ElemType::U32))
    }

    fn read_media<T: Elem, const R: usize, const C: usize>(
        surface: &RecordedSurface,
        x: Handle,
        y: Handle,
    ) -> Handle {
        read(AccessKind::MediaRead, surface.0, block(x, y), ty::<T, R, C>())
    }

    fn write_media<T: Elem, const R: usize, const C: usize>(
        surface: &mut RecordedSurface,
        x: Handle,
        y: Handle,
        data: Handle,
    ) {
        write(AccessKind::MediaWrite, surface.0, block(x, y), Some(data), ty::<T, R, C>());
    }

    fn read_texels<T: TypedElem, const R: usize, const L: usize, const D: usize>(
        surface: &RecordedSurface,
        channels: ChannelMask,
        place: [Handle; D],
    ) -> Handle {
        declared::whole_surface(surface);
        read(AccessKind::TypedRead(dims::<D>(), channels), surface.0, texels::<L, D>(place), ty::<T, R, L>())
    }

    fn write_texels<T: TypedElem, const R: usize, const L: usize, const D: usize>(
        surface: &mut RecordedSurface,
        channels: ChannelMask,
        place: [Handle; D],
        data: Handle,
    ) {
        declared::whole_surface(surface);
        let kind = AccessKind::TypedWrite(dims::<D>(), channels);
        write(kind, surface.0, texels::<L, D>(place), Some(data), ty::<T, R, L>());
    }

    fn update_texels<O: AtomicOp<T>, T: TypedAtomicElem, const L: usize, const D: usize>(
        surface: &mut Self::Surface,
        place: [Handle; D],
        sources: [Option<Handle>; 2],
    ) -> Handle {
        let kind = AccessKind::TypedAtomic(dims::<D>(), O::KIND);
        update(kind, surface.0, texels::<L, D>(place), sources, ty::<T, 1, L>())
    }

    fn read_bytes<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &RecordedBuffer,
        offset: Handle,
    ) -> Handle {
        read(kind, buffer.0, vec![now::<u32, 1, 1>(offset)], ty::<T, R, C>())
    }

    fn write_bytes<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &mut RecordedBuffer,
        offset: Handle,
        data: Handle,
    ) {
        write(kind, buffer.0, vec![now::<u32, 1, 1>(offset)], Some(data), ty::<T, R, C>());
    }

    fn read_pitched<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &RecordedBuffer,
        block: Pitched<Self>,
    ) -> Handle {
        read(kind, buffer.0, pitched(block), ty::<T, R, C>())
    }

    fn write_pitched<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &mut RecordedBuffer,
        block: Pitched<Self>,
        data: Handle,
    ) {
        write(kind, buffer.0, pitched(block), Some(data), ty::<T, R, C>());
    }

    fn gather<T: Elem, const R: usize, const C: usize>(
        hints: LoadHints,
        buffer: &RecordedBuffer,
        elements: Handle,
    ) -> Handle {
        read(AccessKind::Gather(hints), buffer.0, vec![now::<u32, R, C>(elements)], ty::<T, R, C>())
    }

    fn scatter<T: Elem, const R: usize, const C: usize>(
        hints: StoreHints,
        buffer: &mut RecordedBuffer,
        elements: Handle,
        data: Handle,
    ) {
        let elements = vec![now::<u32, R, C>(elements)];
        write(AccessKind::Scatter(hints), buffer.0, elements, Some(data), ty::<T, R, C>());
    }

    fn gather_vectors<T: Elem, const R: usize, const C: usize>(
        hints: LoadHints,
        buffer: &RecordedBuffer,
        firsts: Handle,
    ) -> Handle {
        read(AccessKind::GatherVectors(hints), buffer.0, vec![now::<u32, 1, C>(firsts)], ty::<T, R, C>())
    }

    fn scatter_vectors<T: Elem, const R: usize, const C: usize>(
        hints: StoreHints,
        buffer: &mut RecordedBuffer,
        firsts: Handle,
        data: Handle,
    ) {
        let firsts = vec![now::<u32, 1, C>(firsts)];
        write(AccessKind::ScatterVectors(hints), buffer.0, firsts, Some(data), ty::<T, R, C>());
    }

    fn prefetch_elements<T: Elem, const R: usize, const C: usize>(
        hints: PrefetchHints,
        buffer: &RecordedBuffer,
        elements: Handle,
    ) {
        let elements = vec![now::<u32, R, C>(elements)];
        write(AccessKind::PrefetchElements(hints), buffer.0, elements, None, ty::<T, R, C>());
    }

    fn update<O: AtomicOp<T>, T: AtomicElem, const R: usize, const C: usize>(
        hints: AtomicHints,
        buffer: &mut RecordedBuffer,
        elements: Handle,
        sources: [Option<Handle>; 2],
    ) -> Handle {
        let elements = vec![now::<u32, R, C>(elements)];
        update(AccessKind::Atomic(O::KIND, hints), buffer.0, elements, sources, ty::<T, R, C>())
    }

    fn prefetch<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &RecordedBuffer,
        offset: Handle,
    ) {
        write(kind, buffer.0, vec![now::<u32, 1, 1>(offset)], None, ty::<T, R, C>());
    }

    fn prefetch_pitched<T: Elem, const R: usize, const C: usize>(
        kind: AccessKind,
        buffer: &RecordedBuffer,
        block: Pitched<Self>,
    ) {
        write(kind, buffer.0, pitched(block), None, ty::<T, R, C>());
    }

    fn part(surface: &RecordedSurface, part: Part, writes: bool) -> RecordedSurface {
        declared::part(surface, part, writes)
    }

    fn scratch() {}

    fn media_block<'a, T: Elem, const R: usize, const C: usize>(
        surface: &'a RecordedSurface,
        x: Handle,
        y: Handle,
        (): &'a mut (),
    ) -> Handle {
        split::read_block::<Self, T, R, C>(surface, x, y)
    }

    fn linear_block<'a, T: Elem, const C: usize>(
        kind: AccessKind,
        message: usize,
        buffer: &'a RecordedBuffer,
        offset: Handle,
        (): &'a mut (),
    ) -> Handle {
        if message == C * T::TYPE.bytes() {
            return oword_read::<Self, T, C>(kind, buffer, offset);
        }
        split::read_linear::<Self, T, C>(buffer, offset)
    }

    fn convert_block<'a: 'a, V: Elem, T: Elem, const R: usize, const C: usize>(block: Handle) -> Handle {
        convert::<Self, V, T, R, C>(block)
    }

    fn clock() -> Handle {
        result(Op::Clock, Type::new(ElemType::U32, 1, 4))
    }

    fn printed<T: Elem, const R: usize, const C: usize>(x: Handle) -> Value {
        now::<T, R, C>(x)
    }

    fn print(template: Template, values: Vec<Value>) {
        recording::effect(Op::Print { template, values }, Type::CONDITION);
    }

    fn samples<const N: usize>(surface: &RecordedSurface, sampler: Handle) {
        // A variable may hold one of several samplers, and so may a value loaded from one, which no launch checks.
        if let Handle::Value(sampler) = sampler {
            recording::samples(surface.0, sampler);
        }
    }

    fn whole_dwords(x: Handle) {
        recording::whole_dwords(now::<i32, 1, 1>(x));
    }

    fn register_file() -> usize {
        recording::register_file()
    }

    fn violation(violation: Violation) {
        recording::violation(violation);
    }
}
