//! How wide elements are kept: as many low bytes as somebody looks at.

use crate::dataflow::{Backward, Facts, backward};
use crate::ir::{Block, Inst, Op, Type, Value};
use crate::ops::Class;

/// Low bytes of elements that are needed of the values of a kernel.
#[derive(Debug)]
pub(super) struct Widths(Facts<usize>);

impl Widths {
    pub(super) fn of(block: &Block) -> Self {
        Self(backward(block, &LowBytes))
    }

    /// Bytes that are needed of each element of a value of this type.
    pub(super) fn of_value(&self, value: Value, ty: Type) -> usize {
        kept(self.0.get(value), ty)
    }
}

/// What is kept of a value of which that is asked; of what nobody uses everything.
fn kept(asked: Option<&usize>, ty: Type) -> usize {
    let own = LowBytes.everything(ty);
    asked.map_or(own, |bytes| own.min(*bytes))
}

/// So many low bytes of every element.
struct LowBytes;

impl Backward for LowBytes {
    type Fact = usize;

    fn everything(&self, ty: Type) -> usize {
        ty.elem().map_or(0, |elem| elem.bytes())
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
