//! Limits scalars with which short numbers are compared, so that they are short as well.
//!
//! `bytes > limit` is computed in dwords if nothing is known of `limit`. But a number between `least` and `most` compares with
//! `limit` as with the next one of the numbers from `least - 1` to `most + 1`. Those are words, of which an instruction
//! compares twice as many on registers of 32 bytes.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Operands, Type, Value};
use crate::limits::{DWORD, LANES};
use crate::ops::MapKind;
use crate::simplify::{Ranges, is_short};

use super::expand::expanded;
use crate::spirv::facts::defs::Defs;
use crate::spirv::region_instructions::lanes;
use crate::spirv::target::Target;

/// The fewest instructions that have to be saved: those that limit a scalar are computed once.
const SAVED: usize = 4;

/// The kernel with limited scalars; `None` if there are none.
pub(crate) fn limited(function: &Function, form: Target) -> Option<Function> {
    // Registers of 64 bytes have room for as many dwords as an instruction takes.
    let dwords = lanes(DWORD, form.register_bytes());
    if dwords == LANES {
        return None;
    }
    let (defs, ranges) = (Defs::of(function), Ranges::of(function));
    let found: Vec<(Value, Limited)> = function
        .body
        .instructions()
        .filter_map(|inst| Some((inst.result?, limits(inst, &defs, &ranges)?)))
        .collect();
    // Comparisons of the same limited scalar compute it once.
    let mut saved = FxHashMap::<_, usize>::default();
    for (result, limited) in &found {
        let count = defs.get(*result)?.ty.count();
        *saved.entry(limited.key()).or_default() += count.div_ceil(dwords) - count.div_ceil(LANES);
    }
    let limits: FxHashMap<Value, Limited> =
        found.into_iter().filter(|(_, limited)| saved[&limited.key()] >= SAVED).collect();
    if limits.is_empty() {
        return None;
    }
    let body = expanded(function, |inst, insts| {
        let Some(limited) = inst.result.and_then(|result| limits.get(&result)) else { return false };
        let Op::Map { kind, common, saturate, operands } = &inst.op else { return false };
        let scalar = Type::scalar(*common);
        let most = insts.constant(limited.most as u64 & u64::from(u32::MAX), scalar);
        let mut own = insts.map(MapKind::Min, *common, &[limited.scalar, most], scalar);
        if common.is_signed() {
            let least = insts.constant(limited.least as u64 & u64::from(u32::MAX), scalar);
            own = insts.map(MapKind::Max, *common, &[own, least], scalar);
        }
        let word = insts.emit(Op::convert(own, limited.elem), Type::scalar(limited.elem));
        let repeated = insts.splat(word, inst.ty.with_elem(limited.elem));
        let mut all = operands.to_vec();
        all[limited.place] = repeated;
        let op = Op::Map { kind: *kind, common: *common, saturate: *saturate, operands: Operands::new(&all) };
        insts.push(op, inst.result, inst.ty);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// A scalar that is compared with short numbers.
struct Limited {
    scalar: Value,
    /// Which operand it is, repeated.
    place: usize,
    /// The numbers that it may be instead.
    least: i64,
    most: i64,
    /// The type that has these numbers.
    elem: ElemType,
}

impl Limited {
    /// What it is computed of.
    fn key(&self) -> (Value, i64, i64) {
        (self.scalar, self.least, self.most)
    }
}

/// The scalar of a comparison in dwords with numbers that are computed in 16 bits or less.
fn limits(inst: &Inst, defs: &Defs<'_>, ranges: &Ranges) -> Option<Limited> {
    let Op::Map { kind, common, saturate: false, operands } = &inst.op else { return None };
    let dwords = !common.is_float() && common.bytes() == DWORD && inst.ty.count() > 1;
    if !dwords || !kind.class().is_comparison() {
        return None;
    }
    (0..2).find_map(|place| {
        let (x, other) = (operands[place], operands[1 - place]);
        let Op::Splat(scalar) = defs.get(x)?.op else { return None };
        let from = |x: Value| defs.get(x).and_then(|inst| inst.ty.elem());
        let computed = match &defs.get(other)?.op {
            Op::Map { kind, common, .. } => is_short(*kind) && !common.is_float(),
            _ => false,
        };
        let short = computed || from(other).is_some_and(|elem| elem.bytes() < DWORD);
        if from(scalar) != Some(*common) || !short {
            return None;
        }
        let (low, high) = ranges.bounds(other, *common)?;
        let (own_low, own_high) = ranges.bounds(scalar, *common)?;
        let (least, most) = (if common.is_signed() { low - 1 } else { 0 }, high + 1);
        let elem = [ElemType::I16, ElemType::U16].into_iter().find(|elem| {
            elem.range().is_some_and(|(from, to)| from <= least.into() && i128::from(most) <= to)
        })?;
        // Shorter ones need no limits.
        let long = own_low < least || own_high > most;
        long.then_some(Limited { scalar, place, least, most, elem })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The kernel of these lines with limited scalars. `%1` has bytes, `%2` words, `%4` is a number from -512 to 511, `%5`
    /// one from 0 to 1023, `%24` any `i32` and `%25` any `u32`.
    fn lines(lines: &str) -> Option<Function> {
        let scalar = |n: usize, elem: &str, from: usize| {
            let (all, one, count) = (n + 10, n + 20, n + 30);
            format!(
                "%{all}: {elem}<1x32> = format %1; %{one}: {elem} = region %{all}[{from}| 1, 1, 1];
                 %{count}: {elem} = constant 22; %{n}: {elem} = shr.{elem} %{one}, %{count};"
            )
        };
        let function = kernel(&format!(
            "%0: i32 = constant 2; %1: u8<4x32> = read #0 %0, %0; %2: i16<1x64> = format %1; {} {} {lines}\n",
            scalar(4, "i32", 3),
            scalar(5, "u32", 4)
        ));
        let limited = limited(&function, Target::Gen9)?;
        assert_alike(&function, &limited);
        assert_eq!(super::limited(&function, Target::XeHpc), None, "registers of 64 bytes");
        Some(limited)
    }

    fn compared(elem: &str, scalar: &str, comparison: &str, shape: &str) -> String {
        format!(
            "%8: {elem}<{shape}> = splat {scalar}; %9: u16<{shape}> = {comparison}; %40: u8<{shape}> = convert %9; write #1 %0, %0, %40: u8<{shape}>;"
        )
    }

    #[test]
    fn scalars_are_limited_to_words() {
        for kind in ["lt", "le", "gt", "ge", "eq", "ne"] {
            for (elem, scalar, least) in [("i32", "%4", true), ("u32", "%5", false)] {
                for operands in ["%1, %8", "%8, %1"] {
                    let comparison = format!("{kind}.{elem} {operands}");
                    let limited = lines(&compared(elem, scalar, &comparison, "4x32")).unwrap().to_string();
                    assert!(
                        limited.contains("constant 256") && limited.contains(": i16<4x32> = splat"),
                        "{limited}"
                    );
                    assert_eq!(limited.contains("constant -1"), least, "{limited}");
                }
            }
        }
    }

    #[test]
    fn differences_of_bytes_are_words() {
        let difference = "%7: i32<4x32> = sub.i32 %1, %1;";
        let compared = compared("i32", "%4", "lt.i32 %7, %8", "4x32");
        let limited = lines(&format!("{difference} {compared}")).unwrap().to_string();
        assert!(limited.contains("constant 256") && limited.contains("constant -256"), "{limited}");
    }

    #[test]
    fn few_numbers_and_dwords_stay() {
        assert_eq!(lines(&compared("i32", "%4", "lt.i32 %2, %8", "1x64")), None);
        let part = "%7: u8<1x32> = region %1[0| 32, 32, 1];";
        assert_eq!(lines(&format!("{part} {}", compared("i32", "%4", "lt.i32 %7, %8", "1x32"))), None);
        let words = "%7: i32<4x32> = mul.i32 %1, %1;";
        assert!(lines(&format!("{words} {}", compared("u32", "%25", "lt.u32 %7, %8", "4x32"))).is_some());
        assert_eq!(
            lines(&format!("{words} {}", compared("i32", "%24", "lt.i32 %7, %8", "4x32"))),
            None,
            "no type"
        );
        assert_eq!(
            lines(&format!("{words} {}", compared("u32", "%5", "lt.u32 %7, %8", "4x32"))),
            None,
            "a word"
        );
    }
}
