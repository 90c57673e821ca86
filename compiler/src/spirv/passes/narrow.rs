//! Finds arithmetic whose upper bits are not used: it can be done in 16 bits, so that an instruction
//! processes twice as many elements.

use rustc_hash::FxHashSet;

use crate::dataflow::{Backward, Facts, backward};
use crate::ir::{Block, Inst, Op, Type, Value};
use crate::ops::Class;

/// How many low bits of each value are used.
#[derive(Debug)]
pub(crate) struct Demand {
    bits: Facts<usize>,
    narrowable: FxHashSet<Value>,
}

impl Demand {
    /// The bits that a kernel uses.
    pub(crate) fn of(block: &Block) -> Self {
        let narrowable = block.instructions().filter_map(|inst| match &inst.op {
            Op::Map { common, .. } if by_low_bits(inst) && common.bytes() > 2 => inst.result,
            _ => None,
        });
        Self { narrowable: narrowable.collect(), bits: backward(block, &LowBits) }
    }

    /// Whether an operation can be done in 16 bits.
    pub(crate) fn is_narrow(&self, value: Value) -> bool {
        self.narrowable.contains(&value) && self.bits.get(value).is_some_and(|&bits| bits <= 16)
    }
}

/// Whether the low bits of the result depend only on the low bits of the operands, which are integers.
fn by_low_bits(inst: &Inst) -> bool {
    match &inst.op {
        Op::Map { kind, common, saturate: false, .. } => {
            kind.class().is_low() && kind.converts_operands() && !common.is_float() && inst.ty.count() > 1
        }
        _ => false,
    }
}

/// The analysis: how many low bits of every element are used.
struct LowBits;

impl Backward for LowBits {
    type Fact = usize;

    fn everything(&self, _: Type) -> usize {
        64
    }

    fn join(&self, a: &usize, b: &usize) -> usize {
        *a.max(b)
    }

    fn ask(&self, inst: &Inst, operand: Type, own: Option<&usize>) -> Option<usize> {
        // 0 if the result is not used.
        let own = own.copied().unwrap_or(0);
        match &inst.op {
            Op::Map { kind, common: to, saturate: false, .. } if kind.class() == Class::Conversion => {
                let integers = operand.elem().is_some_and(|from| !from.is_float()) && !to.is_float();
                integers.then_some(own.min(to.bytes() * 8))
            }
            _ => by_low_bits(inst).then_some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::ElemType;
    use crate::interpret::cases::{Case, RandomNumbers, push};
    use crate::interpret::element;

    /// Unused bits of an operand do not change the used bits of the result.
    #[test]
    fn what_is_not_asked_for_does_not_matter() {
        let (mut numbers, mut narrow) = (RandomNumbers::new(), 0);
        for case in Case::all() {
            let operands = numbers.operands(&case, 2);
            for to in [ElemType::U8, ElemType::I16, ElemType::U32, ElemType::U64, ElemType::F32] {
                let mut block = case.block(&operands);
                let (result, ty) = (Value(operands.len() as u32), Type::new(to, 1, operands[0].len()));
                let converted = push(&mut block, Op::convert(result, to), ty);
                push(&mut block, Op::Any(converted), Type::CONDITION);
                let demand = Demand::of(&block);
                let asked = |value| demand.bits.get(value).copied().unwrap_or(0);
                let seen = |operands: &[u64]| {
                    let bits = element::convert(case.result(), to, case.evaluate(operands));
                    // The result is compared only in the bits that are used.
                    let low = u64::MAX.checked_shr(64 - asked(result).min(64) as u32).unwrap_or(0);
                    (bits, case.evaluate(operands) & low)
                };
                for _ in 0..4 {
                    let inputs = case.inputs();
                    let bits: Vec<u64> = inputs.iter().map(|n| numbers.bits(case.elems[*n])).collect();
                    let changed: Vec<u64> = inputs
                        .iter()
                        .zip(&bits)
                        .map(|(&n, bits)| {
                            let asked = asked(Value(n as u32)) as u32;
                            let upper = u64::MAX.checked_shl(asked).unwrap_or(0);
                            narrow += usize::from(upper != 0);
                            (bits ^ numbers.next() & upper) & element::mask(case.elems[n])
                        })
                        .collect();
                    assert_eq!(seen(&bits), seen(&changed), "{case:?} to {to}: {bits:x?} or {changed:x?}");
                }
            }
        }
        assert!(narrow > 1000, "{narrow}");
    }
}
