//! Which objects are live at each instruction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Point, registers, word};
use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Op, Type, Value, Variable};
use crate::ops::{Class, MapKind, Operand};

/// An object that may be in registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Object {
    Value(Value),
    Variable(Variable),
}

type Live = BTreeSet<Object>;

/// The points of a kernel, in the order of the source.
pub(super) fn points(function: &Function) -> Vec<Point> {
    let mut facts = Facts::default();
    facts.collect(&function.body);
    facts.fuse();
    let mut walk = Walk { facts: &facts, points: Vec::new(), measured: true };
    walk.block(&function.body, Live::new());
    let mut points = walk.points;
    points.reverse();
    points
}

/// What a user needs of an operand.
#[derive(Clone, Copy)]
enum Need {
    /// Everything.
    All,
    /// The low bytes: a conversion to a narrower integer.
    Bytes(usize),
    /// As much as is needed of its own result: wrapping arithmetic.
    As(Value),
}

/// What is known of every object before the walk.
#[derive(Default)]
struct Facts {
    /// Bytes that an object takes.
    sizes: BTreeMap<Object, usize>,
    /// Values that are parts of another object, or that object itself.
    parts: HashMap<Value, Object>,
    uses: HashMap<Value, usize>,
    /// What the users of a value need of its elements.
    needs: HashMap<Value, Vec<Need>>,
    types: HashMap<Value, Type>,
    /// Results that are converted, with what they are converted to.
    converted: HashMap<Value, Value>,
}

impl Facts {
    fn collect(&mut self, block: &Block) {
        for inst in &block.insts {
            let need = need(inst);
            for operand in inst.op.operands() {
                *self.uses.entry(operand).or_default() += 1;
                self.needs.entry(operand).or_default().push(need);
            }
            match &inst.op {
                Op::Declare(variable, _) => {
                    self.sizes.insert(Object::Variable(*variable), inst.ty.bytes());
                }
                op => self.value(inst, op),
            }
            for inner in inst.op.blocks().into_iter().flatten() {
                self.collect(inner);
            }
        }
    }

    fn value(&mut self, inst: &Inst, op: &Op) {
        let Some(result) = inst.result else { return };
        self.types.insert(result, inst.ty);
        let size = match op {
            // Immediates and broadcasts.
            Op::Constant(crate::ir::Bits::Splat(_)) | Op::Splat(_) => 0,
            _ => inst.ty.bytes(),
        };
        self.sizes.insert(Object::Value(result), size);
        match op {
            Op::Region(source, _) | Op::Format(source) => {
                self.parts.insert(result, Object::Value(*source));
            }
            // The copy that a later store of the variable would ask for is not counted.
            Op::Load(variable) => {
                self.parts.insert(result, Object::Variable(*variable));
            }
            Op::Map { kind: MapKind::Convert, operands, .. } => {
                self.converted.insert(operands[0], result);
            }
            _ => {}
        }
    }

    /// Bytes that are needed of each element of every value: users come after what they use.
    fn widths(&self) -> HashMap<Value, usize> {
        let mut widths = HashMap::new();
        let mut values: Vec<_> = self.types.iter().collect();
        values.sort_unstable_by_key(|(value, _)| std::cmp::Reverse(**value));
        for (value, ty) in values {
            let own = ty.elem().map_or(0, ElemType::bytes);
            let needed = |need: &Need| match need {
                Need::All => own,
                Need::Bytes(bytes) => *bytes,
                Need::As(result) => widths.get(result).copied().unwrap_or(own),
            };
            let bytes = self.needs.get(value).and_then(|needs| needs.iter().map(needed).max());
            widths.insert(*value, bytes.map_or(own, |bytes| bytes.min(own)));
        }
        widths
    }

    /// Integers are kept as wide as they are needed, and a result that is only converted is written in its converted form.
    fn fuse(&mut self) {
        for (value, width) in self.widths() {
            let ty = self.types[&value];
            if let Some(size) = self.sizes.get_mut(&Object::Value(value))
                && ty.elem().is_some_and(|elem| !elem.is_float())
            {
                *size = (ty.count() * width).min(*size);
            }
        }
        for source in self.converted.keys() {
            if self.uses.get(source) == Some(&1) && !self.parts.contains_key(source) {
                self.sizes.insert(Object::Value(*source), 0);
            }
        }
    }

    /// Bytes that an instruction needs while it executes, of objects: an operation of floats has no integer operands, so
    /// that these are converted first.
    fn converted_operands(&self, op: &Op) -> usize {
        let Op::Map { kind, common, operands, .. } = op else { return 0 };
        let bytes = |operand: &Value| match self.types.get(operand) {
            Some(ty) if ty.count() > 1 && ty.elem().is_some_and(|from| !from.is_float()) => {
                ty.with_elem(*common).bytes()
            }
            _ => 0,
        };
        let converted = operands.iter().zip(kind.operands()).filter(|(_, rule)| **rule == Operand::Common);
        if common.is_float() { converted.map(|(operand, _)| bytes(operand)).sum() } else { 0 }
    }

    /// What must be kept for a value: the object that it is a part of, down to the last one.
    fn object(&self, value: Value) -> Object {
        let mut value = value;
        loop {
            match self.parts.get(&value) {
                Some(Object::Value(source)) => value = *source,
                Some(object) => return *object,
                None => return Object::Value(value),
            }
        }
    }
}

/// What an instruction needs of its operands.
fn need(inst: &Inst) -> Need {
    let (Op::Map { kind, common, saturate: false, .. }, Some(result)) = (&inst.op, inst.result) else {
        return Need::All;
    };
    match kind.class() {
        _ if common.is_float() => Need::All,
        Class::Conversion => Need::Bytes(common.bytes()),
        class if class.is_low() => Need::As(result),
        _ => Need::All,
    }
}

/// Goes through the blocks from their ends.
struct Walk<'a> {
    facts: &'a Facts,
    points: Vec<Point>,
    /// Whether points are noted; loops are gone through more than once.
    measured: bool,
}

impl Walk<'_> {
    /// What is live before the block, of what is live after it.
    fn block(&mut self, block: &Block, mut live: Live) -> Live {
        for inst in block.insts.iter().rev() {
            live = self.inst(inst, live);
        }
        live
    }

    fn inst(&mut self, inst: &Inst, mut live: Live) -> Live {
        match &inst.op {
            Op::If(condition, then, other) => {
                let mut before = self.block(other, live.clone());
                before.extend(self.block(then, live));
                before.insert(self.facts.object(*condition));
                self.note(inst, &before);
                before
            }
            Op::Loop(head, condition, body) => {
                let measured = std::mem::replace(&mut self.measured, false);
                // What is live at the end of the body is live before the head of the next round.
                let mut around = live.clone();
                let round = |walk: &mut Self, around: &Live| {
                    let mut after_head = walk.block(body, around.clone());
                    after_head.extend(live.iter().copied());
                    after_head.insert(walk.facts.object(*condition));
                    walk.block(head, after_head)
                };
                loop {
                    let before = round(self, &around);
                    let known = around.len();
                    around.extend(before);
                    if around.len() == known {
                        break;
                    }
                }
                self.measured = measured;
                let before = round(self, &around);
                self.note(inst, &before);
                before
            }
            op => {
                let result = match op {
                    Op::Store(variable, _) | Op::Declare(variable, _) => Some(Object::Variable(*variable)),
                    _ => inst.result.map(|result| self.facts.object(result)),
                };
                let part = inst.result.is_some_and(|result| self.facts.parts.contains_key(&result));
                let mut during = live.clone();
                during.extend(result);
                if !part && let Some(result) = result {
                    live.remove(&result);
                }
                let operands = op.operands().into_iter().map(|operand| self.facts.object(operand));
                live.extend(operands);
                if let Op::Load(variable) = op {
                    live.insert(Object::Variable(*variable));
                }
                // An instruction may write where it reads for the last time, so that what ends here and what begins here
                // count as the larger of the two.
                let larger = if self.bytes(&live) > self.bytes(&during) { &live } else { &during };
                self.note(inst, larger);
                live
            }
        }
    }

    fn bytes(&self, live: &Live) -> usize {
        live.iter().filter_map(|object| self.facts.sizes.get(object)).sum()
    }

    fn note(&mut self, inst: &Inst, live: &Live) {
        if self.measured {
            let sizes = live.iter().filter_map(|object| self.facts.sizes.get(object).copied());
            let temporary = self.facts.converted_operands(&inst.op);
            let (bytes, registers) = registers(sizes.chain([temporary]).filter(|&size| size > 0));
            self.points.push(Point {
                what: word(&inst.op),
                location: inst.location.clone(),
                bytes,
                registers,
            });
        }
    }
}
