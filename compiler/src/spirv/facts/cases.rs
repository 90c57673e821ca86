//! Finds the comparisons from which Intel's compiler would make a jump table.
//!
//! The optimiser turns conditions that compare one number with several constants into a switch, and the
//! compiler turns the switch into a table. If cases share their code, as those of `1 | 2` or of a range do,
//! the compiler leaves out table entries, and the entries after them jump to the wrong place. So the
//! constants of these comparisons are hidden.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::ops::MapKind;

use super::numbers::{Numbers, Same};

/// Comparisons of numbers that are compared with several constants.
#[derive(Debug)]
pub(crate) struct Cases(FxHashSet<Value>);

impl Cases {
    /// The comparisons of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let numbers = Numbers::of(function, Same::PerhapsConverted);
        let constants = constants(function);
        let mut compared: FxHashMap<u32, Vec<(Value, u64)>> = FxHashMap::default();
        for inst in function.body.instructions() {
            if let Some((number, result, constant)) = comparison(inst, &numbers, &constants) {
                compared.entry(number).or_default().push((result, constant));
            }
        }
        let several = compared.into_values().filter(|all| all.iter().any(|(_, other)| *other != all[0].1));
        Self(several.flatten().map(|(result, _)| result).collect())
    }

    /// Whether the constant of this comparison must be hidden.
    pub(crate) fn contains(&self, comparison: Value) -> bool {
        self.0.contains(&comparison)
    }
}

/// The scalar constants of a kernel, including converted ones.
fn constants(function: &Function) -> FxHashMap<Value, u64> {
    let mut constants = FxHashMap::default();
    for inst in function.body.instructions() {
        let bits = match &inst.op {
            Op::Constant(Bits::Splat(bits)) => Some(*bits),
            Op::Map { kind: MapKind::Convert, operands, .. } => constants.get(&operands[0]).copied(),
            _ => None,
        };
        constants.extend(inst.result.filter(|_| inst.ty.count() == 1).zip(bits));
    }
    constants
}

/// If this compares an integer with a constant: the number of the integer, the result, and the constant.
fn comparison(
    inst: &Inst,
    numbers: &Numbers,
    constants: &FxHashMap<Value, u64>,
) -> Option<(u32, Value, u64)> {
    let Op::Map { kind, common, operands, .. } = &inst.op else { return None };
    if !kind.class().is_comparison() || common.is_float() || inst.ty.count() != 1 {
        return None;
    }
    let [a, b] = operands[..] else { return None };
    match (constants.get(&a), constants.get(&b)) {
        (None, Some(constant)) => Some((numbers.get(a), inst.result?, *constant)),
        (Some(constant), None) => Some((numbers.get(b), inst.result?, *constant)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// The comparisons among these lines whose constants are hidden.
    fn hidden(lines: &str) -> Vec<u32> {
        let lines = lines.replace(';', " @0:1:1\n");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(n: u32, m: u8) {{ {lines} }}")).unwrap();
        let mut hidden: Vec<u32> = Cases::of(&function).0.into_iter().map(|value| value.0).collect();
        hidden.sort_unstable();
        hidden
    }

    #[test]
    fn one_number_and_several_constants() {
        let start =
            "%0: u32 = argument #0; %1: u32 = constant 1; %2: u32 = constant 2; %3: u32 = constant 7;";
        let all = |lines: &str| hidden(&format!("{start} {lines}"));
        assert_eq!(all("%10: u16 = eq.u32 %0, %1; %11: u16 = lt.u32 %2, %0;"), [10, 11]);
        // A single constant, two different numbers, or no constant.
        assert!(all("%10: u16 = eq.u32 %0, %1; %11: u16 = ne.u32 %1, %0;").is_empty());
        assert!(all("%9: u32 = neg %0; %10: u16 = eq.u32 %0, %1; %11: u16 = eq.u32 %9, %2;").is_empty());
        assert!(all("%9: u32 = neg %0; %10: u16 = eq.u32 %0, %9; %11: u16 = eq.u32 %9, %0;").is_empty());
        // The same number, computed, loaded or converted twice.
        assert_eq!(
            all("%8: u32 = and.u32 %0, %3; %9: u32 = and.u32 %0, %3;
                %10: u16 = eq.u32 %8, %1; %11: u16 = eq.u32 %9, %2;"),
            [10, 11]
        );
        assert_eq!(
            all("var $0: u32 = %0; %8: u32 = load $0; %9: u32 = load $0; %7: i32 = convert %9;
                %10: u16 = eq.u32 %8, %1; %11: u16 = gt.i32 %7, %2;"),
            [10, 11]
        );
    }
}
