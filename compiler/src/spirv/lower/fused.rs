//! Operations that some generations combine in one instruction: a dot product of bytes with an addition, and
//! `&`, `|`, `^` and `!` of three values.
//!
//! The combined instruction replaces the last of these operations. The compiler removes the others if they
//! have no other use.

use crate::elem::ElemType;
use crate::ir::Value;
use crate::ops::MapKind;

use super::lowering::Lowering;
use crate::spirv::emit::boolean::Boolean;
use crate::spirv::emit::recipe::Known;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::Val;
use crate::spirv::target::Instruction;

impl Lowering<'_> {
    /// The instruction that combines an operation with those that made its operands, if the target has one.
    pub(crate) fn fused(
        &mut self,
        kind: MapKind,
        elem: ElemType,
        operands: &[Value],
        prepared: &[(Val, Known)],
    ) -> (Option<Val>, Option<Boolean>) {
        if let (MapKind::Add, false, 4, &[x, y], &[(a, _), (b, _)]) =
            (kind, elem.is_float(), elem.bytes(), operands, prepared)
            // The instruction takes the place of the product, so that its prepared form does not matter.
            && let Some(((kind, bytes), sum)) =
                self.dot(y).map(|dot| (dot, a)).or_else(|| self.dot(x).map(|dot| (dot, b)))
        {
            return (Some(self.builder.byte_dot(kind, sum, bytes)), None);
        }
        let Some(boolean) = self.boolean(kind, elem, prepared) else { return (None, None) };
        let made = match boolean.operands {
            [Some(x), Some(y), z] if boolean.operations > 1 => {
                let table = self.builder.constant(x.ty.int(8).one(), boolean.table.into());
                let operands = [x, y, z.unwrap_or(y), table];
                Some(self.builder.value(Intrinsic::Boolean, x.ty, &operands))
            }
            _ => None,
        };
        (made, Some(boolean))
    }

    /// The dot product of bytes that made a value, and its operands.
    fn dot(&self, x: Value) -> Option<(MapKind, [Val; 2])> {
        self.dots.get(&self.values.get(&x)?.val.id).copied()
    }

    /// Records an operation that later ones may be combined with.
    pub(crate) fn note(
        &mut self,
        kind: MapKind,
        prepared: &[(Val, Known)],
        result: Val,
        boolean: Option<Boolean>,
    ) {
        if let (true, &[(a, _), (b, _)]) =
            (kind.is_byte_dot() && self.target.has(Instruction::ByteDot), prepared)
        {
            self.dots.insert(result.id, (kind, [a, b]));
        }
        if let Some(boolean) = boolean {
            self.booleans.insert(result.id, boolean);
        }
    }

    /// A bitwise operation as a function of up to three values.
    fn boolean(&self, kind: MapKind, elem: ElemType, prepared: &[(Val, Known)]) -> Option<Boolean> {
        let instruction = Instruction::Boolean;
        if !self.target.has(instruction) || elem.is_float() || !instruction.bytes().contains(&elem.bytes()) {
            return None;
        }
        let alone = |n: usize| prepared.get(n).map(|operand| Boolean::of(elem, *operand));
        let whole = |n: usize| {
            let made = prepared.get(n).and_then(|(val, _)| self.booleans.get(&val.id));
            made.copied().or_else(|| alone(n))
        };
        if kind == MapKind::Not {
            return whole(0).map(Boolean::not);
        }
        let both =
            [(whole(0)?, whole(1)?), (whole(0)?, alone(1)?), (alone(0)?, whole(1)?), (alone(0)?, alone(1)?)];
        both.into_iter().find_map(|(a, b)| a.with(kind, b))
    }
}
