//! Which objects are live at each instruction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Point, registers, word};
use crate::ir::{Block, Function, Inst, Op, Value, Variable};

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

/// What is known of every object before the walk.
#[derive(Default)]
struct Facts {
    /// Bytes that an object takes.
    sizes: BTreeMap<Object, usize>,
    /// Values that are parts of another object, or that object itself.
    parts: HashMap<Value, Object>,
    uses: HashMap<Value, usize>,
    /// Results that are converted, with what they are converted to.
    converted: HashMap<Value, Value>,
}

impl Facts {
    fn collect(&mut self, block: &Block) {
        for inst in &block.insts {
            for operand in inst.op.operands() {
                *self.uses.entry(operand).or_default() += 1;
            }
            match &inst.op {
                Op::Declare(variable, _) => {
                    self.sizes.insert(Object::Variable(*variable), inst.ty.bytes());
                }
                Op::If(_, then, other) => {
                    self.collect(then);
                    self.collect(other);
                }
                Op::Loop(head, _, body) => {
                    self.collect(head);
                    self.collect(body);
                }
                op => self.value(inst, op),
            }
        }
    }

    fn value(&mut self, inst: &Inst, op: &Op) {
        let Some(result) = inst.result else { return };
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
            Op::Convert(source) | Op::Saturate(source) => {
                self.converted.insert(*source, result);
            }
            _ => {}
        }
    }

    /// A result that is only converted is written in its converted form.
    fn fuse(&mut self) {
        for source in self.converted.keys() {
            if self.uses.get(source) == Some(&1) && !self.parts.contains_key(source) {
                self.sizes.insert(Object::Value(*source), 0);
            }
        }
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
                loop {
                    let mut after_head = self.block(body, around.clone());
                    after_head.extend(live.iter().copied());
                    after_head.insert(self.facts.object(*condition));
                    let before = self.block(head, after_head);
                    let known = around.len();
                    around.extend(before);
                    if around.len() == known {
                        break;
                    }
                }
                self.measured = measured;
                let mut after_head = self.block(body, around.clone());
                after_head.extend(live.iter().copied());
                after_head.insert(self.facts.object(*condition));
                live = self.block(head, after_head);
                self.note(inst, &live);
                live
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
            let (bytes, registers) = registers(sizes.filter(|&size| size > 0));
            self.points.push(Point {
                what: word(&inst.op),
                location: inst.location.clone(),
                bytes,
                registers,
            });
        }
    }
}
