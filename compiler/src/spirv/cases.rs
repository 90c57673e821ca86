//! Finds the comparisons that Intel's compiler would make a jump table of.
//!
//! Of conditions that compare one number with several constants the optimiser makes a switch, and of that the
//! compiler a table. Where cases share their code, as those of `1 | 2` or of a range do, it leaves entries of
//! the table out, so that the ones behind them jump to the wrong place. So the constants of these comparisons
//! are hidden.

use std::collections::{HashMap, HashSet};

use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::ops::MapKind;

/// The comparisons of a number that is compared with several constants.
#[derive(Debug)]
pub(super) struct Cases(HashSet<Value>);

/// Numbers of values: those that may be equal for the optimiser have the same.
#[derive(Default)]
struct Numbers {
    /// By what they are made of.
    known: HashMap<String, u32>,
    of: HashMap<Value, u32>,
    constants: HashMap<Value, u64>,
}

impl Cases {
    /// Of this kernel.
    pub(super) fn of(function: &Function) -> Self {
        let mut numbers = Numbers::default();
        let mut compared: HashMap<u32, Vec<(Value, u64)>> = HashMap::new();
        for inst in function.body.instructions() {
            numbers.add(inst);
            if let Some((number, result, constant)) = numbers.comparison(inst) {
                compared.entry(number).or_default().push((result, constant));
            }
        }
        let several = compared.into_values().filter(|all| all.iter().any(|(_, other)| *other != all[0].1));
        Self(several.flatten().map(|(result, _)| result).collect())
    }

    /// Whether the constant of this comparison is to be hidden.
    pub(super) fn contains(&self, comparison: Value) -> bool {
        self.0.contains(&comparison)
    }
}

impl Numbers {
    fn number(&self, value: Value) -> u32 {
        self.of.get(&value).copied().unwrap_or(u32::MAX)
    }

    fn add(&mut self, inst: &Inst) {
        let Some(result) = inst.result.filter(|_| inst.ty.count() == 1) else { return };
        let number = match &inst.op {
            // Conversions keep most numbers as they are.
            Op::Map { kind: MapKind::Convert, operands, .. } => {
                if let Some(bits) = self.constants.get(&operands[0]).copied() {
                    self.constants.insert(result, bits);
                }
                self.number(operands[0])
            }
            op => {
                if let Op::Constant(Bits::Splat(bits)) = op {
                    self.constants.insert(result, *bits);
                }
                let mut op = op.clone();
                op.operands_mut().into_iter().for_each(|operand| *operand = Value(self.number(*operand)));
                let next = self.known.len() as u32;
                *self.known.entry(format!("{op:?}")).or_insert(next)
            }
        };
        self.of.insert(result, number);
    }

    /// A comparison of an integer with a constant: the number of the integer, the result, and the constant.
    fn comparison(&self, inst: &Inst) -> Option<(u32, Value, u64)> {
        let Op::Map { kind, common, operands, .. } = &inst.op else { return None };
        if !kind.class().is_comparison() || common.is_float() || inst.ty.count() != 1 {
            return None;
        }
        let [a, b] = operands[..] else { return None };
        match (self.constants.get(&a), self.constants.get(&b)) {
            (None, Some(constant)) => Some((self.number(a), inst.result?, *constant)),
            (Some(constant), None) => Some((self.number(b), inst.result?, *constant)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// Which of these comparisons have constants that are hidden.
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
        // One constant, two numbers, or no constant.
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
