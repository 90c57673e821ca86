//! The rules of memory accesses, by their descriptions.

use super::{BrokenRule, Result, Verifier, numbers};
use crate::ir::{ParamKind, Type, Value};
use crate::limits::{self, Violation};
use crate::ops::{AccessKind, AccessOperand, AccessSpec, Address, MemoryKind};

impl Verifier<'_> {
    /// Checks an access; the type of the instruction is that of the read or written data.
    pub(super) fn access(&self, kind: AccessKind, param: usize, operands: &[Value], ty: Type) -> Result<()> {
        let (spec, elem) = (kind.spec(), numbers(ty)?);
        self.memory(&spec, param, ty)?;
        let (expected, found) = (spec.operands(), operands.len());
        if expected != found {
            return Err(BrokenRule::Operands { op: spec.name, expected, found });
        }
        let shared = matches!(self.param(param)?, ParamKind::Shared { .. });
        if shared && spec.address == Address::Pitched {
            return Err(BrokenRule::NotABuffer { param });
        }
        if !spec.takes(elem) {
            return Err(BrokenRule::Element { op: spec.name, elem });
        }
        spec.fits(elem, ty.rows, ty.columns)?;
        for (operand, needed) in operands.iter().zip(spec.types()) {
            let needed = match needed {
                AccessOperand::One(elem) => Type::scalar(elem),
                AccessOperand::Each(elem) => ty.with_elem(elem),
                AccessOperand::Column(elem) => Type::new(elem, 1, ty.columns),
                AccessOperand::Data => ty,
            };
            self.expect(*operand, needed)?;
        }
        Ok(())
    }

    /// Checks the parameter. The access determines the element type of a buffer; an array of shared memory has whole
    /// elements of that type.
    fn memory(&self, spec: &AccessSpec, param: usize, ty: Type) -> Result<()> {
        let kind = self.param(param)?;
        if kind.memory() != Some(spec.memory) {
            return Err(match spec.memory {
                MemoryKind::Surface => BrokenRule::NotASurface { param },
                MemoryKind::Surface3d => BrokenRule::NotASurface3d { param },
                MemoryKind::Buffer => BrokenRule::NotABuffer { param },
            });
        }
        if matches!(spec.address, Address::Texels(_)) && matches!(kind, ParamKind::View { .. }) {
            return Err(Violation::TypedPart.into());
        }
        if let ParamKind::Shared { elem, elements } = kind {
            limits::shared_view(elements.saturating_mul(elem.bytes()), numbers(ty)?.bytes())?;
        }
        if spec.effect.writes() && !kind.is_writable() {
            return Err(BrokenRule::NotWritable { param });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
