//! The messages that move 2-D blocks, as the target's compiler takes them: with the descriptor of the hardware, or as
//! intrinsics, which take the same payload.

use crate::ops::Caching;
use crate::spirv::cache_codes::{code, pair_code};
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::lowering::Lowering;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;

use super::layout::{Layout, REGISTER};

/// The unit that receives messages for untyped memory.
const UNTYPED: u64 = 0xf;
/// The operation of loads and prefetches.
const LOAD: u32 = 3;
/// The operation of stores.
const STORE: u32 = 7;

/// A message.
#[derive(Clone, Copy)]
pub(super) struct Message {
    pub(super) layout: Layout,
    /// The hints for the L1 and the L3 cache.
    pub(super) caches: [Caching; 2],
    pub(super) payload: Val,
}

impl Lowering<'_> {
    /// Loads a block. Returns the registers of the message.
    pub(super) fn load_2d(&mut self, message: Message) -> Val {
        let Message { layout, payload, .. } = message;
        let before = self.builder.undefined(layout.carried());
        if !self.target.takes_raw_messages() {
            let intrinsic = match (layout.form.is_transposed(), layout.form.is_packed()) {
                (true, _) => Intrinsic::Load2dTransposed,
                (false, true) => Intrinsic::Load2dPacked,
                (false, false) => Intrinsic::Load2d,
            };
            let arguments = self.described(message, before);
            return self.builder.value(intrinsic, before.ty, &arguments);
        }
        let registers = layout.bytes() / REGISTER;
        let [extended, descriptor] = self.descriptors(message, LOAD, registers);
        let [none, one, registers, unit] = self.bytes([0, 1, registers as u64, UNTYPED]);
        let always = self.builder.constant(Ty::BOOL, 1);
        let arguments = [none, none, always, one, registers, unit, extended, descriptor, payload, before];
        self.builder.value(Intrinsic::Send, before.ty, &arguments)
    }

    /// Stores a block, whose registers are `data`.
    pub(super) fn store_2d(&mut self, message: Message, data: Val) {
        if !self.target.takes_raw_messages() {
            let arguments = self.described(message, data);
            self.builder.call(Intrinsic::Store2d, None, &arguments);
            return;
        }
        let [extended, descriptor] = self.descriptors(message, STORE, 0);
        let registers = (message.layout.bytes() / REGISTER) as u64;
        let [none, one, registers, unit] = self.bytes([0, 1, registers, UNTYPED]);
        let always = self.builder.constant(Ty::BOOL, 1);
        let arguments =
            [none, none, always, one, registers, unit, extended, descriptor, message.payload, data];
        self.builder.call(Intrinsic::SendTwo, None, &arguments);
    }

    /// Prefetches a block.
    pub(super) fn prefetch_2d(&mut self, message: Message) {
        if !self.target.takes_raw_messages() {
            let element = self.builder.constant(message.layout.carried().times(1), 0);
            let arguments = self.described(message, element);
            self.builder.call(Intrinsic::Prefetch2d, None, &arguments);
            return;
        }
        let [extended, descriptor] = self.descriptors(message, LOAD, 0);
        let [none, one, unit] = self.bytes([0, 1, UNTYPED]);
        let always = self.builder.constant(Ty::BOOL, 1);
        let arguments = [none, none, always, one, unit, extended, descriptor, message.payload];
        self.builder.call(Intrinsic::SendOnly, None, &arguments);
    }

    /// The extended descriptor and the descriptor of a message that returns so many registers.
    fn descriptors(
        &mut self,
        Message { layout, caches, .. }: Message,
        operation: u32,
        results: usize,
    ) -> [Val; 2] {
        let descriptor = operation
            | u32::from(layout.form.is_packed()) << 7
            | layout.size.trailing_zeros() << 9
            | u32::from(layout.form.is_transposed()) << 15
            | pair_code(caches) << 17
            | (results as u32) << 20
            | 1 << 25;
        [0, descriptor].map(|bits| self.builder.constant(Ty::I32, bits.into()))
    }

    /// The arguments of an intrinsic; `last` is the data, or what has its type.
    fn described(&mut self, Message { layout, caches, payload }: Message, last: Val) -> [Val; 9] {
        let blocks = layout.form.blocks();
        let [down, across] = layout.form.in_memory(layout.rows, layout.columns, layout.size);
        let always = self.builder.constant(Ty::BOOL, 1);
        let caches = self.builder.constants(Ty::I8.times(2), &caches.map(code));
        let [blocks, columns, rows] = [(Ty::I8, blocks), (Ty::I16, across / blocks), (Ty::I16, down)]
            .map(|(ty, number)| self.builder.constant(ty, number as u64));
        let none = self.builder.i32(0);
        [always, caches, blocks, columns, rows, payload, none, none, last]
    }

    fn bytes<const N: usize>(&mut self, numbers: [u64; N]) -> [Val; N] {
        numbers.map(|number| self.builder.constant(Ty::I8, number))
    }
}
