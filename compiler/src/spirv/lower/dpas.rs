//! The instruction of the matrix engine.

use super::lowering::{Lowering, Result};
use crate::ir::Value;
use crate::limits::DPAS_DEPTH;
use crate::ops::Precision;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;

impl Lowering<'_> {
    /// Emits the instruction.
    pub(crate) fn dpas(
        &mut self,
        b: Precision,
        a: Precision,
        operands: &[Value],
        ty: Ty,
        rows: usize,
    ) -> Result<Val> {
        let mut arguments = vec![];
        for operand in operands {
            arguments.push(self.val(*operand)?);
        }
        // The factor types, the depth, the rows, and the signedness of the sums.
        for number in [b.code(), a.code(), DPAS_DEPTH as u64, rows as u64, 1, 1] {
            arguments.push(self.builder.constant(Ty::I32, number));
        }
        Ok(self.builder.value(Intrinsic::Dpas, ty, &arguments))
    }
}
