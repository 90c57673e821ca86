//! The live objects at each instruction.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::point::{Point, registers, word};
use super::widths::Widths;
use crate::dataflow::{Points, points};
use crate::ir::{Bits, Block, Function, Inst, Op, Region, Type, Value, Variable};
use crate::ops::{MapKind, Operand};

/// An object that may be in registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Object {
    Value(Value),
    Variable(Variable),
}

type Live = BTreeSet<Object>;

/// The points of a kernel, in the order of the source.
pub(super) fn live_points(function: &Function) -> Vec<Point> {
    let facts = Objects::of(&function.body);
    let mut liveness = Liveness { objects: &facts, points: Vec::new() };
    points(&function.body, &mut liveness, Live::new());
    let mut points = liveness.points;
    // The walk is backward.
    points.reverse();
    points
}

/// The facts about every object before the walk.
#[derive(Default)]
struct Objects {
    /// The bytes of an object.
    sizes: BTreeMap<Object, usize>,
    /// Values that are parts of another object, or that object itself.
    parts: FxHashMap<Value, Object>,
    types: FxHashMap<Value, Type>,
}

impl Objects {
    fn of(block: &Block) -> Self {
        let mut objects = Self::default();
        let widths = Widths::of(block);
        let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
        let mut converted = BTreeSet::new();
        let (mut product, mut in_place) = (None, BTreeSet::new());
        for inst in block.instructions() {
            inst.op.operands().into_iter().for_each(|operand| *uses.entry(operand).or_default() += 1);
            if let Op::Map { kind: MapKind::Convert, operands, .. } = &inst.op {
                converted.insert(operands[0]);
            }
            match &inst.op {
                Op::Dpas { .. } => product = inst.result.map(|result| (result, inst.ty)),
                Op::Insert(_, region, value) if product.is_some_and(|(result, _)| result == *value) => {
                    let (result, ty) = product.take().unwrap_or((*value, inst.ty));
                    in_place.extend(takes_product(region, ty).then_some(result));
                }
                Op::Load(_) => {}
                _ => product = None,
            }
            objects.add(inst, &widths);
        }
        // A result that is only converted is stored in its converted form, and sums that are only put into a part of an
        // object are computed there.
        for source in converted.into_iter().chain(in_place) {
            if uses.get(&source) == Some(&1) && !objects.parts.contains_key(&source) {
                objects.sizes.insert(Object::Value(source), 0);
            }
        }
        objects
    }

    fn add(&mut self, inst: &Inst, widths: &Widths) {
        if let Op::Declare(variable, _) = inst.op {
            self.sizes.insert(Object::Variable(variable), inst.ty.bytes());
        }
        let Some(result) = inst.result else { return };
        self.types.insert(result, inst.ty);
        let size = match &inst.op {
            // Immediates and broadcasts.
            Op::Constant(Bits::Splat(_)) | Op::Splat(_) => 0,
            // Integers are kept only as wide as needed.
            _ if inst.ty.elem().is_some_and(|elem| !elem.is_float()) => {
                inst.ty.count() * widths.of_value(result, inst.ty)
            }
            _ => inst.ty.bytes(),
        };
        self.sizes.insert(Object::Value(result), size);
        match &inst.op {
            Op::Region(source, _) | Op::Format(source) => {
                let whole = self.object(*source);
                self.parts.insert(result, whole);
            }
            // The copy that a later store of the variable would require is not counted.
            Op::Load(variable) => {
                self.parts.insert(result, Object::Variable(*variable));
            }
            _ => {}
        }
    }

    /// Extra bytes of objects that an instruction needs while it executes: an operation on floats has no integer
    /// operands, so these are converted first.
    fn converted_operands(&self, op: &Op) -> usize {
        let (rules, common, operands) = match op {
            Op::Map { kind, common, operands, .. } => (kind.operands(), common, operands),
            Op::Group { kind, common, operands } => (kind.operands(), common, operands),
            _ => return 0,
        };
        let bytes = |operand: &Value| match self.types.get(operand) {
            Some(ty) if ty.count() > 1 && ty.elem().is_some_and(|from| !from.is_float()) => {
                ty.with_elem(*common).bytes()
            }
            _ => 0,
        };
        let converted = operands.iter().zip(rules).filter(|(_, rule)| **rule == Operand::Common);
        if common.is_float() { converted.map(|(operand, _)| bytes(operand)).sum() } else { 0 }
    }

    /// The object that must be kept for a value: the innermost object of which it is a part.
    fn object(&self, value: Value) -> Object {
        self.parts.get(&value).copied().unwrap_or(Object::Value(value))
    }

    /// The object that an instruction writes.
    fn written(&self, inst: &Inst) -> Option<Object> {
        match inst.op {
            Op::Store(variable, _) | Op::Declare(variable, _) => Some(Object::Variable(variable)),
            _ => inst.result.map(|result| self.object(result)),
        }
    }

    fn bytes(&self, live: &Live) -> usize {
        live.iter().filter_map(|object| self.sizes.get(object)).sum()
    }
}

/// Whether the engine writes its result in this part of an object: whole registers, one behind the other.
fn takes_product(region: &Region, ty: Type) -> bool {
    region.dynamic.is_none() && region.is_contiguous(ty.count()) && region.offset.is_multiple_of(ty.columns)
}

/// The objects that are used later.
struct Liveness<'a> {
    objects: &'a Objects,
    points: Vec<Point>,
}

impl Points for Liveness<'_> {
    type State = Live;

    fn join(&self, mut a: Live, mut b: Live) -> Live {
        a.append(&mut b);
        a
    }

    fn before(&self, inst: &Inst, mut live: Live) -> Live {
        let part = inst.result.is_some_and(|result| self.objects.parts.contains_key(&result));
        // A part starts where its object starts, and the object was live before.
        if !part && let Some(written) = self.objects.written(inst) {
            live.remove(&written);
        }
        live.extend(inst.op.operands().into_iter().map(|operand| self.objects.object(operand)));
        // Variables are not operands, but a load reads one.
        if let Op::Load(variable) = inst.op {
            live.insert(Object::Variable(variable));
        }
        live
    }

    fn decided(&self, condition: Value, mut live: Live) -> Live {
        live.insert(self.objects.object(condition));
        live
    }

    fn point(&mut self, inst: &Inst, after: &Live, before: &Live) {
        let mut during = after.clone();
        during.extend(self.objects.written(inst));
        // An instruction may write to registers that it reads for the last time, so of the objects that end here and
        // those that begin here only the larger size counts. Blocks inside have their own points.
        let inner = inst.op.is_control_flow();
        let live =
            if inner || self.objects.bytes(before) > self.objects.bytes(&during) { before } else { &during };
        let sizes = live.iter().filter_map(|object| self.objects.sizes.get(object).copied());
        let temporary = self.objects.converted_operands(&inst.op);
        let (bytes, registers) = registers(sizes.chain([temporary]).filter(|&size| size > 0));
        self.points.push(Point { what: word(&inst.op), location: inst.location.clone(), bytes, registers });
    }
}
