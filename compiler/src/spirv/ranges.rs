//! Between which numbers values lie.
//!
//! A float that is known to fit an integer type needs no saturation when it is converted, and the conversion without is
//! shorter: the compiler makes it of whole registers and takes the bytes afterwards.

use std::collections::{HashMap, HashSet};

use half::f16;

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Type, Value, Variable};
use crate::ops::MapKind;

use super::convert;

/// The smallest and the largest number, both reached at most. Nothing is NaN.
type Range = (f64, f64);

/// No number at all: of what is never looked at.
const EMPTY: Range = (f64::INFINITY, f64::NEG_INFINITY);

/// The ranges of the values of a kernel.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    values: HashMap<Value, (Type, Option<Range>)>,
    stored: HashSet<Variable>,
}

impl Ranges {
    /// Of this kernel.
    pub(super) fn of(function: &Function) -> Self {
        let mut ranges = Self::default();
        ranges.stores(&function.body);
        ranges.block(&function.body);
        ranges
    }

    /// Whether a float, cut off, is surely a number of this type of up to 16 bits.
    pub(super) fn fits(&self, value: Value, to: ElemType) -> bool {
        let (Some((low, high)), true) = (self.get(value), to.bytes() <= 2) else { return false };
        let (least, most) = limits(to);
        low > least - 1.0 && high < most + 1.0
    }

    fn stores(&mut self, block: &Block) {
        for inst in &block.insts {
            match &inst.op {
                Op::Store(variable, _) | Op::Declare(variable, Some(_)) => {
                    self.stored.insert(*variable);
                }
                op => op.blocks().into_iter().flatten().for_each(|inner| self.stores(inner)),
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            inst.op.blocks().into_iter().flatten().for_each(|inner| self.block(inner));
            if let Some(result) = inst.result {
                let range = self.range(inst);
                self.values.insert(result, (inst.ty, range));
            }
        }
    }

    fn get(&self, value: Value) -> Option<Range> {
        let (ty, range) = self.values.get(&value)?;
        // Integers lie at least between the limits of their type.
        range.or_else(|| ty.elem().filter(|e| !e.is_float() && e.bytes() <= 4).map(limits))
    }

    /// An operand in the type of an operation.
    fn operand(&self, value: Value, elem: ElemType) -> Option<Range> {
        let from = self.values.get(&value)?.0.elem()?;
        let range = self.get(value)?;
        converted(range, from, elem)
    }

    fn range(&self, inst: &Inst) -> Option<Range> {
        let elem = inst.ty.elem()?;
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => number(*bits, elem).map(|x| (x, x)),
            Op::Constant(Bits::Each(each)) => {
                each.iter().try_fold(EMPTY, |all, &bits| number(bits, elem).map(|x| join(all, (x, x))))
            }
            Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) => self.get(*x),
            Op::Insert(x, _, y) => Some(join(self.get(*x)?, self.get(*y)?)),
            Op::Load(variable) if !self.stored.contains(variable) => Some(EMPTY),
            Op::Map { kind: MapKind::Merge, operands, .. } => {
                Some(join(self.get(operands[1])?, self.get(operands[2])?))
            }
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
                self.operand(operands[0], elem)
            }
            Op::Map { kind, common: of, operands, .. } => {
                let [a, b] = operands[..] else { return None };
                let (a, b) = (self.operand(a, *of)?, self.operand(b, *of)?);
                if a == EMPTY || b == EMPTY {
                    return Some(EMPTY);
                }
                let range = match kind {
                    MapKind::Add => (a.0 + b.0, a.1 + b.1),
                    MapKind::Sub => (a.0 - b.1, a.1 - b.0),
                    MapKind::Mul => {
                        let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                        all.iter().fold(EMPTY, |range, &x| join(range, (x, x)))
                    }
                    _ => return None,
                };
                // A sum is rounded twice here, which may differ in the last bit.
                let slack = match (of.is_float(), kind) {
                    (true, MapKind::Add | MapKind::Sub) => range.0.abs().max(range.1.abs()) * 1e-6,
                    _ => 0.0,
                };
                rounded((range.0 - slack, range.1 + slack), *of)
            }
            _ => None,
        }
    }
}

fn join(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The limits of an integer type of up to 32 bits; of others, numbers that computing with `f64` keeps exact.
fn limits(elem: ElemType) -> Range {
    if elem.is_float() || elem.bytes() == 8 {
        return (-9e15, 9e15);
    }
    let (low, high) = convert::range(elem);
    (low as f64, high as f64)
}

/// What an operation makes of an exact result. Integers wrap if they leave their type; floats are rounded, which keeps
/// their order.
fn rounded(range: Range, elem: ElemType) -> Option<Range> {
    if !elem.is_float() {
        let (low, high) = limits(elem);
        return (range.0 >= low && range.1 <= high).then_some(range);
    }
    // `f64` is not computed exactly here, and f16 not needed.
    (elem == ElemType::F32 && range.0.abs() < 1e30 && range.1.abs() < 1e30)
        .then_some((f64::from(range.0 as f32), f64::from(range.1 as f32)))
}

fn converted(range: Range, from: ElemType, to: ElemType) -> Option<Range> {
    if range == EMPTY {
        return Some(EMPTY);
    }
    if from == to {
        return Some(range);
    }
    // Cut off towards zero; if it fits, it is not wrapped.
    let range = if from.is_float() && !to.is_float() { (range.0.trunc(), range.1.trunc()) } else { range };
    rounded(range, to)
}

/// The number that bits of a type are; `None` if it is not finite.
fn number(bits: u64, elem: ElemType) -> Option<f64> {
    let x = match elem {
        ElemType::F16 => f16::from_bits(bits as u16).to_f64(),
        ElemType::F32 => f64::from(f32::from_bits(bits as u32)),
        ElemType::F64 => f64::from_bits(bits),
        // Larger integers are not exact here.
        _ => elem.integer(bits).filter(|_| elem.bytes() <= 4)? as f64,
    };
    x.is_finite().then_some(x)
}
