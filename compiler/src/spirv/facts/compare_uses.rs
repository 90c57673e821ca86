//! Finds the values that comparisons depend on.
//!
//! If an integer that was converted from a float is compared with 0, Intel's compiler merges the comparison
//! into the conversion and then tests the float. But 0.375 is not 0, although its integer is. Divisions also
//! test for 0, and the compiler rewrites comparisons with other numbers as comparisons with 0. So a
//! conversion whose result reaches a comparison, even through other operations, is written so that the float
//! is 0 where the integer is 0. The minimum of a number and 1 counts as such a comparison, and an index into
//! two elements is limited in the same way.

use rustc_hash::FxHashSet;

use crate::dataflow::{Backward, Facts, Origin, backward, origin};
use crate::ir::{Bits, Block, Function, Inst, Op, Type, Value};
use crate::ops::{Class, MapKind};

/// The values of a kernel that a comparison, a division or a condition depends on.
#[derive(Debug)]
pub(crate) struct CompareUses(Facts<bool>);

impl CompareUses {
    /// The values of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        Self(backward(&function.body, &Compared::of(&function.body)))
    }

    /// Whether a comparison depends on the value.
    pub(crate) fn contains(&self, value: Value) -> bool {
        self.0.get(value) == Some(&true)
    }
}

/// The analysis: whether a value reaches a comparison.
struct Compared {
    /// The constants 1, 0 and -1.
    small: FxHashSet<Value>,
}

impl Compared {
    fn of(block: &Block) -> Self {
        let is_small = |inst: &Inst, bits: u64| {
            let number = inst.ty.elem().and_then(|elem| elem.integer(bits));
            number.is_some_and(|number| (-1..=1).contains(&number))
        };
        let small = block.instructions().filter(|inst| match &inst.op {
            Op::Constant(Bits::Splat(bits)) => is_small(inst, *bits),
            Op::Constant(Bits::Each(each)) => each.iter().any(|bits| is_small(inst, *bits)),
            _ => false,
        });
        Self { small: small.filter_map(|inst| inst.result).collect() }
    }
}

impl Backward for Compared {
    type Fact = bool;

    fn everything(&self, _: Type) -> bool {
        true
    }

    fn join(&self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn ask(&self, inst: &Inst, _: Type, own: Option<&bool>) -> Option<bool> {
        let passed_on = match (&inst.op, origin(&inst.op)) {
            (Op::Map { kind: MapKind::Min | MapKind::Max, operands, .. }, _) => {
                operands.iter().all(|x| !self.small.contains(x))
            }
            (Op::Iselect(..), _) => false,
            (Op::Map { kind, .. }, _) => matches!(
                kind.class(),
                Class::Conversion
                    | Class::Sign
                    | Class::Sum
                    | Class::Product
                    | Class::Bitwise
                    | Class::ShiftLeft
                    | Class::ShiftRight
                    | Class::Between
                    | Class::Limited
                    | Class::Function
                    | Class::Selection
            ),
            (Op::Declare(..) | Op::Store(..) | Op::UnpackMask(_), _) => true,
            // Coordinates and written data pass it on, too.
            (_, Origin::Outside | Origin::Elements(_) | Origin::Bytes(_)) => true,
            _ => false,
        };
        passed_on.then_some(own == Some(&true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::{Case, push};
    use crate::ops::Computed;

    #[test]
    fn minima_with_small_constants_are_comparisons() {
        for case in Case::all() {
            let own = |bits| {
                let block = case.block(&case.splats(bits));
                backward(&block, &Compared::of(&block)).get(Value(0)).copied()
            };
            let minimum = matches!(case.kind, Computed::Map(MapKind::Min | MapKind::Max, _));
            let small = case.elems.iter().any(|elem| elem.integer(1).is_some());
            if minimum && small {
                assert_eq!((own(1), own(2)), (Some(true), Some(false)), "{case:?}");
            }
        }
    }

    #[test]
    fn what_is_compared_leads_back_to_all_operands() {
        for case in Case::all() {
            let operands = case.splats(2);
            let mut block = case.block(&operands);
            let result = Value(operands.len() as u32);
            let own = backward(&block, &Compared::of(&block));
            // Group operations are always assumed to compare.
            let compares = matches!(case.kind, Computed::Group(_))
                || matches!(case.kind.class(), Class::Order | Class::Equality | Class::Quotient);
            push(&mut block, Op::Any(result), Type::CONDITION);
            let tested = backward(&block, &Compared::of(&block));
            for n in 0..operands.len() as u32 {
                assert_eq!(own.get(Value(n)), Some(&compares), "{case:?}");
                assert_eq!(tested.get(Value(n)), Some(&true), "{case:?}");
            }
        }
    }
}
