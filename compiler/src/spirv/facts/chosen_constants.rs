//! Constants with different elements that masks choose, so that the optimiser may know some results of comparisons of the
//! chosen elements and not others.
//!
//! Both operands of such a comparison would be opaque copies: see [`Hazard::partly`](super::hazard::Hazard). Where the least
//! of many chosen places is found, these are copies of all elements, in each step. So the constant itself is hidden, once for
//! all selections.

use rustc_hash::FxHashSet;

use super::defs::Defs;
use super::hazard::{Hazard, compares};
use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::limits::DWORD;
use crate::ops::{Class, MapKind};

/// These constants of a kernel. `hazard`: the hazards of its values, without this.
pub(crate) fn chosen_constants(function: &Function, hazard: impl Fn(Value) -> Hazard) -> FxHashSet<Value> {
    let varied = |inst: &&Inst| match &inst.op {
        Op::Constant(Bits::Each(_)) => {
            inst.ty.elem().is_some_and(|elem| !elem.is_float() && elem.bytes() <= DWORD)
        }
        _ => false,
    };
    let constants: Vec<&Inst> = function.body.instructions().filter(varied).collect();
    if constants.is_empty() {
        return FxHashSet::default();
    }
    let defs = Defs::of(function);
    let results = constants.iter().filter_map(|inst| inst.result);
    results.filter(|constant| is_chosen(*constant, &defs, &hazard)).collect()
}

/// Whether masks choose elements of this constant, which has no other use, and comparisons of these elements hide both
/// operands.
fn is_chosen(constant: Value, defs: &Defs<'_>, hazard: &impl Fn(Value) -> Hazard) -> bool {
    let chooses = |user: &&Inst| match &user.op {
        Op::Map { kind, operands, .. } => kind.class() == Class::Selection && operands[0] != constant,
        _ => false,
    };
    let users = defs.users(constant);
    if users.is_empty() || !users.iter().all(chooses) {
        return false;
    }
    let mut found: FxHashSet<Value> = users.iter().filter_map(|user| user.result).collect();
    let mut left: Vec<Value> = found.iter().copied().collect();
    while let Some(x) = left.pop() {
        for user in defs.users(x) {
            if hides_operands(x, user, hazard) {
                return true;
            }
            left.extend(user.result.filter(|result| gives_elements(user) && found.insert(*result)));
        }
    }
    false
}

/// Whether an instruction compares these chosen elements, and hides both operands.
fn hides_operands(x: Value, user: &Inst, hazard: &impl Fn(Value) -> Hazard) -> bool {
    let Op::Map { kind, common, operands, .. } = &user.op else { return false };
    let known = |x: &Value| hazard(*x).folded || hazard(*x).partly;
    compares(*kind) && !common.is_float() && hazard(x).partly && operands.iter().all(known)
}

/// Whether the result of an instruction consists of elements of its operands.
fn gives_elements(inst: &Inst) -> bool {
    match &inst.op {
        Op::Map { kind: MapKind::Min | MapKind::Max, common, .. } => !common.is_float(),
        Op::Region(..) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::hazards::Hazards;
    use super::*;
    use crate::spirv::alike::kernel;

    /// Whether the constant `%1` is hidden in a kernel that compares `%2` and `%3` in these lines.
    fn is_hidden(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 0; %1: u32<1x8> = constant [0, 1, 2, 3, 4, 5, 6, 7]; %2: u32<1x8> = read #0 %0, %0;
             %3: u32<1x8> = constant 3; %4: u16<1x8> = lt.u32 %2, %3; %5: u32<1x8> = constant 8; {lines}
             write #1 %0, %0, %9: u32<1x4>;\n"
        ));
        Hazards::of(&function).hides(Value(1))
    }

    #[test]
    fn constants_that_are_chosen_and_compared() {
        let halves = "%7: u32<1x4> = region %6[0| 4, 4, 1]; %8: u32<1x4> = region %6[4| 4, 4, 1];";
        let chosen = format!("%6: u32<1x8> = merge %4, %1, %5; {halves}");
        assert!(is_hidden(&format!("{chosen} %9: u32<1x4> = min.u32 %7, %8;")));
        let late =
            "%10: u32<1x4> = max.u32 %7, %8; %11: u32<1x4> = constant 4; %9: u32<1x4> = min.u32 %10, %11;";
        assert!(is_hidden(&format!("{chosen} {late}")));
        assert!(!is_hidden(&format!("{chosen} %9: u32<1x4> = add.u32 %7, %8;")), "no comparison");
        let other = "%10: u32<1x4> = region %2[0| 4, 4, 1]; %9: u32<1x4> = min.u32 %7, %10;";
        assert!(!is_hidden(&format!("{chosen} {other}")), "nothing is known of the other operand");
    }

    #[test]
    fn constants_with_other_uses_stay_known() {
        let last = "%7: u32<1x4> = region %6[0| 4, 4, 1]; %8: u32<1x4> = region %6[4| 4, 4, 1]; %9: u32<1x4> = min.u32 %7, %8;";
        let index = "%6: u32<1x8> = merge %4, %1, %5; %10: u32<1x8> = iselect %2, %1;";
        assert!(!is_hidden(&format!("{index} {last}")));
        let mask = "%10: u16<1x8> = constant [0, 1, 2, 3, 4, 5, 6, 7]; %6: u32<1x8> = merge %10, %2, %5;";
        assert!(!is_hidden(&format!("{mask} {last}")), "a mask");
    }
}
