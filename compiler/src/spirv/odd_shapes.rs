//! Kernels that compute rows of odd lengths: every result becomes an opaque copy.
//!
//! Intel's compiler makes regions of regions, computes bytes in place, and computes parts of registers only. For rows
//! that are no multiple of 8 elements, and for odd numbers of rows of bytes, it has many faults in this: it joins regions
//! that do not fit together, and overwrites bytes before it reads them. They need two steps that the compiler considers
//! together. In these kernels it cannot, because a copy that it does not see through is between all steps. Kernels that
//! are written for speed have other shapes, and would become longer.

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op};

use super::compiler_workarounds::Hazard;
use super::lowering::Lowering;
use super::module::{Builder, Val};
use super::types::Scalar;

/// The columns that the hardware computes at once.
const COLUMNS: usize = 8;

/// Whether a kernel computes rows of odd lengths.
pub(super) fn contains(function: &Function) -> bool {
    function.body.instructions().any(is_odd)
}

fn is_odd(inst: &Inst) -> bool {
    let ty = inst.ty;
    let bytes = ty.elem().is_some_and(|elem| elem.bytes() == 1);
    let rows = ty.rows > 1 && !ty.rows.is_multiple_of(2) && bytes && matches!(inst.op, Op::Map { .. });
    matches!(inst.op, Op::Map { .. } | Op::Region(..))
        && !ty.count().is_power_of_two()
        && (rows || !ty.columns.is_multiple_of(COLUMNS))
}

impl Lowering<'_> {
    /// The result of an instruction, as a copy if the kernel computes rows of odd lengths.
    pub(super) fn separated(&mut self, inst: &Inst, val: Val) -> Val {
        let made = matches!(inst.op, Op::Map { .. } | Op::Region(..) | Op::Insert(..));
        let numbers = val.ty.count > 1 && val.ty.scalar != Scalar::Bool;
        if self.odd_shapes && made && numbers { self.builder.separate(val) } else { val }
    }
}

impl Builder {
    /// An opaque copy that is not made in place. The compiler combines bytes in two halves, of which the first may
    /// overwrite what the second one reads, so words are combined.
    pub(super) fn separate(&mut self, x: Val) -> Val {
        if x.ty.scalar != Scalar::Int(8) {
            return self.apart(x);
        }
        let words = self.convert(x, ElemType::U8, ElemType::U16, Hazard::default());
        let words = self.uncut(words);
        self.convert(words, ElemType::U16, ElemType::U8, Hazard::default())
    }
}
