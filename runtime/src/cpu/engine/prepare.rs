//! Translates a recorded kernel to a program.

use cm_compiler::elem::ElemType;
use cm_compiler::ir::{Bits, Block, Function, Inst, Op, ParamKind, Region, Type, Value};
use cm_compiler::ops::{Effect, MapKind};
use rustc_hash::FxHashMap;

use super::across;
use super::elements::{self, Compute};
use super::fastest::Fastest;
use super::program::{Access, Part, Place, Program, Shape, Shown, Slot, Step};
use super::slots::Slots;
use super::uses::{self, Name, Uses, View};
use crate::cpu::isa::Isa;

/// The operands that an operation does not have.
pub(super) const NONE: Slot = Slot { bytes: 0, registers: 0 };

impl Program {
    /// Translates a verified function for an instruction set that the CPU supports.
    pub(super) fn new(function: &'static Function, isa: Isa) -> Self {
        let uses = Uses::of(function);
        let mut making = Making {
            fastest: Fastest(isa),
            slots: Slots::new(&uses),
            uses,
            types: FxHashMap::default(),
            rows: FxHashMap::default(),
            conversions: vec![],
            constants: vec![],
            arguments: vec![],
            known: FxHashMap::default(),
            staged: 0,
        };
        let body = making.block(&function.body);
        let places = function.params.iter().enumerate().map(|(index, param)| match param.kind {
            ParamKind::Surface { .. } | ParamKind::Surface3d { .. } | ParamKind::View { .. } => {
                let view = function.shown(index);
                Place::Surface { of: view.of, plane: view.plane, field: view.field }
            }
            ParamKind::Buffer { .. } => Place::Buffer(index),
            ParamKind::Shared { elem, elements } => Place::Shared(elements * elem.bytes()),
            ParamKind::Uniform { .. } => Place::Value,
            _ => unreachable!("the recorder makes no other parameters"),
        });
        let places = places.collect();
        let Making { slots, constants, arguments, staged, .. } = making;
        Self { body, end: slots.end(), constants, arguments, places, staged }
    }
}

pub(super) struct Making {
    pub(super) fastest: Fastest,
    pub(super) slots: Slots,
    pub(super) uses: Uses,
    types: FxHashMap<Value, Type>,
    /// Values that are read in place as rows of another value, starting at an element of it.
    pub(super) rows: FxHashMap<Value, (Value, usize)>,
    /// Converted values, which exist as long as the original values. Those of the innermost block come last.
    pub(super) conversions: Vec<(Value, ElemType, Slot)>,
    constants: Vec<(Slot, Shape, &'static Bits)>,
    arguments: Vec<(Slot, Shape, usize)>,
    /// Values whose elements are all the same known integer.
    pub(super) known: FxHashMap<Value, i128>,
    staged: usize,
}

/// A step that computes a register from others. All of them are contiguous.
pub(super) fn whole(run: Compute, to: Slot, from: [Slot; 3], count: usize, other: usize) -> Step {
    Step::Compute { run, to, from, count, other, rows: 1, pitches: [0; 4] }
}

/// The elements of a type. A condition is a byte.
pub(super) fn shape(ty: Type) -> Shape {
    Shape { count: ty.count(), size: ty.elem().map_or(1, ElemType::bytes) }
}

pub(super) fn elem(ty: Type) -> ElemType {
    match ty.elem() {
        Some(elem) => elem,
        None => unreachable!("a verified function has conditions where they belong"),
    }
}

/// Unwraps the function of an operation, which exists because the kernel is verified.
pub(super) fn found(function: Option<Compute>) -> Compute {
    match function {
        Some(function) => function,
        None => unreachable!("a verified function computes in types that the tables allow"),
    }
}

impl Making {
    fn block(&mut self, block: &'static Block) -> Box<[Step]> {
        let mut steps = vec![];
        let outside = self.conversions.len();
        for inst in &block.insts {
            self.slots.next();
            self.inst(inst, &mut steps);
            self.slots.release();
        }
        // Other blocks may run without this one.
        self.conversions.truncate(outside);
        steps.into()
    }

    pub(super) fn slot(&self, value: Value) -> Slot {
        self.slots.get(Name::Value(value))
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        match self.types.get(&value) {
            Some(ty) => *ty,
            None => unreachable!("a verified function defines `{value}` before it is used"),
        }
    }

    /// The register of the result of an instruction.
    pub(super) fn result(&mut self, inst: &Inst) -> Slot {
        self.defined(inst, shape(inst.ty))
    }

    /// The register of the result, with space for only these elements.
    fn defined(&mut self, inst: &Inst, shape: Shape) -> Slot {
        let name = self.named(inst);
        self.slots.define(name, shape.bytes())
    }

    fn kept(&mut self, inst: &Inst, shape: Shape) -> Slot {
        let name = self.named(inst);
        self.slots.keep(name, shape.bytes())
    }

    /// Places the result in another register, from a byte of it on.
    pub(super) fn share(&mut self, inst: &Inst, with: Name, byte: usize) {
        let name = self.named(inst);
        self.slots.share(name, with, byte);
    }

    fn named(&mut self, inst: &Inst) -> Name {
        let Some(result) = inst.result else { unreachable!("a verified function names its results") };
        self.types.insert(result, inst.ty);
        Name::Value(result)
    }

    /// The elements of a result that may differ. Its register has space only for these.
    fn distinct(&self, inst: &Inst) -> Shape {
        match inst.result.and_then(|result| self.uses.view(result)) {
            Some((_, View::Splat { width })) => Shape { count: width, ..shape(inst.ty) },
            _ => shape(inst.ty),
        }
    }

    /// Records that all elements of a result are this number.
    pub(super) fn knows(&mut self, inst: &Inst, known: Option<i128>) {
        if let (Some(result), Some(known)) = (inst.result, known) {
            self.known.insert(result, known);
        }
    }

    fn inst(&mut self, inst: &'static Inst, steps: &mut Vec<Step>) {
        let Shape { count, size } = shape(inst.ty);
        match &inst.op {
            Op::Constant(bits) => {
                let shape = self.distinct(inst);
                let slot = self.kept(inst, shape);
                self.constants.push((slot, shape, bits));
                let same = match bits {
                    Bits::Splat(bits) => Some(*bits),
                    Bits::Each(all) => all.first().copied().filter(|_| count == 1),
                };
                self.knows(inst, same.and_then(|bits| inst.ty.elem()?.integer(bits)));
            }
            Op::Known(known) => {
                let slot = self.kept(inst, shape(inst.ty));
                self.constants.push((slot, shape(inst.ty), if *known { &TRUE } else { &FALSE }));
            }
            Op::Argument(param) => {
                let slot = self.kept(inst, shape(inst.ty));
                self.arguments.push((slot, shape(inst.ty), *param));
            }
            Op::Thread(id) => steps.push(Step::Thread { to: self.result(inst), id: *id }),
            Op::Clock => steps.push(Step::Clock { to: self.result(inst) }),
            Op::Declare(variable, init) => {
                let name = Name::Variable(*variable);
                if init.is_some_and(|init| self.slots.take_over(name, Name::Value(init)).is_some()) {
                    return;
                }
                let to = self.slots.define(name, count * size);
                steps.push(match init {
                    Some(init) => Step::Copy { to, from: self.slot(*init), bytes: count * size },
                    None => Step::Clear { to, bytes: count * size },
                });
            }
            Op::Load(variable) => {
                let variable = Name::Variable(*variable);
                if inst.result.is_some_and(|result| self.uses.is_unchanged(result)) {
                    return self.share(inst, variable, 0);
                }
                let from = self.slots.get(variable);
                steps.push(Step::Copy { to: self.result(inst), from, bytes: count * size });
            }
            Op::Store(variable, value) => {
                let to = self.slots.get(Name::Variable(*variable));
                let shape = shape(self.ty(*value));
                let (run, from) = (self.fastest.stored(shape.size), self.slot(*value));
                // If both places are the same, the value was loaded from the variable, and nothing was stored
                // since.
                if from != to {
                    steps.push(Step::Store { run, to, from, shape });
                }
            }
            Op::Map { .. } | Op::Group { .. } | Op::Reduce { .. } => self.arithmetic(inst, steps),
            Op::Dpas { b, a, operands } => {
                let from = std::array::from_fn(|n| self.slot(operands[n]));
                let run = found(across::product(*b, *a));
                let to = self.result(inst);
                steps.push(whole(run, to, from, count, inst.ty.columns));
            }
            Op::Splat(x) => {
                self.knows(inst, self.known.get(x).copied());
                let (shape, from) = (self.distinct(inst), [self.slot(*x), NONE, NONE]);
                let to = self.defined(inst, shape);
                steps.push(whole(across::splatted(size), to, from, shape.count, 0));
            }
            Op::Iselect(x, index) => {
                let other = self.ty(*x).count();
                self.compute(across::selected(size), [*x, *index], other, inst, steps);
            }
            Op::Format(x) => match across::formatted(shape(self.ty(*x)).size, size) {
                Some(run) => self.compute(run, [*x], 0, inst, steps),
                None => self.share(inst, Name::Value(*x), 0),
            },
            Op::UnpackMask(x) => self.compute(across::unpack_mask, [*x], 0, inst, steps),
            Op::PackMask(x) => {
                let other = self.ty(*x).count();
                self.converted((*x, ElemType::U8), steps, |making, from, steps| {
                    let to = making.result(inst);
                    steps.push(whole(across::pack_mask, to, [from, NONE, NONE], count, other));
                });
            }
            Op::Any(x) | Op::All(x) => self.test(*x, matches!(inst.op, Op::All(_)), inst, steps),
            Op::Not(x) => self.compute(self.fastest.not(), [*x], 0, inst, steps),
            // Conditions are bytes that are 0 or 1.
            Op::And(a, b) => {
                self.compute(found(self.fastest.map(MapKind::And, ElemType::U8)), [*a, *b], 0, inst, steps);
            }
            Op::Or(a, b) => {
                self.compute(found(self.fastest.map(MapKind::Or, ElemType::U8)), [*a, *b], 0, inst, steps);
            }
            Op::Region(x, region) => {
                let x = *x;
                let view = inst.result.and_then(|result| Some((result, self.uses.view(result)?.0)));
                if let Some((result, first)) = view {
                    self.rows.insert(result, (x, first));
                    return self.share(inst, Name::Value(x), first * size);
                }
                if let Some((_, first)) = uses::part_of(inst, |_| None) {
                    return self.share(inst, Name::Value(x), first * size);
                }
                let from = self.slot(x);
                let part = self.part(region, count, self.ty(x).count());
                steps.push(Step::Region { to: self.result(inst), from, part, size });
            }
            Op::Insert(x, region, value) => {
                let (from, value) = (self.slot(*x), (self.slot(*value), self.ty(*value)));
                let part = self.part(region, value.1.count(), count);
                let own = inst.result.and_then(|result| {
                    self.types.insert(result, inst.ty);
                    self.slots.take_over(Name::Value(result), Name::Value(*x))
                });
                let to = own.unwrap_or_else(|| {
                    let to = self.result(inst);
                    steps.push(Step::Copy { to, from, bytes: count * size });
                    to
                });
                steps.push(Step::Insert { to, value: value.0, part, size });
            }
            Op::Access { .. } => self.access(inst, steps),
            Op::Sync(kind, operands) => {
                let operands = operands.iter().map(|operand| self.slot(*operand)).collect();
                steps.push(Step::Sync { kind: *kind, operands, at: &inst.location });
            }
            Op::Print { template, values } => {
                let values = values.iter().map(|value| {
                    let ty = self.ty(*value);
                    Shown { slot: self.slot(*value), shape: shape(ty), elem: elem(ty), columns: ty.columns }
                });
                steps.push(Step::Print { template, values: values.collect() });
            }
            Op::If(condition, then, otherwise) => {
                let condition = self.slot(*condition);
                // The condition is read before either block runs.
                self.slots.release();
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                steps.push(Step::If { condition, then, otherwise });
            }
            Op::Loop(first, condition, body) => {
                let first = self.block(first);
                self.slots.next();
                let condition = self.slot(*condition);
                self.slots.release();
                let body = self.block(body);
                self.slots.next();
                steps.push(Step::Loop { first, condition, body });
            }
            Op::Labelled(label, body) => {
                steps.push(Step::Labelled { label: *label, body: self.block(body) });
            }
            Op::Break(label) => steps.push(Step::Break(*label)),
            _ => unreachable!("the recorder makes no other instructions"),
        }
    }

    /// Computes a result from these operands without conversions. All operands are contiguous.
    fn compute<const N: usize>(
        &mut self,
        run: Compute,
        operands: [Value; N],
        other: usize,
        inst: &Inst,
        steps: &mut Vec<Step>,
    ) {
        let mut from = [NONE; 3];
        for (from, operand) in from.iter_mut().zip(operands) {
            *from = self.slot(operand);
        }
        let to = self.result(inst);
        steps.push(whole(run, to, from, inst.ty.count(), other));
    }

    /// The runs of a region of `count` elements in a register of `all` elements.
    fn part(&self, region: &Region, count: usize, all: usize) -> Part {
        let runs = uses::runs(region, count);
        let end = runs.iter().map(|run| run.from + run.count).max().unwrap_or(0);
        assert!(end <= all, "a verified function has regions inside of their registers");
        match region.dynamic {
            None => Part::Known(runs.into()),
            Some(start) => Part::From { start: self.slot(start), last: all - end, runs: runs.into() },
        }
    }

    /// The places of up to `N` registers.
    fn slots_of<const N: usize>(&self, values: &[Value]) -> [Slot; N] {
        std::array::from_fn(|n| values.get(n).map_or(NONE, |value| self.slot(*value)))
    }

    fn access(&mut self, inst: &'static Inst, steps: &mut Vec<Step>) {
        let Op::Access { kind, param, operands } = &inst.op else { unreachable!("an access") };
        let spec = kind.spec();
        let Some(parts) = spec.parts(operands) else {
            unreachable!("a verified function has accesses with all operands")
        };
        let shape = shape(inst.ty);
        let (address, data) = (self.slots_of(parts.address), self.slots_of(parts.data));
        self.staged = self.staged.max(shape.bytes());
        let change = match spec.effect {
            Effect::Update(kind) => elements::atomic(kind, elem(inst.ty)),
            Effect::Read | Effect::Write | Effect::Prefetch => None,
        };
        let to = if inst.result.is_some() { self.result(inst) } else { NONE };
        let (param, columns, at) = (*param, inst.ty.columns, &inst.location);
        steps.push(Step::Access(Access { spec, param, address, data, to, shape, columns, change, at }));
    }
}

/// Conditions that were known at recording time.
static TRUE: Bits = Bits::Splat(1);
static FALSE: Bits = Bits::Splat(0);
