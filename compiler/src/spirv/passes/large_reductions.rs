//! Reductions of large registers, strip by strip.
//!
//! A reduction combines halves of a register. The half of a large register, or the register with longer elements, has no
//! room beside it. So the elements that one strip of the result depends on are combined first, then those of the next
//! strip. The order in which elements are combined stays the same.

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Region, Type, Value};
use crate::limits::{LANES, REGISTER_FILE};
use crate::ops::MapKind;

use super::expand::{Expansion, expanded};

/// The kernel with its large reductions in strips; `None` if it has none.
pub(crate) fn expand(function: &Function) -> Option<Function> {
    let reduces = |inst: &Inst| match inst.op {
        Op::Reduce { kind, common, operand } => Some((kind, common, operand)),
        _ => None,
    };
    function.body.instructions().find_map(reduces)?;
    let mut found = false;
    let body = expanded(function, |inst, insts| {
        let Some((kind, common, operand)) = reduces(inst) else { return false };
        let Some(ty) = insts.ty(operand) else { return false };
        let (Some(elem), count) = (ty.elem(), ty.count()) else { return false };
        let whole = 1 << count.ilog2();
        let rest = count - whole;
        if count * common.bytes() < REGISTER_FILE || !rest.is_multiple_of(LANES) {
            return false;
        }
        found = true;
        let mut reduction = Reduction { insts, operand, elem, kind, common, whole, rest };
        let strip = reduction.strip(LANES, 0);
        insts.push(Op::Reduce { kind, common, operand: strip }, inst.result, inst.ty);
        true
    })?;
    found.then(|| Function { body, ..function.clone() })
}

/// A reduction in progress.
struct Reduction<'a> {
    insts: &'a mut Expansion,
    operand: Value,
    elem: ElemType,
    kind: MapKind,
    common: ElemType,
    /// The largest power of two of elements.
    whole: usize,
    /// The elements after these, which are combined with the first ones.
    rest: usize,
}

impl Reduction<'_> {
    /// A strip of what is left when `left` elements are left.
    fn strip(&mut self, left: usize, at: usize) -> Value {
        let [lower, upper] = if left < self.whole {
            [self.strip(2 * left, at), self.strip(2 * left, at + left)]
        } else if at < self.rest {
            [self.part(at), self.part(self.whole + at)]
        } else {
            return self.part(at);
        };
        let combined = Op::map(self.kind, self.common, &[lower, upper]);
        self.insts.emit(combined, Type::new(self.common, 1, LANES))
    }

    fn part(&mut self, at: usize) -> Value {
        let region = Region::contiguous(at, LANES);
        self.insts.emit(Op::Region(self.operand, region), Type::new(self.elem, 1, LANES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// Asserts that a reduction of this register gives the same number in strips.
    fn check(ty: &str, operation: &str, in_strips: bool) {
        let common = operation.split('.').next_back().unwrap();
        let function = kernel(&format!(
            "%0: i32 = constant 0; %1: u8<4x64> = read #0 %0, %0; %2: {ty} = constant 3; var $0: {ty} = %2;
             %3: u8<1x128> = format %1; %4: i16<1x128> = convert %3; %5: i16<1x32> = region %4[5| 32, 32, 1];
             %6: {elem}<1x32> = convert %5; %7: {ty} = load $0; %8: {ty} = insert %7[37| 32, 32, 1], %6;
             %9: {common} = reduce {operation} %8; %10: i32 = convert %9; write #1 %0, %0, %10: i32;\n",
            elem = ty.split('<').next().unwrap(),
        ));
        let expanded = expand(&function);
        assert_eq!(expanded.is_some(), in_strips, "{ty}");
        if let Some(expanded) = expanded {
            assert_alike(&function, &expanded);
        }
    }

    #[test]
    fn strips_give_the_same_number() {
        check("f32<8x128>", "add.f32", true);
        check("f32<9x128>", "add.f32", true);
        check("i16<24x64>", "add.i32", true);
        check("u8<32x64>", "max.u32", true);
        check("f16<48x64>", "mul.f16", true);
    }

    #[test]
    fn other_reductions_stay() {
        check("f32<7x128>", "add.f32", false);
        check("i16<16x64>", "add.i16", false);
        check("f32<65x17>", "add.f32", false);
    }
}
