//! From instructions of the intermediate form to those of SPIR-V.

use std::collections::HashMap;

use crate::elem::ElemType;
use crate::ir::Axis;
use crate::ir::ParamKind;
use crate::ir::{Bits, Block, Function, Inst, Location, Op as Ir, Span, Type, Value, Variable};
use crate::limits;
use crate::ops::{AccessKind, Address, MapKind, Memory};
use rspirv::dr::Operand;
use spirv::{Capability, ExecutionMode, Op, Word};

use super::compare_uses::CompareUses;
use super::compiler_workarounds::{Hazard, Hazards, depends_on_sign, merges_products};
use super::denormals;
use super::error::LowerError;
use super::media::MediaBlock;
use super::module::{Access, Builder, Val};
use super::ranges::Ranges;
use super::regions::{Dynamic, Shape};
use super::target::Target;
use super::types::{Scalar, Ty};

/// A value of the kernel.
#[derive(Clone, Copy, Debug)]
struct Def {
    val: Val,
    ty: Type,
    /// The bits of all elements, where they are known and the same.
    known: Option<u64>,
    /// A number that it is a multiple of.
    multiple: usize,
}

/// A kernel on its way.
pub(super) struct Lowering<'a> {
    pub(super) builder: Builder,
    function: &'a Function,
    target: Target,
    hazards: Hazards,
    ranges: Ranges,
    compare_uses: CompareUses,
    values: HashMap<Value, Def>,
    pub(super) variables: HashMap<Variable, (Word, Type)>,
    /// The elements of constants that are not all the same.
    constants: HashMap<Value, &'a [u64]>,
    arguments: Vec<Option<Val>>,
    threads: [Option<Val>; 2],
    /// Truth values of which `u16` masks were made.
    masks: HashMap<Word, Val>,
    at: Location,
}

type Result<T> = std::result::Result<T, LowerError>;

impl<'a> Lowering<'a> {
    pub(super) fn new(function: &'a Function, target: Target) -> Self {
        let start = Location { file: "".into(), line: 0, column: 0 };
        Self {
            builder: Builder::new(),
            function,
            target,
            hazards: Hazards::of(function),
            ranges: Ranges::of(function),
            compare_uses: CompareUses::of(function),
            values: HashMap::new(),
            constants: HashMap::new(),
            variables: HashMap::new(),
            arguments: vec![],
            threads: [None; 2],
            masks: HashMap::new(),
            at: function.body.insts.first().map_or(start, |inst| inst.location.clone()),
        }
    }

    pub(super) fn finish(mut self) -> Result<Vec<Word>> {
        // A multiplication and an addition stay two roundings, as they are on the CPU.
        self.builder.mode(ExecutionMode::ContractionOff, None);
        for bits in denormals::needed(self.function) {
            self.builder.capability(Capability::DenormPreserve);
            self.builder.extension("SPV_KHR_float_controls");
            self.builder.mode(ExecutionMode::DenormPreserve, Some(bits));
        }
        self.parameters()?;
        self.block(&self.function.body)?;
        self.builder.end_block(Op::Return, &[]);
        Ok(self.builder.finish(&self.function.name))
    }

    fn parameters(&mut self) -> Result<()> {
        let mut uses = vec![(false, false); self.function.params.len()];
        for inst in self.function.body.instructions() {
            if let Ir::Access { kind, param, .. } = &inst.op
                && let Some((read, written)) = uses.get_mut(*param)
            {
                let effect = kind.spec().effect;
                (*read, *written) = (*read | effect.reads(), *written | effect.writes());
            }
        }
        for (param, (read, written)) in self.function.params.iter().zip(uses) {
            let argument = match param.kind {
                ParamKind::Surface { writable } => {
                    self.builder.image(Access::of(writable, read), read || written)
                }
                ParamKind::Buffer { writable, .. } => {
                    self.builder.buffer(Access::of(writable, read), read || written)
                }
                ParamKind::Uniform { elem, rows, columns } => {
                    self.legal(elem)?;
                    Some(self.builder.parameter(Ty::new(elem.into(), rows * columns)))
                }
            };
            self.arguments.push(argument);
        }
        Ok(())
    }

    pub(super) fn malformed(&self, what: impl Into<String>) -> LowerError {
        LowerError::Malformed { kernel: self.function.name.clone(), at: self.at.clone(), what: what.into() }
    }

    /// Refuses what the target does not compute with.
    fn legal(&self, elem: ElemType) -> Result<()> {
        if elem == ElemType::F64 && !self.target.has_f64() {
            return Err(LowerError::Unsupported {
                kernel: self.function.name.clone(),
                target: self.target,
                at: self.at.clone(),
                what: "there is no f64".into(),
                remedy: "compute in f32; unsuffixed float literals are f64, so write 0.5f32",
            });
        }
        Ok(())
    }

    fn def(&self, value: Value) -> Result<Def> {
        self.values
            .get(&value)
            .copied()
            .ok_or_else(|| self.malformed(format!("%{} is used before it is defined", value.0)))
    }

    pub(super) fn val(&self, value: Value) -> Result<Val> {
        Ok(self.def(value)?.val)
    }

    fn elem(&self, def: Def) -> Result<ElemType> {
        def.ty.elem().ok_or_else(|| self.malformed("a condition where numbers are expected"))
    }

    /// The element type of a value.
    pub(super) fn value_elem(&self, value: Value) -> Result<ElemType> {
        self.elem(self.def(value)?)
    }

    /// What Intel's compiler gets wrong together with uses of a value.
    pub(super) fn hazard(&self, value: Value) -> Hazard {
        self.hazards.value(value)
    }

    pub(super) fn block(&mut self, block: &'a Block) -> Result<()> {
        block.insts.iter().try_for_each(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: &'a Inst) -> Result<()> {
        self.at = inst.location.clone();
        if let Some(elem) = inst.ty.elem() {
            self.legal(elem)?;
        }
        let ty = Ty::from(inst.ty);
        let (mut known, mut multiple) = (None, 1);
        let val = match &inst.op {
            Ir::Constant(Bits::Splat(bits)) => {
                known = Some(*bits);
                self.builder.constant(ty, *bits)
            }
            Ir::Constant(Bits::Each(each)) => {
                if each.len() != ty.count {
                    return Err(self.malformed("a constant of the wrong length"));
                }
                if let Some(result) = inst.result {
                    self.constants.insert(result, each);
                }
                self.builder.constants(ty, each)
            }
            Ir::Argument(index) => self
                .arguments
                .get(*index)
                .copied()
                .flatten()
                .ok_or_else(|| self.malformed("an argument that is not a parameter"))?,
            Ir::Thread(axis) => self.thread(*axis),
            Ir::Splat(x) => {
                let x = self.def(*x)?;
                known = x.known;
                match known {
                    Some(bits) => self.builder.constant(ty, bits),
                    None => self.builder.splat(x.val, ty.count),
                }
            }
            Ir::Map { kind: MapKind::Convert, saturate, operands, .. } => {
                let x = operands[0];
                let (def, from, to) = self.conversion(x, inst)?;
                known = converted(def.known, from, to).filter(|_| !saturate);
                match (known, saturate) {
                    (Some(bits), _) => self.builder.constant(ty, bits),
                    (None, _) if self.fits(x, from, to) => self.builder.cut_off(def.val, ty),
                    (None, true) => self.builder.saturate(def.val, from, to, self.hazards.value(x)),
                    (None, false) => self.builder.convert(def.val, from, to, self.hazards.value(x)),
                }
            }
            Ir::Map { kind: MapKind::Merge, operands, .. } => {
                let [mask, x, y] = operands[..] else { return Err(self.malformed("operands of a merge")) };
                self.merge(mask, x, y)?
            }
            Ir::Map { kind, common, operands, .. } => {
                self.legal(*common)?;
                match operands[..] {
                    [x] => {
                        let x = self.val(x)?;
                        self.builder.map(*kind, *common, x, x, None)
                    }
                    [a, b] => {
                        multiple = self.multiple(*kind, *common, a, b)?;
                        self.binary(*kind, *common, a, b)?
                    }
                    _ => return Err(self.malformed("an operation of no operands")),
                }
            }
            Ir::Group { kind, common, operands } => {
                self.legal(*common)?;
                self.group(*kind, *common, operands)?
            }
            Ir::Region(x, span) => {
                let x = self.val(*x)?;
                let (shape, dynamic) = self.span(span, x.ty.count, ty.count)?;
                self.builder.region(x, shape, ty.count, dynamic)
            }
            Ir::Insert(x, span, value) => {
                let (x, value) = (self.val(*x)?, self.val(*value)?);
                let (shape, dynamic) = self.span(span, x.ty.count, value.ty.count)?;
                self.builder.insert(x, shape, value, dynamic)
            }
            Ir::Iselect(x, index) => {
                let x = self.val(*x)?;
                match self.constants.get(index) {
                    Some(places) if x.ty.count > 1 => {
                        let last = x.ty.count as u64 - 1;
                        self.builder.shuffle(x, ty.count, |k| places[k].min(last) as usize)
                    }
                    _ => {
                        let extended = self.hazards.value(*index).extended;
                        let mut index = self.val(*index)?;
                        if extended {
                            index = self.builder.extended(index);
                        }
                        self.builder.pick(x, index)
                    }
                }
            }
            Ir::Format(x) => {
                let x = self.val(*x)?;
                if x.ty.bytes() < ty.bytes() {
                    return Err(self.malformed("a format to more bytes"));
                }
                self.builder.format(x, ty)
            }
            Ir::UnpackMask(bits) => {
                let bits = self.val(*bits)?;
                self.unpack(bits, ty)
            }
            Ir::Any(x) => self.reduce(*x, false)?,
            Ir::All(x) => self.reduce(*x, true)?,
            Ir::Known(truth) => self.builder.constant(Ty::BOOL, u64::from(*truth)),
            Ir::Not(x) => {
                let x = self.val(*x)?;
                self.builder.op(Op::LogicalNot, Ty::BOOL, &[x])
            }
            Ir::And(a, b) => {
                let operands = [self.val(*a)?, self.val(*b)?];
                self.builder.op(Op::LogicalAnd, Ty::BOOL, &operands)
            }
            Ir::Or(a, b) => {
                let operands = [self.val(*a)?, self.val(*b)?];
                self.builder.op(Op::LogicalOr, Ty::BOOL, &operands)
            }
            Ir::Load(variable) => {
                let (pointer, _) = self.variable(*variable)?;
                self.builder.op_with(Op::Load, ty, vec![Operand::IdRef(pointer)])
            }
            Ir::Access { kind, param, operands } => match self.access(*kind, *param, operands, inst)? {
                Some(val) => val,
                None => return Ok(()),
            },
            Ir::Declare(..) | Ir::Store(..) | Ir::If(..) | Ir::Loop(..) => return self.effect(inst),
        };
        if val.ty != ty {
            return Err(self.malformed(format!("{:?} gives {:?}, not {ty:?}", inst.op, val.ty)));
        }
        if let Some(result) = inst.result {
            self.values.insert(result, Def { val, ty: inst.ty, known, multiple });
        }
        Ok(())
    }

    fn merge(&mut self, mask: Value, x: Value, y: Value) -> Result<Val> {
        let (mask, mut x, y) = (self.val(mask)?, self.val(x)?, self.val(y)?);
        if x.ty.scalar.is_float() {
            // Where the mask compares what is merged, or what it was made of, the compiler takes the larger or the
            // smaller float: a NaN is lost, and so is whether integers were compared as unsigned ones.
            x = self.builder.extended(x);
        }
        let mask = match self.masks.get(&mask.id) {
            Some(&truth) => truth,
            None => self.builder.odd(mask),
        };
        Ok(self.builder.op(Op::Select, x.ty, &[mask, x, y]))
    }

    /// The operand of a conversion, its element type and that of the result.
    fn conversion(&mut self, x: Value, inst: &Inst) -> Result<(Def, ElemType, ElemType)> {
        let mut def = self.def(x)?;
        let (from, to) = (self.elem(def)?, self.elem(Def { ty: inst.ty, ..def })?);
        let compared = inst.result.is_some_and(|result| self.compare_uses.contains(result));
        if compared && from.is_float() && !to.is_float() {
            def.val = self.builder.without_fractions(def.val, to);
        }
        Ok((def, from, to))
    }

    /// Whether a float is known to fit an integer type.
    fn fits(&self, x: Value, from: ElemType, to: ElemType) -> bool {
        // On registers of 64 bytes the saturating conversion is the shorter one.
        let narrow = self.target.register_bytes() == 32;
        narrow && from == ElemType::F32 && !to.is_float() && self.ranges.fits(x, to)
    }

    /// What has no value.
    fn effect(&mut self, inst: &'a Inst) -> Result<()> {
        match &inst.op {
            Ir::Declare(variable, init) => {
                let pointer = self.builder.variable(inst.ty.into());
                self.variables.insert(*variable, (pointer, inst.ty));
                if let Some(init) = init {
                    self.store(*variable, *init)?;
                }
            }
            Ir::Store(variable, x) => self.store(*variable, *x)?,
            Ir::If(condition, then, other) => self.branch(*condition, then, other)?,
            Ir::Loop(test, condition, body) => self.repeat(test, *condition, body)?,
            _ => return Err(self.malformed("a value without a place for it")),
        }
        Ok(())
    }

    fn thread(&mut self, axis: Axis) -> Val {
        let (slot, letter) = match axis {
            Axis::X => (0, 'x'),
            Axis::Y => (1, 'y'),
        };
        // A group is one thread, so that its number is the thread's coordinate.
        if let Some(val) = self.threads[slot] {
            return val;
        }
        let val = self.builder.value(&format!("llvm.genx.group.id.{letter}"), Ty::I32, &[]);
        // Values of inner blocks do not reach the blocks after them.
        if self.builder.in_entry() {
            self.threads[slot] = Some(val);
        }
        val
    }

    fn variable(&self, variable: Variable) -> Result<(Word, Type)> {
        self.variables
            .get(&variable)
            .copied()
            .ok_or_else(|| self.malformed(format!("variable {} is not declared", variable.0)))
    }

    fn store(&mut self, variable: Variable, x: Value) -> Result<()> {
        let (pointer, ty) = self.variable(variable)?;
        let x = self.def(x)?;
        if Ty::from(x.ty) != Ty::from(ty) {
            return Err(self.malformed(format!("{} stored in a variable of {ty}", x.ty)));
        }
        self.builder.effect(Op::Store, vec![Operand::IdRef(pointer), Operand::IdRef(x.val.id)]);
        Ok(())
    }

    /// An access to memory; its result, if it has one.
    fn access(
        &mut self,
        kind: AccessKind,
        param: usize,
        operands: &[Value],
        inst: &Inst,
    ) -> Result<Option<Val>> {
        let (spec, ty) = (kind.spec(), Ty::from(inst.ty));
        let memory = self.memory(param, spec.memory)?;
        let vals = operands.iter().map(|x| self.val(*x)).collect::<Result<Vec<_>>>()?;
        Ok(match (kind, &vals[..]) {
            (AccessKind::MediaRead, &[x, y]) => {
                let block = self.media(inst.ty)?;
                Some(self.builder.media_read(memory, x, y, block, ty))
            }
            (AccessKind::MediaWrite, &[x, y, data]) => {
                let block = self.media(inst.ty)?;
                if data.ty.count != inst.ty.count() && !block.is_padded(data.ty) {
                    return Err(self.malformed("a block that is not what is written"));
                }
                self.builder.media_write(memory, x, y, block, data);
                None
            }
            (AccessKind::OwordRead | AccessKind::OwordReadDwaligned, &[offset]) => {
                let Address::Bytes { alignment } = spec.address else {
                    return Err(self.malformed("a block without an alignment"));
                };
                let def = self.def(operands[0])?;
                let known = def.known.map_or(def.multiple, |bits| bits as usize);
                let aligned = known.is_multiple_of(alignment);
                Some(self.builder.oword_read(memory, alignment, (offset, aligned), ty))
            }
            (AccessKind::OwordWrite, &[offset, block]) => {
                self.builder.oword_write(memory, offset, block);
                None
            }
            (AccessKind::Gather, &[elements]) => Some(self.builder.gather(memory, elements, ty)),
            (AccessKind::Scatter, &[elements, values]) => {
                self.builder.scatter(memory, elements, values);
                None
            }
            (AccessKind::Atomic(kind), &[elements, ref sources @ ..]) => {
                let elem = inst.ty.elem();
                let elem = elem.ok_or_else(|| self.malformed("an atomic operation on a condition"))?;
                Some(self.builder.atomic(kind, elem, memory, elements, sources))
            }
            _ => return Err(self.malformed(format!("{} operands of `{}`", vals.len(), spec.name))),
        })
    }

    /// The argument of a parameter that is memory of this kind.
    fn memory(&self, index: usize, memory: Memory) -> Result<Val> {
        let kind = self.function.params.get(index).map(|param| param.kind);
        match (memory, kind, self.arguments.get(index)) {
            (Memory::Surface, Some(ParamKind::Surface { .. }), Some(Some(argument)))
            | (Memory::Buffer, Some(ParamKind::Buffer { .. }), Some(Some(argument))) => Ok(*argument),
            _ => Err(self.malformed("an access to a parameter that is not such memory")),
        }
    }

    fn media(&self, ty: Type) -> Result<MediaBlock> {
        let size = ty.elem().map_or(1, ElemType::bytes);
        let block = MediaBlock { rows: ty.rows, columns: ty.columns, size };
        limits::media_block(block.rows, block.width()).map(|()| block).map_err(|violation| {
            LowerError::Limit { kernel: self.function.name.clone(), at: self.at.clone(), violation }
        })
    }

    /// An operand in the type of the operation.
    pub(super) fn operand(&mut self, value: Value, elem: ElemType) -> Result<(Val, Option<u64>)> {
        let def = self.def(value)?;
        let from = self.elem(def)?;
        if from == elem {
            return Ok((def.val, def.known));
        }
        let known = converted(def.known, from, elem);
        let val = match known {
            Some(bits) => self.builder.constant(Ty::new(elem.into(), def.val.ty.count), bits),
            None => self.builder.convert(def.val, from, elem, self.hazards.value(value)),
        };
        Ok((val, known))
    }

    fn binary(&mut self, kind: MapKind, elem: ElemType, a: Value, b: Value) -> Result<Val> {
        let defs = [self.def(a)?, self.def(b)?];
        let hazards = [self.hazards.value(a), self.hazards.value(b)];
        let (mut a, _) = self.operand(a, elem)?;
        let (mut b, known) = self.operand(b, elem)?;
        for (n, (operand, (def, hazard))) in
            [&mut a, &mut b].into_iter().zip(defs.into_iter().zip(hazards)).enumerate()
        {
            let widened = def.ty.elem().is_some_and(|own| own.is_signed() && own.bytes() < elem.bytes());
            if depends_on_sign(kind, elem, n) && def.known.is_none() && (widened || hazard.extended) {
                *operand = self.builder.extended(*operand);
            }
            if merges_products(kind, elem) && hazard.product {
                *operand = self.builder.rounded(*operand);
            }
        }
        if a.ty != b.ty {
            return Err(self.malformed("operands of different shapes"));
        }
        let result = self.builder.map(kind, elem, a, b, known);
        if result.ty.scalar != Scalar::Bool {
            return Ok(result);
        }
        let mask = self.builder.numbers(result, Scalar::Int(16));
        self.masks.insert(mask.id, result);
        Ok(mask)
    }

    /// What a product is surely a multiple of, if it does not wrap; offsets of regions do not.
    fn multiple(&self, kind: MapKind, elem: ElemType, a: Value, b: Value) -> Result<usize> {
        let (a, b) = (self.def(a)?, self.def(b)?);
        if elem.is_float() || elem.bytes() != 4 {
            return Ok(1);
        }
        let constant = |d: Def| match d.known {
            Some(bits) if bits > 0 && bits <= 1 << 16 => bits as usize,
            _ => d.multiple,
        };
        Ok(match kind {
            MapKind::Mul => constant(a) * constant(b),
            _ => 1,
        })
    }

    fn reduce(&mut self, x: Value, all: bool) -> Result<Val> {
        let x = self.val(x)?;
        let truth = match self.masks.get(&x.id) {
            Some(&truth) => truth,
            None if x.ty == Ty::BOOL => x,
            None => self.builder.nonzero(x),
        };
        Ok(self.builder.reduce(truth, all))
    }

    fn span(&mut self, span: &Span, object: usize, count: usize) -> Result<(Shape, Option<Dynamic>)> {
        let Span { offset, row_stride, width, column_stride, .. } = *span;
        let shape = Shape { offset, row_stride, width, column_stride };
        if width == 0 || shape.end(count) > object || !(count < width || count.is_multiple_of(width)) {
            return Err(self.malformed("a region that is not inside the object"));
        }
        let dynamic = match span.dynamic {
            None => None,
            Some(value) => {
                let def = self.def(value)?;
                // Whole rows: whatever the offset is, the region does not leave them.
                let rows = def.multiple;
                let width = (width - 1) * column_stride + 1;
                let whole = rows > 1 && offset % rows + width <= rows && row_stride.is_multiple_of(rows);
                Some(Dynamic { elements: def.val, within: whole.then_some(rows) })
            }
        };
        Ok((shape, dynamic))
    }

    /// Bit `k` as element `k`, 0 from the 33rd element on.
    fn unpack(&mut self, bits: Val, ty: Ty) -> Val {
        let word = bits.ty.times(ty.count);
        let all = self.builder.splat(bits, ty.count);
        let places: Vec<u64> = (0..ty.count as u64).map(|k| if k < 32 { 1 << k } else { 0 }).collect();
        let places = self.builder.constants(word, &places);
        let there = self.builder.op(Op::BitwiseAnd, word, &[all, places]);
        let truth = self.builder.nonzero(there);
        let mask = self.builder.numbers(truth, ty.scalar);
        self.masks.insert(mask.id, truth);
        mask
    }
}

/// The bits of a constant integer in another integer type.
fn converted(known: Option<u64>, from: ElemType, to: ElemType) -> Option<u64> {
    let number = from.integer(known?).filter(|_| !to.is_float())?;
    Some(number as u64 & (u64::MAX >> (64 - to.bytes() as u32 * 8)))
}
