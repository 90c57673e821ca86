//! Conversions of short numbers that were converted before without a loss start from the number before.
//!
//! A level of four bits is cut to a byte before it becomes a float. The instructions that compute with bytes leave gaps, so
//! those with words are fewer, and the float is converted from the word.

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Value};
use crate::ops::MapKind;
use crate::simplify::Ranges;

use super::expand::expanded;
use super::unused::without_unused;
use crate::spirv::facts::defs::Defs;

/// The kernel with direct conversions; `None` if they all are.
pub(crate) fn direct(function: &Function) -> Option<Function> {
    let defs = Defs::of(function);
    let converts = |inst: &Inst| matches!(inst.op, Op::Map { kind: MapKind::Convert, .. });
    let again = |inst: &&Inst| {
        converts(inst) && inst.op.operands().iter().any(|x| defs.get(*x).is_some_and(converts))
    };
    function.body.instructions().find(again)?;
    let pass = Pass { ranges: Ranges::of(function), defs };
    let mut changed = false;
    let body = expanded(function, |inst, insts| {
        let Op::Map { kind: MapKind::Convert, operands, .. } = &inst.op else { return false };
        let Some(before) = pass.before(operands[0]) else { return false };
        let mut op = inst.op.clone();
        op.operands_mut().into_iter().for_each(|x| *x = before);
        insts.push(op, inst.result, inst.ty);
        changed = true;
        true
    })?;
    changed.then(|| Function { body: without_unused(body, &pass.defs), ..function.clone() })
}

struct Pass<'a> {
    ranges: Ranges,
    defs: Defs<'a>,
}

impl Pass<'_> {
    /// The number that a number was converted from without a loss, if nothing but conversions needs the converted one.
    fn before(&self, x: Value) -> Option<Value> {
        let inst = self.defs.get(x)?;
        let Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } = &inst.op else { return None };
        let before = self.defs.get(operands[0])?;
        let (from, to) = (before.ty.elem()?, inst.ty.elem()?);
        let short = |elem: ElemType| !elem.is_float() && elem.bytes() <= 2;
        let converts = |user: &&Inst| matches!(user.op, Op::Map { kind: MapKind::Convert, .. });
        // Between types of the same size, a conversion is no instruction.
        let moved = from.bytes() != to.bytes();
        let kept = short(from) && short(to) && moved && self.ranges.is_within(operands[0], from, to);
        (kept && self.defs.users(x).iter().all(converts)).then_some(operands[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// Whether `%5` is converted from `%3` in a kernel with these lines, instead of from `%4`.
    fn is_direct(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: u8<2x16> = read #0 %0, %0; %2: i16<2x16> = constant 8; {lines}
             %6: u8<2x64> = format %5; write #1 %0, %0, %6: u8<2x64>;\n"
        ));
        let Some(direct) = direct(&function) else { return false };
        assert_alike(&function, &direct);
        assert!(direct.body.instructions().all(|inst| inst.result != Some(Value(4))));
        true
    }

    #[test]
    fn numbers_that_fit_are_converted_at_once() {
        assert!(is_direct(
            "%3: i16<2x16> = shr.i16 %1, %2; %4: i8<2x16> = convert %3; %5: f32<2x16> = convert %4;"
        ));
        let level =
            "%7: i16<2x16> = and.i16 %1, %2; %3: i16<2x16> = sub.i16 %7, %2; %4: i8<2x16> = convert %3;";
        assert!(is_direct(&format!("{level} %5: f32<2x16> = convert %4;")));
    }

    #[test]
    fn others_stay() {
        let cut = "%3: i16<2x16> = mul.i16 %1, %2; %4: i8<2x16> = convert %3;";
        assert!(!is_direct(&format!("{cut} %5: f32<2x16> = convert %4;")), "upper bits are cut off");
        let sign = "%3: i16<2x16> = sub.i16 %1, %2; %4: u8<2x16> = convert %3;";
        assert!(!is_direct(&format!("{sign} %5: f32<2x16> = convert %4;")), "-1 becomes 255");
        let same = "%3: i16<2x16> = and.i16 %1, %2; %4: u16<2x16> = convert %3;";
        assert!(!is_direct(&format!("{same} %5: f32<2x16> = convert %4;")), "the same size");
        let used = "%3: i16<2x16> = and.i16 %1, %2; %4: i8<2x16> = convert %3; %7: f32<2x16> = convert %4;";
        assert!(!is_direct(&format!("{used} %5: f32<2x16> = mul.f32 %7, %4;")), "another use");
    }
}
