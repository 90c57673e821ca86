//! Operations that turn a register into one number: reductions, and masks as bits.

use crate::elem::ElemType;
use crate::ir::Value;
use crate::limits::MASK_BITS;
use crate::ops::MapKind;

use super::lowering::{Lowering, Result};
use crate::spirv::binary::Op;
use crate::spirv::facts::hazard::{Hazard, depends_on_sign, depends_on_smallest};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::Val;
use crate::spirv::types::{Scalar, Ty};

impl Lowering<'_> {
    /// Reduces the elements of a register to one.
    pub(crate) fn reduction(
        &mut self,
        (kind, elem): (MapKind, ElemType),
        operand: Value,
        result: Option<Value>,
    ) -> Result<Val> {
        let own = self.elem(self.def(operand)?)?;
        let hazard = self.hazards.value(operand);
        let (mut x, known) = self.operand(operand, elem)?;
        if hazard.opposite && depends_on_smallest(kind, elem, 0) && self.ranges.may_be_smallest(operand, elem)
        {
            x = self.builder.apart(x);
        }
        if known.is_none() && depends_on_sign(kind, elem, 0) {
            let widened = own.is_signed() && own.bytes() < elem.bytes();
            x = self.builder.unsigned(x, Hazard { extended: hazard.extended || widened, ..hazard });
        }
        let either = self.picks_either(kind, elem, result, &[operand]);
        self.halved((kind, elem), x, either)
    }

    /// Combines the upper half with the lower half until one element is left. This is the order that the IR
    /// defines. With `either` it may take either one of equal numbers.
    fn halved(&mut self, (kind, elem): (MapKind, ElemType), mut x: Val, either: bool) -> Result<Val> {
        while x.ty.count > 1 {
            let first = x.ty.count.next_power_of_two() / 2;
            let rest = x.ty.count - first;
            let (left, right) = (self.builder.part(x, 0, rest), self.builder.part(x, first, rest));
            let combined = match either {
                true => self.builder.pick_either(kind, left, right),
                false => self.single(kind, elem, left, right)?,
            };
            x = if rest == first {
                combined
            } else {
                let lower = self.builder.part(x, 0, first);
                self.builder.insert(lower, FixedRegion::row(0, rest), combined, None)
            };
        }
        Ok(x)
    }

    /// Packs the lowest bits of elements into a number.
    pub(crate) fn pack(&mut self, mask: Value) -> Result<Val> {
        let val = self.val(mask)?;
        let truth = match self.truth(val) {
            Some(truth) => truth,
            None => self.builder.odd(val),
        };
        let count = truth.ty.count.min(MASK_BITS);
        // A copy of a flag register, which has 16 or 32 truth values.
        let padded = if count <= 16 { 16 } else { MASK_BITS };
        let truth = if padded == truth.ty.count {
            truth
        } else {
            // The vector is split as numbers, because newer compilers crash on parts of truth values.
            let word = Ty::new(Scalar::Int(16), padded);
            let numbers = self.builder.numbers(truth, word.scalar);
            let first = self.builder.part(numbers, 0, count);
            let zeros = self.builder.constant(word, 0);
            let all = self.builder.insert(zeros, FixedRegion::row(0, count), first, None);
            self.builder.nonzero(all)
        };
        let bits = self.builder.op(Op::Bitcast, Ty::I32.int(padded as u32), &[truth]);
        Ok(if padded == MASK_BITS { bits } else { self.builder.op(Op::UConvert, Ty::I32, &[bits]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{count, kernel};
    use crate::spirv::{Target, lower};

    #[test]
    fn masks_as_bits_are_copies_of_flags() {
        for (lanes, extended) in [(4, 1), (8, 1), (16, 1), (24, 0), (32, 0), (64, 0)] {
            let ty = format!("<1x{lanes}>");
            let function = kernel(&format!(
                "%0: i32 = constant 0; %1: u8{ty} = read #0 %0, %0; %2: u8{ty} = constant 9; %3: u16{ty} = lt.u8 %1, %2;
                 %4: u32 = pack_mask %3; write #1 %0, %0, %4: u32;\n"
            ));
            let module = lower(&function, Target::Gen9).unwrap();
            assert_eq!(count(&module, Op::BitwiseOr), 0, "{lanes}");
            assert_eq!(count(&module, Op::UConvert), extended, "{lanes}");
        }
    }

    #[test]
    fn bits_as_masks_are_copies_of_flags() {
        for (lanes, compares) in [(8, 1), (16, 0), (24, 1), (32, 0)] {
            let ty = format!("<1x{lanes}>");
            let function = kernel(&format!(
                "%0: i32 = constant 0; %1: u32 = read #0 %0, %0; %2: u16{ty} = unpack_mask %1; %3: u8{ty} = constant 9;
                 %4: u8{ty} = constant 5; %5: u8{ty} = merge %2, %3, %4; write #1 %0, %0, %5: u8{ty};\n"
            ));
            let module = lower(&function, Target::Gen9).unwrap();
            assert_eq!(count(&module, Op::INotEqual), compares, "{lanes}");
        }
    }
}
