//! The width of kept elements: as many low bytes as are used.

use crate::dataflow::{Backward, Facts, backward};
use crate::elem::ElemType;
use crate::ir::{Block, Inst, Op, Type, Value};
use crate::ops::Class;

/// The low bytes of elements that are needed, for the values of a kernel.
#[derive(Debug)]
pub(super) struct Widths(Facts<usize>);

impl Widths {
    pub(super) fn of(block: &Block) -> Self {
        Self(backward(block, &LowBytes))
    }

    /// The needed bytes of each element of a value of this type.
    pub(super) fn of_value(&self, value: Value, ty: Type) -> usize {
        kept(self.0.get(value), ty)
    }
}

/// The kept bytes of a value for this demand; unused values are kept completely.
fn kept(asked: Option<&usize>, ty: Type) -> usize {
    let own = LowBytes.everything(ty);
    asked.map_or(own, |bytes| own.min(*bytes))
}

/// The demand for a number of low bytes of every element.
struct LowBytes;

impl Backward for LowBytes {
    type Fact = usize;

    fn everything(&self, ty: Type) -> usize {
        ty.elem().map_or(0, ElemType::bytes)
    }

    fn join(&self, a: &usize, b: &usize) -> usize {
        *a.max(b)
    }

    fn ask(&self, inst: &Inst, operand: Type, own: Option<&usize>) -> Option<usize> {
        match &inst.op {
            Op::Map { kind, common, saturate: false, .. }
                if ![Some(*common), operand.elem()].iter().flatten().any(|elem| elem.is_float()) =>
            {
                match kind.class() {
                    // Between integers it keeps these bytes, or extends them.
                    Class::Conversion => Some(common.bytes()),
                    class if class.is_low() => Some(kept(own, inst.ty)),
                    _ => None,
                }
            }
            Op::Group { kind, common, .. }
                if kind.class().is_low()
                    && ![Some(*common), operand.elem()].iter().flatten().any(|elem| elem.is_float()) =>
            {
                Some(kept(own, inst.ty))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::{Case, RandomNumbers, push};
    use crate::interpret::element;

    /// Dropped bytes do not affect the kept ones.
    #[test]
    fn what_is_not_kept_does_not_matter() {
        let (mut numbers, mut narrow) = (RandomNumbers::new(), 0);
        for case in Case::all() {
            let operands = numbers.operands(&case, 1);
            for &to in ElemType::ALL {
                let mut block = case.block(&operands);
                let result = Value(operands.len() as u32);
                let ty = Type::new(to, 1, operands[0].len());
                let converted = push(&mut block, Op::convert(result, to), ty);
                push(&mut block, Op::Any(converted), Type::CONDITION);
                let widths = Widths::of(&block);
                let inputs = case.inputs();
                let bits: Vec<u64> = inputs.iter().map(|n| numbers.bits(case.elems[*n])).collect();
                let mut changed = bits.clone();
                for (n, bits) in inputs.into_iter().zip(&mut changed) {
                    let elem = case.elems[n];
                    let kept = widths.of_value(Value(n as u32), Type::scalar(elem));
                    let upper = u64::MAX.checked_shl(kept as u32 * 8).unwrap_or(0);
                    narrow += usize::from(kept < elem.bytes());
                    *bits = (*bits ^ numbers.next() & upper) & element::mask(elem);
                }
                let seen = |operands: &[u64]| element::convert(case.result(), to, case.evaluate(operands));
                assert_eq!(seen(&bits), seen(&changed), "{case:?} to {to}: {bits:x?} or {changed:x?}");
            }
        }
        assert!(narrow > 1000, "{narrow}");
    }
}
