//! The rules of buffers.

use super::{BrokenRule, Result, Verifier, mistyped, numbers};
use crate::elem::ElemType;
use crate::ir::ParamKind;
use crate::ir::{Op, Type, Value};
use crate::limits;

impl Verifier<'_> {
    /// An access to a buffer; the type of the instruction is that of what is read or written.
    pub(super) fn buffer(&self, op: &Op, ty: Type) -> Result<()> {
        let name = op.name();
        match op {
            Op::OwordRead(_, param, offset) => {
                self.elements_of(*param, false, ty)?;
                self.expect(*offset, Type::scalar(ElemType::U32))?;
                Ok(limits::oword_read(ty.bytes())?)
            }
            Op::OwordWrite(param, offset, block) => {
                self.elements_of(*param, true, ty)?;
                self.expect(*offset, Type::scalar(ElemType::U32))?;
                self.expect(*block, ty)?;
                Ok(limits::oword_write(ty.bytes())?)
            }
            Op::Gather(param, elements) => {
                let elem = self.elements_of(*param, false, ty)?;
                self.scattered(name, elem, *elements, ty)
            }
            Op::Scatter(param, elements, values) => {
                let elem = self.elements_of(*param, true, ty)?;
                self.scattered(name, elem, *elements, ty)?;
                self.expect(*values, ty)
            }
            Op::Atomic(kind, param, elements, sources) => {
                let elem = self.elements_of(*param, true, ty)?;
                self.scattered(name, elem, *elements, ty)?;
                if !limits::is_atomic(elem) {
                    return Err(BrokenRule::Element { op: name, elem });
                }
                let (expected, found) = (kind.sources(), sources.iter().flatten().count());
                if expected != found || (found == 1 && sources[0].is_none()) {
                    return Err(BrokenRule::Sources { op: name, expected, found });
                }
                sources.iter().flatten().try_for_each(|source| self.expect(*source, ty))
            }
            _ => Ok(()),
        }
    }

    /// The element type of a buffer parameter, which must be that of the type.
    fn elements_of(&self, param: usize, writes: bool, ty: Type) -> Result<ElemType> {
        let ParamKind::Buffer { elem, writable } = self.param(param)? else {
            return Err(BrokenRule::NotABuffer { param });
        };
        if writes && !writable {
            return Err(BrokenRule::NotWritable { param });
        }
        if numbers(ty)? != elem {
            return Err(mistyped(ty, format!("a register of `{elem}`")));
        }
        Ok(elem)
    }

    fn scattered(&self, op: &'static str, elem: ElemType, elements: Value, ty: Type) -> Result<()> {
        if !limits::is_scattered(elem) {
            return Err(BrokenRule::Element { op, elem });
        }
        limits::scattered(ty.count())?;
        self.expect(elements, ty.with_elem(ElemType::U32))
    }
}

#[cfg(test)]
mod tests;
