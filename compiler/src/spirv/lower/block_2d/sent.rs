//! The messages that move 2-D blocks, as the target's compiler takes them: with the descriptor of the hardware, or as
//! intrinsics, which take the same payload.

use super::super::lowering::Lowering;
use crate::ops::Caching;
use crate::spirv::emit::cache_codes::{code, pair_code};
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;

use crate::spirv::passes::block_2d::layout::{Layout, REGISTER};

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
        let before = self.builder.undefined(message.layout.carried());
        let (intrinsic, arguments) = if self.target.takes_raw_messages() {
            let results = message.layout.bytes() / REGISTER;
            (Intrinsic::Send, self.raw(message, (LOAD, results), Some(before)))
        } else {
            let form = message.layout.form;
            let intrinsic = match (form.is_transposed(), form.is_packed()) {
                (true, _) => Intrinsic::Load2dTransposed,
                (false, true) => Intrinsic::Load2dPacked,
                (false, false) => Intrinsic::Load2d,
            };
            (intrinsic, self.described(message, before))
        };
        self.builder.value(intrinsic, before.ty, &arguments)
    }

    /// Stores a block, whose registers are `data`.
    pub(super) fn store_2d(&mut self, message: Message, data: Val) {
        let (intrinsic, arguments) = if self.target.takes_raw_messages() {
            (Intrinsic::SendTwo, self.raw(message, (STORE, 0), Some(data)))
        } else {
            (Intrinsic::Store2d, self.described(message, data))
        };
        self.builder.call(intrinsic, None, &arguments);
    }

    /// Prefetches a block.
    pub(super) fn prefetch_2d(&mut self, message: Message) {
        let (intrinsic, arguments) = if self.target.takes_raw_messages() {
            (Intrinsic::SendOnly, self.raw(message, (LOAD, 0), None))
        } else {
            let element = self.builder.constant(message.layout.carried().times(1), 0);
            (Intrinsic::Prefetch2d, self.described(message, element))
        };
        self.builder.call(intrinsic, None, &arguments);
    }

    /// The arguments of a raw message of an operation that returns so many registers; `last` is the data, or the result of
    /// disabled channels.
    fn raw(
        &mut self,
        Message { layout, caches, payload }: Message,
        (operation, results): (u32, usize),
        last: Option<Val>,
    ) -> Vec<Val> {
        let descriptor = operation
            | u32::from(layout.form.is_packed()) << 7
            | layout.size.trailing_zeros() << 9
            | u32::from(layout.form.is_transposed()) << 15
            | pair_code(caches) << 17
            | (results as u32) << 20
            | 1 << 25;
        let [none, one, registers, unit] = [0, 1, (layout.bytes() / REGISTER) as u64, UNTYPED]
            .map(|number| self.builder.constant(Ty::I8, number));
        let always = self.builder.constant(Ty::BOOL, 1);
        let [extended, descriptor] = [0, descriptor].map(|bits| self.builder.constant(Ty::I32, bits.into()));
        let mut arguments = vec![none, none, always, one];
        arguments.extend(last.map(|_| registers));
        arguments.extend([unit, extended, descriptor, payload]);
        arguments.extend(last);
        arguments
    }

    /// The arguments of an intrinsic; `last` is the data, or what has its type.
    fn described(&mut self, Message { layout, caches, payload }: Message, last: Val) -> Vec<Val> {
        let blocks = layout.form.blocks();
        let [down, across] = layout.form.in_memory(layout.rows, layout.columns, layout.size);
        let always = self.builder.constant(Ty::BOOL, 1);
        let caches = self.builder.constants(Ty::I8.times(2), &caches.map(code));
        let [blocks, columns, rows] = [(Ty::I8, blocks), (Ty::I16, across / blocks), (Ty::I16, down)]
            .map(|(ty, number)| self.builder.constant(ty, number as u64));
        let none = self.builder.i32(0);
        vec![always, caches, blocks, columns, rows, payload, none, none, last]
    }
}
