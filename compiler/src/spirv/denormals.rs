//! Whether a kernel can come across denormal floats.
//!
//! The CPU keeps them, the GPU flushes them to zero unless the kernel asks for them, which costs two instructions. Most
//! media kernels multiply integers by constants and need not ask: such a product is zero or not that small.

use std::collections::{BTreeSet, HashMap};

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Op, Type, Value, Variable};
use crate::ops::{Class, MapKind};

/// The float types, by their bits, for which the kernel has to ask.
pub(super) fn needed(function: &Function) -> BTreeSet<u32> {
    let mut grid = Grid::default();
    loop {
        grid.changed = false;
        grid.needed.clear();
        grid.block(&function.body);
        grid.rounds += 1;
        if !grid.changed {
            return grid.needed;
        }
    }
}

/// Elements are whole multiples of two to this power; `None` if nothing is known. Rounding keeps that true.
type Exponent = Option<i32>;

#[derive(Default)]
struct Grid {
    values: HashMap<Value, (Type, Exponent)>,
    variables: HashMap<Variable, Exponent>,
    needed: BTreeSet<u32>,
    changed: bool,
    rounds: usize,
}

impl Grid {
    fn get(&self, value: Value) -> (Option<ElemType>, Exponent) {
        match self.values.get(&value) {
            Some((ty, exponent)) => (ty.elem(), *exponent),
            None => (None, None),
        }
    }

    /// As an operand of this type: integers are multiples of 1.
    fn operand(&self, value: Value) -> Exponent {
        match self.get(value) {
            (Some(elem), _) if !elem.is_float() => Some(0),
            (_, exponent) => exponent,
        }
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            let exponent = match &inst.op {
                Op::Constant(bits) => constant(bits, inst.ty),
                Op::Splat(x) | Op::Region(x, _) | Op::Iselect(x, _) => self.get(*x).1,
                Op::Map { kind, operands, .. } if kind.class() == Class::Sign => self.get(operands[0]).1,
                Op::Map { kind: MapKind::Merge, operands, .. } => {
                    coarser(self.get(operands[1]).1, self.get(operands[2]).1)
                }
                Op::Insert(x, _, y) => coarser(self.get(*x).1, self.get(*y).1),
                Op::Map { kind: MapKind::Convert, operands, .. } => {
                    let x = operands[0];
                    self.uses(x);
                    let exponent = self.operand(x);
                    if let Some(to) = inst.ty.elem() {
                        self.touch(to, exponent);
                        // Between f64 and f16 is f32.
                        if (self.get(x).0.map_or(0, ElemType::bytes), to) == (8, ElemType::F16) {
                            self.touch(ElemType::F32, exponent);
                        }
                    }
                    exponent
                }
                Op::Map { kind, common: elem, operands, .. } if elem.is_float() => {
                    let operands: Vec<Exponent> = operands.iter().map(|x| self.operand(*x)).collect();
                    operands.iter().for_each(|x| self.touch(*elem, *x));
                    let result = match (kind.class(), &operands[..]) {
                        (Class::Sum, [a, b]) => coarser(*a, *b),
                        (Class::Product, [a, b]) => a.zip(*b).map(|(a, b)| a + b),
                        // Comparisons give integers.
                        (Class::Order | Class::Equality, _) => Some(0),
                        _ => None,
                    };
                    self.touch(*elem, result);
                    result
                }
                Op::Any(x) | Op::All(x) => {
                    self.uses(*x);
                    None
                }
                Op::Load(variable) => self.variables.get(variable).copied().flatten(),
                Op::Declare(variable, Some(x)) | Op::Store(variable, x) => {
                    let x = self.get(*x).1;
                    self.assign(*variable, x);
                    continue;
                }
                Op::If(..) | Op::Loop(..) => {
                    inst.op.blocks().into_iter().flatten().for_each(|inner| self.block(inner));
                    continue;
                }
                _ => None,
            };
            if let Some(result) = inst.result {
                self.values.insert(result, (inst.ty, exponent));
            }
        }
    }

    /// Joins what a variable may hold. A variable that goes on changing may hold anything.
    fn assign(&mut self, variable: Variable, x: Exponent) {
        let known = self.variables.get(&variable).copied();
        let joined = match known {
            None => x,
            Some(before) => coarser(before, x),
        };
        let joined = if known.is_some() && known != Some(joined) && self.rounds > 3 { None } else { joined };
        if known != Some(joined) {
            self.variables.insert(variable, joined);
            self.changed = true;
        }
    }

    fn uses(&mut self, x: Value) {
        if let (Some(elem), exponent) = self.get(x) {
            self.touch(elem, exponent);
        }
    }

    /// An operation has an operand or a result of this type.
    fn touch(&mut self, elem: ElemType, exponent: Exponent) {
        let smallest = match elem {
            ElemType::F16 => -14,
            ElemType::F32 => -126,
            // The hardware keeps those of f64 only when asked, too.
            ElemType::F64 => -1022,
            _ => return,
        };
        if exponent.is_none_or(|e| e < smallest) {
            self.needed.insert(elem.bytes() as u32 * 8);
        }
    }
}

fn coarser(a: Exponent, b: Exponent) -> Exponent {
    a.zip(b).map(|(a, b)| a.min(b))
}

fn constant(bits: &Bits, ty: Type) -> Exponent {
    let elem = ty.elem()?;
    if !elem.is_float() {
        return Some(0);
    }
    let of = |bits: u64| match elem {
        ElemType::F16 => exponent(bits, 10, 5),
        ElemType::F32 => exponent(bits, 23, 8),
        _ => exponent(bits, 52, 11),
    };
    match bits {
        Bits::Splat(bits) => Some(of(*bits)),
        Bits::Each(each) => each.iter().map(|&bits| of(bits)).min(),
    }
}

/// The exponent of the lowest bit that is set in a float.
fn exponent(bits: u64, mantissa: i32, exponents: u32) -> i32 {
    let fraction = bits & ((1 << mantissa) - 1);
    let biased = (bits >> mantissa & ((1 << exponents) - 1)) as i32;
    let bias = (1 << (exponents - 1)) - 1;
    match (biased, fraction) {
        // Zero is a multiple of everything.
        (0, 0) => 1 << 10,
        (0, fraction) => 1 - bias - mantissa + fraction.trailing_zeros() as i32,
        (_, 0) => biased - bias,
        (_, fraction) => biased - bias - mantissa + fraction.trailing_zeros() as i32,
    }
}
