//! Finds masks from which the numbers that they select are computed.
//!
//! Intel's compiler computes `x + mask` in place, as `x + 1` where the mask is set. If the mask then selects other
//! numbers instead of the sum, the compiler leaves out the copy of `x`, which is the sum where the mask is not set. So
//! such sums, and all other operations, take an opaque copy of the mask.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Function, Op, Operands, Value};
use crate::ops::{Class, MapKind};

/// Operations on a mask whose results the mask selects.
#[derive(Debug, Default)]
pub(crate) struct OwnMasks(FxHashSet<Value>);

impl OwnMasks {
    /// The operations of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let mut found = Self::default();
        let (mut converted, mut computed) =
            (FxHashMap::<Value, Value>::default(), FxHashMap::<Value, Operands>::default());
        for inst in function.body.instructions() {
            let (Op::Map { kind, operands, .. }, Some(result)) = (&inst.op, inst.result) else { continue };
            let original = |x: &Value| *converted.get(x).unwrap_or(x);
            if *kind == MapKind::Convert {
                let from = original(&operands[0]);
                converted.insert(result, from);
                continue;
            }
            if kind.class() == Class::Selection {
                let mask = original(&operands[0]);
                let of_mask =
                    |x: &Value| computed.get(x).is_some_and(|own| own.iter().any(|x| original(x) == mask));
                found.0.extend(operands[1..].iter().map(original).filter(of_mask));
            }
            computed.insert(result, *operands);
        }
        found
    }

    /// Whether a mask selects the result of this operation on the mask.
    pub(crate) fn contains(&self, result: Value) -> bool {
        self.0.contains(&result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn sums_with_the_mask_that_selects_them() {
        let start = "%0: i32 = constant 0| %1: u16<1x8> = read #0 %0, %0| %2: u16<1x8> = lt.u16 %1, %0|";
        let found = |lines: &str| {
            let lines = format!("{start} {lines}|").replace('|', " @0:1:1\n");
            let text = format!("file 0 \"k.rs\" kernel k(i: read surface) {{ {lines} }}");
            OwnMasks::of(&parse(&text).unwrap()).0.into_iter().map(|x| x.0).collect::<Vec<_>>()
        };
        let sum = "%3: i32<1x8> = add.i32 %1, %2| %4: u16<1x8> = convert %3|";
        assert_eq!(found(&format!("{sum} %5: u16<1x8> = merge %2, %1, %4")), [3]);
        let other = "%6: u16<1x8> = gt.u16 %1, %0|";
        assert!(found(&format!("{sum} {other} %5: u16<1x8> = merge %6, %1, %4")).is_empty());
    }
}
