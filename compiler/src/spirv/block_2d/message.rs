//! The message that moves a 2-D block.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Inst, Op as Ir, Type, Value};
use crate::limits::DWORD;
use crate::ops::{AccessKind, Effect};
use crate::spirv::binary::{Op, Operand, Word};
use crate::spirv::cache_codes::pair_code;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::lowering::{Lowering, Result};
use crate::spirv::module::Val;
use crate::spirv::payloads::{COLUMN, Number, PAYLOAD, Picture, ROW, ROWS, SIZE, size_of_block};
use crate::spirv::types::Ty;

use super::layout::{Layout, REGISTER, addressed, form};

/// The unit that receives messages for untyped memory.
const UNTYPED: u64 = 0xf;
/// The operation of loads and prefetches.
const LOAD: u32 = 3;
/// The operation of stores.
const STORE: u32 = 7;

/// The operands of an access: the rows of the buffer, then the column and the row of the block.
fn operands(operands: &[Value]) -> Option<([Value; 3], [Value; 2])> {
    let &[width, height, pitch, x, y, ..] = operands else { return None };
    Some(([width, height, pitch], [x, y]))
}

impl<'a> Lowering<'a> {
    /// Declares the pointers to the buffers that 2-D blocks access, as the last parameters.
    pub(in crate::spirv) fn pointers(&mut self) {
        if self.target.has_2d_blocks() {
            let all = addressed(self.function).into_iter();
            self.pointers = all.map(|param| (param, self.builder.pointer())).collect::<FxHashMap<_, _>>();
        }
    }

    /// Fills the payloads of the messages of a loop before the loop, if their numbers are known there.
    pub(in crate::spirv) fn payloads_of(&mut self, blocks: [&'a Block; 2]) -> Result<()> {
        if self.pointers.is_empty() {
            return Ok(());
        }
        let insts = || blocks.into_iter().flat_map(Block::instructions);
        let defined: FxHashMap<Value, &Inst> =
            insts().filter_map(|inst| Some((inst.result?, inst))).collect();
        for inst in insts() {
            if let Ir::Access { kind, param, operands: all } = &inst.op
                && let Some(form) = form(*kind)
                && let Some((rows, place)) = operands(all)
                && let Some(elem) = inst.ty.elem()
                && rows.iter().try_fold(true, |known, x| Ok(known && self.known_early(*x, &defined)?))?
            {
                let layout =
                    Layout { form, rows: inst.ty.rows, columns: inst.ty.columns, size: elem.bytes() };
                let mut fixed = place.map(Some);
                for x in &mut fixed {
                    if let Some(number) = *x
                        && !self.known_early(number, &defined)?
                    {
                        *x = None;
                    }
                }
                let picture = self.picture(*param, rows, fixed, layout)?;
                if self.payloads.of(&picture).is_none_or(|(known, _)| known != picture) {
                    self.fill(picture, rows, fixed, layout)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a number is known before the block that defines it: it is then computed here, too.
    fn known_early(&mut self, x: Value, defined: &FxHashMap<Value, &'a Inst>) -> Result<bool> {
        let Some(inst) = defined.get(&x) else { return Ok(true) };
        let pure = matches!(inst.op, Ir::Constant(_) | Ir::Argument(_) | Ir::Map { .. });
        let operands = inst.op.operands();
        if pure
            && operands.into_iter().try_fold(true, |known, x| Ok(known && self.known_early(x, defined)?))?
        {
            self.inst(inst)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn picture(
        &self,
        param: usize,
        rows: [Value; 3],
        place: [Option<Value>; 2],
        layout: Layout,
    ) -> Result<Picture> {
        let [down, across] = layout.form.in_memory(layout.rows, layout.columns, layout.size);
        let blocks = layout.form.blocks();
        let number = |x: Value| Ok(self.def(x)?.known.map_or(Number::Computed(x), Number::Known));
        let [width, height, pitch] = rows.map(number);
        let [x, y] = place.map(|x| x.map(number).transpose());
        let size = size_of_block(across / blocks, down, blocks);
        Ok(Picture { param, rows: [width?, height?, pitch?], size, place: [x?, y?] })
    }

    /// Fills the payload of a picture.
    fn fill(
        &mut self,
        picture: Picture,
        rows: [Value; 3],
        place: [Option<Value>; 2],
        layout: Layout,
    ) -> Result<Word> {
        let Some(address) = self.pointers.get(&picture.param).copied() else {
            return Err(self.malformed("a 2-D block of what is not a buffer"));
        };
        let start = self.builder.undefined(Ty::I64.times(PAYLOAD.bytes() / Ty::I64.bytes()));
        let start = self.builder.insert(start, FixedRegion::row(0, 1), address, None);
        let mut whole = self.builder.format(start, PAYLOAD);
        let one = self.builder.i32(1);
        for (at, number) in ROWS.into_iter().zip(rows) {
            let number = self.val(number)?;
            let less = self.builder.op(Op::ISub, Ty::I32, &[number, one]);
            whole = self.builder.insert(whole, FixedRegion::row(at, 1), less, None);
        }
        let size = self.builder.constant(Ty::I32, picture.size.into());
        whole = self.builder.insert(whole, FixedRegion::row(SIZE, 1), size, None);
        whole = self.placed(whole, place, layout)?;
        let pointer = self.builder.variable(PAYLOAD);
        self.builder.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(whole.id)]);
        self.payloads.add(picture, pointer);
        Ok(pointer)
    }

    /// A payload with the given parts of the place.
    fn placed(&mut self, mut payload: Val, [x, y]: [Option<Value>; 2], layout: Layout) -> Result<Val> {
        if let Some(x) = x {
            let (mut column, per_dword) = (self.val(x)?, DWORD / layout.size.min(DWORD));
            if !self.is_multiple(x, per_dword)? {
                let whole = self.builder.constant(Ty::I32, !(per_dword as u64 - 1));
                column = self.builder.op(Op::BitwiseAnd, Ty::I32, &[column, whole]);
            }
            payload = self.builder.insert(payload, FixedRegion::row(COLUMN, 1), column, None);
        }
        if let Some(y) = y {
            let row = self.val(y)?;
            payload = self.builder.insert(payload, FixedRegion::row(ROW, 1), row, None);
        }
        Ok(payload)
    }

    /// Accesses a 2-D block by one message. Returns its result, if it has one.
    pub(in crate::spirv) fn block_2d(
        &mut self,
        kind: AccessKind,
        param: usize,
        all: &[Value],
        ty: Type,
    ) -> Result<Option<Val>> {
        let caches = match kind {
            AccessKind::Load2d(hints, _) => hints.caches(),
            AccessKind::Store2d(hints) => hints.caches(),
            AccessKind::Prefetch2d(hints) => hints.caches(),
            _ => return Err(self.malformed("a 2-D block that is none")),
        };
        let (Some(form), Some((rows, [x, y]))) = (form(kind), operands(all)) else {
            return Err(self.malformed("a 2-D block without a place"));
        };
        let elem = ty.elem().ok_or_else(|| self.malformed("a 2-D block of conditions"))?;
        let layout = Layout { form, rows: ty.rows, columns: ty.columns, size: elem.bytes() };
        let place = [x, y].map(Some);
        let picture = self.picture(param, rows, place, layout)?;
        let (known, pointer) = match self.payloads.of(&picture) {
            Some(payload) => payload,
            None => {
                let picture = Picture { place: [None; 2], ..picture };
                (picture, self.fill(picture, rows, [None; 2], layout)?)
            }
        };
        let payload = self.builder.op_with(Op::Load, PAYLOAD, vec![Operand::Id(pointer)]);
        let [in_column, in_row] = known.place.map(|x| x.is_some());
        let payload =
            self.placed(payload, [place[0].filter(|_| !in_column), place[1].filter(|_| !in_row)], layout)?;
        self.builder.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(payload.id)]);
        let effect = kind.spec().effect;
        let registers = layout.bytes() / REGISTER;
        let (operation, results) = match effect {
            Effect::Write => (STORE, 0),
            Effect::Prefetch => (LOAD, 0),
            Effect::Read | Effect::Update(_) => (LOAD, registers),
        };
        let descriptor = operation
            | u32::from(form.is_packed()) << 7
            | layout.size.trailing_zeros() << 9
            | u32::from(form.is_transposed()) << 15
            | pair_code(caches) << 17
            | (results as u32) << 20
            | 1 << 25;
        let [none, one, registers, unit] =
            [0, 1, registers as u64, UNTYPED].map(|number| self.builder.constant(Ty::I8, number));
        let always = self.builder.constant(Ty::BOOL, 1);
        let [extended, descriptor] = [0, descriptor].map(|bits| self.builder.constant(Ty::I32, bits.into()));
        let start = [none, none, always, one];
        Ok(match effect {
            Effect::Prefetch => {
                let rest = [unit, extended, descriptor, payload];
                self.builder.call(Intrinsic::SendOnly, None, &[&start[..], &rest].concat());
                None
            }
            Effect::Write => {
                let data = self.val(all[all.len() - 1])?;
                let padded_ty = data.ty.times(layout.carried().count);
                let padded = if padded_ty == data.ty {
                    data
                } else {
                    let others = self.builder.undefined(padded_ty);
                    self.builder.insert(others, layout.shape(0), data, None)
                };
                let data = self.builder.format(padded, layout.carried());
                let rest = [registers, unit, extended, descriptor, payload, data];
                self.builder.call(Intrinsic::SendTwo, None, &[&start[..], &rest].concat());
                None
            }
            Effect::Read | Effect::Update(_) => {
                let before = self.builder.undefined(layout.carried());
                let rest = [registers, unit, extended, descriptor, payload, before];
                let loaded = self.builder.value(Intrinsic::Send, before.ty, &[&start[..], &rest].concat());
                Some(self.blocks(loaded, layout, ty))
            }
        })
    }

    /// The blocks of a loaded message, one below the other.
    fn blocks(&mut self, loaded: Val, layout: Layout, ty: Type) -> Val {
        let (wanted, blocks) = (Ty::from(ty), layout.form.blocks());
        let padded = self.builder.format(loaded, wanted.times(loaded.ty.count));
        let count = wanted.count / blocks;
        if blocks == 1 {
            return self.builder.region(padded, layout.shape(0), count, None);
        }
        let mut whole = self.builder.undefined(wanted);
        for block in 0..blocks {
            let part = self.builder.region(padded, layout.shape(block), count, None);
            whole = self.builder.insert(whole, FixedRegion::row(block * count, count), part, None);
        }
        whole
    }
}
