//! The copies between the steps of kernels of odd shapes, and of numbers that the optimiser must not know.

use crate::elem::ElemType;
use crate::ir::{Inst, Op};
use crate::limits::{DWORD, REGISTER_FILE};

use super::lowering::Lowering;
use crate::spirv::facts::hazard::Hazard;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Scalar;

impl Lowering<'_> {
    /// The result of an instruction, as a copy if the kernel computes rows of odd lengths.
    pub(crate) fn separated(&mut self, inst: &Inst, val: Val) -> Val {
        let made = match &inst.op {
            Op::Map { .. } | Op::Region(..) => true,
            // The compiler warns of a copy of undefined elements. A large object has no room for a copy.
            Op::Insert(x, ..) => !self.undefined.contains(x) && inst.ty.bytes() < REGISTER_FILE,
            _ => false,
        };
        // The compiler makes rows of 64-bit elements in other ways, see `Builder::longs_together`.
        let numbers = val.ty.count > 1 && val.ty.scalar != Scalar::Bool && val.ty.elem_bytes() <= DWORD;
        if self.builder.odd_shapes && made && numbers { self.builder.separate(val) } else { val }
    }

    /// The low bits of longer numbers that an operation takes, as a copy if the kernel computes rows of odd lengths.
    pub(crate) fn separated_low_bits(&mut self, x: Val) -> Val {
        let taken = self.builder.odd_shapes && self.builder.long_registers && x.ty.count > 1;
        if taken { self.builder.separate(x) } else { x }
    }
}

impl Builder {
    /// A number whose computation the optimiser does not know. Of a repeated number, the scalar is copied, which takes one lane.
    pub(crate) fn own_number(&mut self, x: Val, hazard: Hazard) -> Val {
        let Some(scalar) = self.scalars.get(&x.id).copied() else { return self.own(x, hazard) };
        let scalar = self.own(scalar, hazard);
        self.splat(scalar, x.ty.count)
    }

    /// An opaque copy that is not made in place. The compiler combines bytes in two halves, of which the first may
    /// overwrite what the second one reads, so words are combined.
    pub(crate) fn separate(&mut self, x: Val) -> Val {
        if x.ty.scalar == Scalar::Int(8) {
            return self.as_words(x, |_, words| words);
        }
        // On registers of 64 bytes, the compiler splits a copy of two numbers that a comparison is merged
        // into, and both parts set the first flag.
        if self.long_registers && self.has_gaps(x) { self.apart_twice(x) } else { self.apart(x) }
    }

    /// Bytes that are computed as words. The compiler cannot narrow the words, because all of their bits are shifted.
    pub(crate) fn as_words(&mut self, bytes: Val, compute: impl FnOnce(&mut Self, Val) -> Val) -> Val {
        let words = self.convert(bytes, ElemType::U8, ElemType::U16, Hazard::default());
        let computed = compute(self, words);
        let whole = self.uncut(computed);
        self.convert(whole, ElemType::U16, ElemType::U8, Hazard::default())
    }
}

#[cfg(test)]
mod tests {
    use crate::spirv::alike::kernel;
    use crate::spirv::binary::Op;
    use crate::spirv::{Target, lower};

    /// Whether each copy of this operand of a sum is one of a scalar dword.
    fn copies(operand: &str) -> Vec<bool> {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: u32 = read #0 %0, %0; %2: u32 = constant 2147483648; {operand}
             %9: u32<1x4> = constant [0, 12, 24, 36]; %10: u32<1x4> = add.u32 %8, %9;
             write #1 %0, %0, %10: u32<1x4>;\n"
        ));
        let module = lower(&function, Target::Gen9).unwrap();
        let (mut rest, mut dword, mut copies) = (&module[5..], None, vec![]);
        while let Some(&first) = rest.first() {
            match rest {
                [_, id, 32, ..] if first & 0xffff == Op::TypeInt as u32 => dword = Some(*id),
                [_, ty, ..] if first & 0xffff == Op::BitwiseOr as u32 => copies.push(Some(*ty) == dword),
                _ => {}
            }
            rest = &rest[first as usize >> 16..];
        }
        copies
    }

    #[test]
    fn limited_numbers_are_copied_as_scalars() {
        assert_eq!(copies("%4: u32 = min.u32 %1, %2; %8: u32<1x4> = splat %4;"), [true]);
        let vectors = "%4: u32<1x4> = splat %1; %5: u32<1x4> = splat %2; %8: u32<1x4> = min.u32 %4, %5;";
        assert_eq!(copies(vectors), [false]);
    }
}
