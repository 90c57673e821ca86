//! Makes a program of a recorded kernel.

use std::collections::HashMap;

use cm_compiler::elem::ElemType;
use cm_compiler::ir::{Bits, Block, Function, Inst, Op, ParamKind, Region, Type, Value, Variable};
use cm_compiler::ops::{Computed, Effect, MapKind, Operand};

use super::across;
use super::elements::{self, Compute};
use super::fastest;
use super::program::{Access, Part, Place, Program, Run, Shape, Shown, Slot, Step};
use super::slots::{Name, Slots};

/// Operations on registers that are not there.
const NONE: Slot = Slot(0);

impl Program {
    /// The program of a verified function.
    pub(super) fn new(function: &'static Function) -> Self {
        let mut making = Making {
            slots: Slots::new(function),
            types: HashMap::new(),
            variables: HashMap::new(),
            constants: vec![],
            arguments: vec![],
            known: HashMap::new(),
            staged: 0,
        };
        let body = making.block(&function.body);
        let places = function.params.iter().enumerate().map(|(index, param)| match param.kind {
            ParamKind::Surface { .. } | ParamKind::View { .. } => {
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
        Self { body, bytes: slots.bytes(), constants, arguments, places, staged }
    }
}

struct Making {
    slots: Slots,
    types: HashMap<Value, Type>,
    variables: HashMap<Variable, Type>,
    constants: Vec<(Slot, Shape, &'static Bits)>,
    arguments: Vec<(Slot, Shape, usize)>,
    /// Values of which all elements are the same known integer.
    known: HashMap<Value, i128>,
    staged: usize,
}

/// The elements of a type; a condition is a byte.
fn shape(ty: Type) -> Shape {
    Shape { count: ty.count(), size: ty.elem().map_or(1, ElemType::bytes) }
}

fn elem(ty: Type) -> ElemType {
    match ty.elem() {
        Some(elem) => elem,
        None => unreachable!("a verified function has conditions where they belong"),
    }
}

/// Whether a conversion leaves the bits as they are: that of integers of the same size does.
fn same_bits(from: ElemType, to: ElemType) -> bool {
    from.unsigned() == to.unsigned()
}

/// The function of an operation that a verified function has.
fn found(function: Option<Compute>) -> Compute {
    match function {
        Some(function) => function,
        None => unreachable!("a verified function computes in types that the tables allow"),
    }
}

impl Making {
    fn block(&mut self, block: &'static Block) -> Box<[Step]> {
        let mut steps = vec![];
        for inst in &block.insts {
            self.slots.next();
            self.inst(inst, &mut steps);
            self.slots.release();
        }
        steps.into()
    }

    fn slot(&self, value: Value) -> Slot {
        self.slots.get(Name::Value(value))
    }

    fn ty(&self, value: Value) -> Type {
        match self.types.get(&value) {
            Some(ty) => *ty,
            None => unreachable!("a verified function defines `{value}` before it is used"),
        }
    }

    /// The register of the result of an instruction.
    fn result(&mut self, inst: &Inst) -> Slot {
        let Some(result) = inst.result else { unreachable!("a verified function names its results") };
        self.types.insert(result, inst.ty);
        self.slots.define(Name::Value(result), shape(inst.ty).bytes())
    }

    fn kept(&mut self, inst: &Inst) -> Slot {
        let Some(result) = inst.result else { unreachable!("a verified function names its results") };
        self.types.insert(result, inst.ty);
        self.slots.keep(Name::Value(result), shape(inst.ty).bytes())
    }

    /// Notes what all elements of a result are.
    fn knows(&mut self, inst: &Inst, known: Option<i128>) {
        if let (Some(result), Some(known)) = (inst.result, known) {
            self.known.insert(result, known);
        }
    }

    fn inst(&mut self, inst: &'static Inst, steps: &mut Vec<Step>) {
        let Shape { count, size } = shape(inst.ty);
        match &inst.op {
            Op::Constant(bits) => {
                let slot = self.kept(inst);
                self.constants.push((slot, shape(inst.ty), bits));
                let same = match bits {
                    Bits::Splat(bits) => Some(*bits),
                    Bits::Each(all) => all.first().copied().filter(|_| count == 1),
                };
                self.knows(inst, same.and_then(|bits| inst.ty.elem()?.integer(bits)));
            }
            Op::Known(known) => {
                let slot = self.kept(inst);
                self.constants.push((slot, shape(inst.ty), if *known { &TRUE } else { &FALSE }));
            }
            Op::Argument(param) => {
                let slot = self.kept(inst);
                self.arguments.push((slot, shape(inst.ty), *param));
            }
            Op::Thread(id) => steps.push(Step::Thread { to: self.result(inst), id: *id }),
            Op::Clock => steps.push(Step::Clock { to: self.result(inst) }),
            Op::Declare(variable, init) => {
                self.variables.insert(*variable, inst.ty);
                let to = self.slots.define(Name::Variable(*variable), count * size);
                steps.push(match init {
                    Some(init) => Step::Copy { to, from: self.slot(*init), bytes: count * size },
                    None => Step::Clear { to, bytes: count * size },
                });
            }
            Op::Load(variable) => {
                let from = self.slots.get(Name::Variable(*variable));
                steps.push(Step::Copy { to: self.result(inst), from, bytes: count * size });
            }
            Op::Store(variable, value) => {
                let to = self.slots.get(Name::Variable(*variable));
                let shape = shape(self.ty(*value));
                steps.push(Step::Store { to, from: self.slot(*value), shape });
            }
            Op::Map { .. } | Op::Group { .. } | Op::Reduce { .. } => self.arithmetic(inst, steps),
            Op::Dpas { b, a, operands } => {
                let from = std::array::from_fn(|n| self.slot(operands[n]));
                let run = found(across::product(*b, *a));
                steps.push(Step::Compute { run, to: self.result(inst), from, count, other: inst.ty.columns });
            }
            Op::Splat(x) => {
                self.knows(inst, self.known.get(x).copied());
                self.compute(across::splatted(size), [*x], 0, inst, steps);
            }
            Op::Iselect(x, index) => {
                let other = self.ty(*x).count();
                self.compute(across::selected(size), [*x, *index], other, inst, steps);
            }
            Op::Format(x) => match across::formatted(shape(self.ty(*x)).size, size) {
                Some(run) => self.compute(run, [*x], 0, inst, steps),
                None => {
                    let from = self.slot(*x);
                    steps.push(Step::Copy { to: self.result(inst), from, bytes: count * size });
                }
            },
            Op::UnpackMask(x) => self.compute(across::unpack_mask, [*x], 0, inst, steps),
            Op::PackMask(x) => {
                let other = self.ty(*x).count();
                self.converted(&[(*x, ElemType::U8, false)], steps, |making, from, steps| {
                    let to = making.result(inst);
                    steps.push(Step::Compute { run: across::pack_mask, to, from, count, other });
                });
            }
            Op::Any(x) | Op::All(x) => {
                let ty = self.ty(*x);
                let run = found(elements::test(elem(ty), matches!(inst.op, Op::All(_))));
                self.compute(run, [*x], ty.count(), inst, steps);
            }
            Op::Not(x) => self.compute(elements::not, [*x], 0, inst, steps),
            // Conditions are bytes that are 0 or 1.
            Op::And(a, b) => {
                self.compute(found(fastest::map(MapKind::And, ElemType::U8)), [*a, *b], 0, inst, steps);
            }
            Op::Or(a, b) => {
                self.compute(found(fastest::map(MapKind::Or, ElemType::U8)), [*a, *b], 0, inst, steps);
            }
            Op::Region(x, region) => {
                let from = self.slot(*x);
                let part = self.part(region, count, self.ty(*x).count());
                steps.push(Step::Region { to: self.result(inst), from, part, size });
            }
            Op::Insert(x, region, value) => {
                let (from, value, shape) =
                    (self.slot(*x), (self.slot(*value), self.ty(*value)), shape(inst.ty));
                let part = self.part(region, value.1.count(), count);
                steps.push(Step::Insert { to: self.result(inst), from, value: value.0, part, shape });
            }
            Op::Access { .. } => self.access(inst, steps),
            Op::Sync(kind) => steps.push(Step::Sync { kind: *kind, at: &inst.location }),
            Op::Print { template, values } => {
                let values = values.iter().map(|value| {
                    let ty = self.ty(*value);
                    Shown { slot: self.slot(*value), shape: shape(ty), elem: elem(ty), columns: ty.columns }
                });
                steps.push(Step::Print { template, values: values.collect() });
            }
            Op::If(condition, then, otherwise) => {
                let condition = self.slot(*condition);
                // Looked at before either block.
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

    /// A result of these operands as they are.
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
        steps.push(Step::Compute { run, to: self.result(inst), from, count: inst.ty.count(), other });
    }

    /// Operands converted to other types, for what `then` does with them.
    fn converted(
        &mut self,
        operands: &[(Value, ElemType, bool)],
        steps: &mut Vec<Step>,
        then: impl FnOnce(&mut Self, [Slot; 3], &mut Vec<Step>),
    ) {
        let (mut from, mut own) = ([NONE; 3], vec![]);
        for (slot, &(operand, to, saturate)) in from.iter_mut().zip(operands) {
            let ty = self.ty(operand);
            *slot = self.slot(operand);
            if !same_bits(elem(ty), to) || saturate {
                let bytes = ty.count() * to.bytes();
                let (run, converted) =
                    (found(fastest::convert(elem(ty), to, saturate)), self.slots.take(bytes));
                let from = [*slot, NONE, NONE];
                steps.push(Step::Compute { run, to: converted, from, count: ty.count(), other: 0 });
                own.push((converted, bytes));
                *slot = converted;
            }
        }
        then(self, from, steps);
        own.into_iter().for_each(|(slot, bytes)| self.slots.give(slot, bytes));
    }

    /// An operation of the tables, or a reduction by one.
    fn arithmetic(&mut self, inst: &Inst, steps: &mut Vec<Step>) {
        let Shape { count, size } = shape(inst.ty);
        if let Op::Reduce { kind, common, operand } = inst.op {
            let run = found(fastest::map(kind, common));
            self.converted(&[(operand, common, false)], steps, |making, [from, ..], steps| {
                let shape = Shape { count: making.ty(operand).count(), size };
                let spare = [making.slots.take(shape.bytes()), making.slots.take(shape.bytes())];
                steps.push(Step::Reduce { run, to: making.result(inst), from, spare, shape });
                spare.into_iter().for_each(|slot| making.slots.give(slot, shape.bytes()));
            });
            return;
        }
        let Some((kind, common, operands)) = inst.op.computed() else {
            unreachable!("an operation of the tables")
        };
        let operand = |(value, rule): (&Value, &Operand)| match rule {
            Operand::Source => (*value, common, matches!(kind, Computed::Map(_, true))),
            Operand::Own | Operand::Common => (*value, common, false),
            Operand::Mask => (*value, ElemType::U16, false),
        };
        let rules: Vec<_> = operands.iter().zip(kind.operands()).map(operand).collect();
        if let (Computed::Map(MapKind::Convert, saturate), &[operand]) = (kind, &operands[..]) {
            let from = self.ty(operand).elem();
            let known = self.known.get(&operand).and_then(|known| common.integer(*known as u64));
            self.knows(inst, known.filter(|_| !saturate));
            if from.is_some_and(|from| same_bits(from, common)) && !saturate {
                let from = self.slot(operand);
                steps.push(Step::Copy { to: self.result(inst), from, bytes: count * size });
            } else {
                let run = found(from.and_then(|from| fastest::convert(from, common, saturate)));
                self.compute(run, [operand], 0, inst, steps);
            }
            return;
        }
        if let (Computed::Map(kind, _), &[x, by]) = (kind, &operands[..])
            && let (Some(run), Some(number)) = (fastest::shift(kind, common), self.known.get(&by))
        {
            // As the operation: the bits of the number that count.
            let number = *number as usize & (common.bytes() * 8 - 1);
            return self.converted(&[(x, common, false)], steps, |making, from, steps| {
                let to = making.result(inst);
                steps.push(Step::Compute { run, to, from, count, other: number });
            });
        }
        let run = found(match kind {
            Computed::Map(kind, _) => fastest::map(kind, common),
            Computed::Group(kind) => elements::group(kind, common),
        });
        self.converted(&rules, steps, |making, from, steps| {
            steps.push(Step::Compute { run, to: making.result(inst), from, count, other: 0 });
        });
    }

    /// The runs of a region of `count` elements of a register of `all`, seen from the register.
    fn part(&self, region: &Region, count: usize, all: usize) -> Part {
        let mut runs: Vec<Run> = vec![];
        for to in 0..count {
            let (row, column) = (to / region.width, to % region.width);
            let from = region.offset + row * region.row_stride + column * region.column_stride;
            match runs.last_mut() {
                Some(run) if run.from + run.count == from => run.count += 1,
                _ => runs.push(Run { from, to, count: 1 }),
            }
        }
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

/// The conditions that are known while recording.
static TRUE: Bits = Bits::Splat(1);
static FALSE: Bits = Bits::Splat(0);
