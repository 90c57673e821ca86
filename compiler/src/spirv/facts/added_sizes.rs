//! Absolute values of integers that are only added.
//!
//! Intel's compiler makes an absolute value an operand modifier wherever it is used, even of `or`, which has none, and then
//! rejects its own code. Additions have the modifier, so an absolute value that is only added costs no instruction. Where
//! both operands of an addition can never have a bit in common, the optimiser makes an `or` of it.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Inst, Op, Value};
use crate::ops::MapKind;

use super::counts::Counts;
use super::defs::{Defs, converted};

/// The absolute values of a kernel that are only added.
#[derive(Debug)]
pub(crate) struct AddedSizes(FxHashSet<Value>);

impl AddedSizes {
    /// Of this kernel.
    pub(crate) fn of(function: &Function, counts: &Counts) -> Self {
        let defs = Defs::of(function);
        let size = |inst: &Inst| match &inst.op {
            Op::Map { kind: MapKind::Abs, common, saturate: false, operands } => {
                // The absolute value of an unsigned number is this number.
                let whole = !common.is_float() && common.is_signed() && matches!(common.bytes(), 2 | 4);
                let added = inst.result.filter(|result| is_added(&defs, *result, common.bytes(), counts));
                // A multiple of 2 leaves room for another bit.
                added.filter(|_| whole && operands.iter().all(|x| counts.may_be_odd(*x)))
            }
            _ => None,
        };
        Self(function.body.instructions().filter_map(size).collect())
    }

    /// Whether this value is one.
    pub(crate) fn contains(&self, value: Value) -> bool {
        self.0.contains(&value)
    }
}

/// Whether a value of this size is only added.
fn is_added(defs: &Defs<'_>, x: Value, bytes: usize, counts: &Counts) -> bool {
    let adds = |user: &&Inst| match &user.op {
        Op::Map { kind: MapKind::Add, common, saturate: false, operands } => {
            let odd = operands.iter().all(|other| *other == x || counts.may_be_odd(*other));
            !common.is_float() && common.bytes() == bytes && odd
        }
        Op::Reduce { kind: MapKind::Add, common, .. } => !common.is_float() && common.bytes() == bytes,
        _ => match (converted(user), user.result) {
            (Some((_, elem)), Some(result)) => elem.bytes() == bytes && is_added(defs, result, bytes, counts),
            _ => false,
        },
    };
    let users = defs.users(x);
    !users.is_empty() && users.iter().all(adds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    /// Whether the absolute values `%10` are only added by these lines, which make `%20`.
    fn added(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 0; %1: i16<2x16> = read #0 %0, %0; %3: i16<2x16> = constant 6;
             {lines} write #1 %0, %0, %20: i16<2x16>;\n"
        ));
        AddedSizes::of(&function, &Counts::of(&function)).contains(Value(10))
    }

    #[test]
    fn sizes_that_are_only_added() {
        let sum = "%10: u16<2x16> = abs.i16 %1; %20: i16<2x16> = add.i16 %1, %10;";
        assert!(added(sum));
        assert!(added(
            &sum.replace("%20: i16<2x16> = add", "%11: i16<2x16> = convert %10; %20: i16<2x16> = add")
                .replace("%1, %10", "%11, %1")
        ));
        assert!(added(
            "%10: u16<2x16> = abs.i16 %1; %11: i16 = reduce add.i16 %10; %20: i16<2x16> = splat %11;"
        ));
        assert!(!added(&sum.replace("add.i16 %1", "or.i16 %1")));
        assert!(!added(&sum.replace("add.i16 %1", "add.i16 %3")), "an even number");
        assert!(!added(
            "%10: u16<2x16> = abs.i16 %1; %12: i32<2x16> = add.i32 %10, %1; %20: i16<2x16> = convert %12;"
        ));
        let even =
            "%4: i16<2x16> = mul.i16 %1, %3; %10: u16<2x16> = abs.i16 %4; %20: i16<2x16> = add.i16 %1, %10;";
        assert!(!added(even));
        let unsigned =
            "%5: u16<2x16> = convert %1; %10: u16<2x16> = abs.u16 %5; %20: i16<2x16> = add.i16 %1, %10;";
        assert!(!added(unsigned));
    }
}
