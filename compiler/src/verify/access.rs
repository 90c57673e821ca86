//! The rules of accesses to memory, by their descriptions.

use super::{BrokenRule, Result, Verifier, mistyped, numbers};
use crate::elem::ElemType;
use crate::ir::{ParamKind, Type, Value};
use crate::limits;
use crate::ops::{AccessKind, AccessSpec, Address, Carries, Memory};

impl Verifier<'_> {
    /// An access; the type of the instruction is that of what is read or written.
    pub(super) fn access(&self, kind: AccessKind, param: usize, operands: &[Value], ty: Type) -> Result<()> {
        let spec = kind.spec();
        self.memory(&spec, param, ty)?;
        let (expected, found) = (spec.operands(), operands.len());
        if expected != found {
            return Err(BrokenRule::Operands { op: spec.name, expected, found });
        }
        let (address, data) = operands.split_at(spec.address.operands());
        data.iter().try_for_each(|operand| self.expect(*operand, ty))?;
        carries(&spec, ty)?;
        let addressed = match spec.address {
            Address::Block => Type::scalar(ElemType::I32),
            Address::Bytes { .. } => Type::scalar(ElemType::U32),
            Address::Elements => ty.with_elem(ElemType::U32),
        };
        address.iter().try_for_each(|operand| self.expect(*operand, addressed))
    }

    /// The parameter, and that its elements are those of the type.
    fn memory(&self, spec: &AccessSpec, param: usize, ty: Type) -> Result<()> {
        let elem = numbers(ty)?;
        let writable = match (spec.memory, self.param(param)?) {
            (Memory::Surface, ParamKind::Surface { writable }) => writable,
            (Memory::Surface, _) => return Err(BrokenRule::NotASurface { param }),
            (Memory::Buffer, ParamKind::Buffer { elem: own, writable }) => {
                if own != elem {
                    return Err(mistyped(ty, format!("a register of `{own}`")));
                }
                writable
            }
            (Memory::Buffer, _) => return Err(BrokenRule::NotABuffer { param }),
        };
        if spec.effect.writes() && !writable { Err(BrokenRule::NotWritable { param }) } else { Ok(()) }
    }
}

/// The limits of what a message carries.
fn carries(spec: &AccessSpec, ty: Type) -> Result<()> {
    let elem = numbers(ty)?;
    let (rows, width) = (ty.rows, ty.columns * elem.bytes());
    let limit = match spec.carries {
        Carries::MediaBlock if spec.effect.writes() => limits::media_write(rows, width),
        Carries::MediaBlock => limits::media_block(rows, width),
        Carries::Owords if spec.effect.writes() => limits::oword_write(ty.bytes()),
        Carries::Owords => limits::oword_read(ty.bytes()),
        Carries::Lanes if limits::is_scattered(elem) => limits::scattered(ty.count()),
        Carries::DwordLanes if limits::is_atomic(elem) => limits::scattered(ty.count()),
        Carries::Lanes | Carries::DwordLanes => {
            return Err(BrokenRule::Element { op: spec.name, elem });
        }
    };
    Ok(limit?)
}

#[cfg(test)]
mod tests;
