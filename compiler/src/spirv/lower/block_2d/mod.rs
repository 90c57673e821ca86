//! The accesses to 2-D blocks: their payloads, and what a message carries.

mod sent;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Inst, Op as Ir, Type, Value};
use crate::limits::DWORD;
use crate::ops::{AccessKind, Effect};
use crate::spirv::binary::{Op, Operand, Word};
use crate::spirv::emit::payloads::{
    COLUMN, Number, PAYLOAD, Payloads, Picture, ROW, ROWS, SIZE, size_of_block,
};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;

use super::lowering::{Lowering, Result};
use crate::spirv::passes::block_2d::addressed;
use crate::spirv::passes::block_2d::layout::{Block2d, Layout};
use sent::Message;

/// The numbers that are known before a loop.
struct Early {
    /// All that the loop defines.
    defined: FxHashSet<Value>,
    /// Those of them that can be computed before the loop.
    computed: FxHashSet<Value>,
}

impl Early {
    fn of(insts: &[&Inst]) -> Self {
        let mut early = Self {
            defined: insts.iter().filter_map(|inst| inst.result).collect(),
            computed: FxHashSet::default(),
        };
        for inst in insts {
            let pure = match &inst.op {
                Ir::Constant(_) | Ir::Argument(_) | Ir::Thread(_) | Ir::Map { .. } => true,
                Ir::Region(_, region) => region.dynamic.is_none(),
                _ => false,
            };
            if pure && inst.op.operands().into_iter().all(|x| early.is_known(x)) {
                early.computed.extend(inst.result);
            }
        }
        early
    }

    fn is_known(&self, x: Value) -> bool {
        !self.defined.contains(&x) || self.computed.contains(&x)
    }
}

impl<'a> Lowering<'a> {
    /// Declares the pointers to the buffers that 2-D blocks access, as the last parameters.
    pub(crate) fn pointers(&mut self) {
        if self.target.has_2d_blocks() {
            let all = addressed(self.function).into_iter();
            self.pointers = all.map(|param| (param, self.builder.pointer())).collect::<FxHashMap<_, _>>();
            let blocks = self.function.body.instructions().filter_map(Block2d::of);
            let pictures = blocks.map(|block| self.picture(&block, block.place.map(Some)));
            self.payloads = Payloads::new(pictures.collect());
        }
    }

    /// Fills the payloads of the messages of a loop before the loop, if their numbers are known there.
    pub(crate) fn payloads_of(&mut self, blocks: [&'a Block; 2]) -> Result<()> {
        if self.pointers.is_empty() {
            return Ok(());
        }
        let insts: Vec<&'a Inst> = blocks.into_iter().flat_map(Block::instructions).collect();
        let early = Early::of(&insts);
        let blocks = insts.iter().filter_map(|inst| Block2d::of(inst));
        let blocks: Vec<Block2d> =
            blocks.filter(|block| block.rows.iter().all(|x| early.is_known(*x))).collect();
        // Their numbers, and what these are computed from.
        let mut needed: FxHashSet<Value> =
            blocks.iter().flat_map(|block| block.rows.into_iter().chain(block.place)).collect();
        for inst in insts.iter().rev() {
            if inst.result.is_some_and(|x| needed.contains(&x) && early.computed.contains(&x)) {
                needed.extend(inst.op.operands());
            }
        }
        let at = self.at.clone();
        for inst in &insts {
            if inst.result.is_some_and(|x| needed.contains(&x) && early.computed.contains(&x)) {
                self.inst(inst)?;
            }
        }
        self.at = at;
        self.builder.at(&self.at);
        for block in &blocks {
            let full = self.payloads.is_full();
            let fixed = block.place.map(|x| Some(x).filter(|x| early.is_known(*x) && !full));
            let picture = self.picture(block, fixed);
            if self.payloads.of(&picture).is_none_or(|(known, _)| known != picture) {
                self.fill(picture, block, fixed, false)?;
            }
        }
        Ok(())
    }

    fn picture(&self, block: &Block2d, place: [Option<Value>; 2]) -> Picture {
        let layout = block.layout;
        let [down, across] = layout.form.in_memory(layout.rows, layout.columns, layout.size);
        let blocks = layout.form.blocks();
        let number = |x: Value| self.sums.get(x).map_or(Number::Computed(x), |sum| Number::Sum(sum.clone()));
        Picture {
            param: block.param,
            rows: block.rows.map(number),
            size: size_of_block(across / blocks, down, blocks),
            elem: layout.size,
            place: place.map(|x| x.map(number)),
        }
    }

    /// Fills the payload of a picture. `placed`: with the place of the block, which other payloads have too.
    fn fill(
        &mut self,
        picture: Picture,
        block: &Block2d,
        place: [Option<Value>; 2],
        placed: bool,
    ) -> Result<Word> {
        let Some(address) = self.pointers.get(&picture.param).copied() else {
            return Err(self.malformed("a 2-D block of what is not a buffer"));
        };
        let start = self.builder.undefined(Ty::I64.times(PAYLOAD.bytes() / Ty::I64.bytes()));
        let start = self.builder.insert(start, FixedRegion::row(0, 1), address, None);
        let mut whole = self.builder.format(start, PAYLOAD);
        let one = self.builder.i32(1);
        if let Some(rows) = self.rows_of_argument(&block.rows) {
            whole = self.builder.insert(whole, FixedRegion::row(ROWS[0], rows.ty.count), rows, None);
        } else {
            for (at, number) in ROWS.into_iter().zip(block.rows) {
                let number = self.val(number)?;
                let less = self.builder.op(Op::ISub, Ty::I32, &[number, one]);
                whole = self.builder.insert(whole, FixedRegion::row(at, 1), less, None);
            }
        }
        let size = self.builder.constant(Ty::I32, picture.size.into());
        if placed {
            // The compiler makes these dwords once for all payloads.
            let [x, y] = block.place;
            let dwords = [self.column(x, block.layout)?, self.val(y)?, size];
            let mut end = self.builder.undefined(Ty::I32.times(dwords.len().next_power_of_two()));
            for (at, dword) in dwords.into_iter().enumerate() {
                end = self.builder.insert(end, FixedRegion::row(at, 1), dword, None);
            }
            whole = self.builder.insert(whole, FixedRegion::row(COLUMN, end.ty.count), end, None);
        } else {
            whole = self.builder.insert(whole, FixedRegion::row(SIZE, 1), size, None);
            whole = self.placed(whole, place, block.layout)?;
        }
        let pointer = self.builder.variable(PAYLOAD);
        self.builder.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(whole.id)]);
        self.payloads.add(picture, pointer);
        Ok(pointer)
    }

    /// The dwords of the rows, if they follow each other in an argument. One more is as fast as none: rows are of powers of
    /// two elements. The column of the block replaces it.
    fn rows_of_argument(&mut self, rows: &[Value; 3]) -> Option<Val> {
        let (param, first) = self.sums.elements_before(rows)?;
        let all = self.arguments.get(param).copied().flatten()?;
        let count = COLUMN + 1 - ROWS[0];
        (first + count <= all.ty.count)
            .then(|| self.builder.region(all, FixedRegion::row(first, count), count, None))
    }

    /// A column at a whole dword.
    fn column(&mut self, x: Value, layout: Layout) -> Result<Val> {
        let (column, per_dword) = (self.val(x)?, DWORD / layout.size.min(DWORD));
        if self.is_multiple(x, per_dword)? {
            return Ok(column);
        }
        let whole = self.builder.constant(Ty::I32, !(per_dword as u64 - 1));
        Ok(self.builder.op(Op::BitwiseAnd, Ty::I32, &[column, whole]))
    }

    /// A payload with the given parts of the place.
    fn placed(&mut self, mut payload: Val, [x, y]: [Option<Value>; 2], layout: Layout) -> Result<Val> {
        if let Some(x) = x {
            let column = self.column(x, layout)?;
            payload = self.builder.insert(payload, FixedRegion::row(COLUMN, 1), column, None);
        }
        if let Some(y) = y {
            let row = self.val(y)?;
            payload = self.builder.insert(payload, FixedRegion::row(ROW, 1), row, None);
        }
        Ok(payload)
    }

    /// Accesses a 2-D block by one message. Returns its result, if it has one.
    pub(crate) fn block_2d(&mut self, inst: &Inst) -> Result<Option<Val>> {
        let block = Block2d::of(inst).ok_or_else(|| self.malformed("a 2-D block that is none"))?;
        let Block2d { kind, layout, place: [x, y], data, .. } = block;
        let caches = match kind {
            AccessKind::Load2d(hints, _) => hints.caches(),
            AccessKind::Store2d(hints) => hints.caches(),
            AccessKind::Prefetch2d(hints) => hints.caches(),
            _ => return Err(self.malformed("a 2-D block that is none")),
        };
        let picture = self.picture(&block, [x, y].map(Some));
        let (known, pointer) = match self.payloads.of(&picture) {
            Some(payload) => payload,
            None => {
                let own = Picture { place: [None, None], ..picture.clone() };
                let shared = self.payloads.is_common(&picture);
                let pointer = self.fill(own.clone(), &block, [None; 2], shared)?;
                (if shared { picture } else { own }, pointer)
            }
        };
        let payload = self.builder.op_with(Op::Load, PAYLOAD, vec![Operand::Id(pointer)]);
        let [in_column, in_row] = known.place.map(|number| number.is_some());
        let changed = [(x, in_column), (y, in_row)].map(|(x, fixed)| (!fixed).then_some(x));
        let payload = self.placed(payload, changed, layout)?;
        self.builder.effect(Op::Store, vec![Operand::Id(pointer), Operand::Id(payload.id)]);
        let message = Message { layout, caches, payload };
        Ok(match kind.spec().effect {
            Effect::Prefetch => {
                self.prefetch_2d(message);
                None
            }
            Effect::Write => {
                let data = data.ok_or_else(|| self.malformed("a store without data"))?;
                let data = self.val(data)?;
                let padded_ty = data.ty.times(layout.carried().count);
                let padded = if padded_ty == data.ty {
                    data
                } else {
                    let others = self.builder.undefined(padded_ty);
                    self.builder.insert(others, layout.shape(0), data, None)
                };
                let data = self.builder.format(padded, layout.carried());
                self.store_2d(message, data);
                None
            }
            Effect::Read | Effect::Update(_) => {
                let loaded = self.load_2d(message);
                Some(self.blocks(loaded, layout, inst.ty))
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
