//! Decides whether a kernel can meet denormal floats.
//!
//! The CPU keeps them. The GPU flushes them to zero unless the kernel requests them, which costs two
//! instructions. Most media kernels multiply integers by constants and need no request: such a product is
//! either zero or too large to be denormal.

use std::collections::BTreeSet;

use crate::dataflow::{Facts, Forward, Origin, forward, origin};
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Type, Value};
use crate::ops::{Class, MapKind};

/// The float types, by their number of bits, for which the kernel must request denormals.
pub(crate) fn needed(function: &Function) -> BTreeSet<u32> {
    let facts = forward(&function.body, &Grid);
    let mut needed = BTreeSet::new();
    for inst in function.body.instructions() {
        for (elem, exponent) in touched(inst, &facts) {
            let smallest = match elem {
                ElemType::F16 => -14,
                ElemType::F32 => -126,
                // The hardware keeps f64 denormals only on request, too.
                ElemType::F64 => -1022,
                _ => continue,
            };
            if exponent.is_none_or(|e| e < smallest) {
                needed.insert(elem.bytes() as u32 * 8);
            }
        }
    }
    needed
}

/// All elements are multiples of two to this power; `None` if nothing is known. Rounding keeps this true.
type Exponent = Option<i32>;

/// The analysis: the exponent of every value.
struct Grid;

impl Forward for Grid {
    type Fact = Exponent;

    fn unknown(&self, _: Type) -> Exponent {
        None
    }

    fn join(&self, a: &Exponent, b: &Exponent) -> Exponent {
        coarser(*a, *b)
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Exponent>) -> Option<Exponent> {
        match &inst.op {
            Op::Constant(bits) => Some(constant(bits, inst.ty)),
            Op::Map { kind: MapKind::Convert, operands, saturate, .. } => {
                let exponent = operand(operands[0], facts);
                // The result may be limited to 1, which need not be a multiple.
                Some(if *saturate { exponent.map(|e| e.min(0)) } else { exponent })
            }
            Op::Map { kind, operands, saturate: false, .. } if kind.class() == Class::Sign => {
                Some(operand(operands[0], facts))
            }
            Op::Map { kind, common, operands, saturate: false } if common.is_float() => {
                let operands: Vec<Exponent> = operands.iter().map(|x| operand(*x, facts)).collect();
                match (kind.class(), &operands[..]) {
                    (Class::Sum | Class::Between, [a, b]) => Some(coarser(*a, *b)),
                    (Class::Product, [a, b]) => Some(a.zip(*b).and_then(|(a, b)| a.checked_add(b))),
                    // Comparisons give integers.
                    (Class::Order | Class::Equality, _) => Some(Some(0)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The exponent of an operand. Integers are multiples of 1.
fn operand(value: Value, facts: &Facts<Exponent>) -> Exponent {
    match facts.elem(value) {
        Some(elem) if !elem.is_float() => Some(0),
        _ => facts.get(value).copied().flatten(),
    }
}

/// The types in which an instruction interprets elements as floats, with the exponents of these. Moves and
/// changes of sign do not interpret them, and neither do selections of longer floats than halves.
fn touched(inst: &Inst, facts: &Facts<Exponent>) -> Vec<(ElemType, Exponent)> {
    let own = |x: Value| facts.elem(x).map(|elem| (elem, facts.get(x).copied().flatten()));
    let result = inst.result.and_then(own);
    match (&inst.op, origin(&inst.op)) {
        // Selections of halves flush them.
        (Op::Map { kind: MapKind::Merge, .. }, _) if inst.ty.elem() == Some(ElemType::F16) => {
            result.into_iter().collect()
        }
        (_, Origin::Outside | Origin::Elements(_) | Origin::Bytes(_) | Origin::Variable(_)) => vec![],
        (Op::Map { kind, common, saturate: false, operands }, _)
            // A negation is different: it becomes an operand modifier of a move, which flushes.
            if *kind == MapKind::Abs && facts.elem(operands[0]) == Some(*common) =>
        {
            vec![]
        }
        (Op::Map { kind: MapKind::Convert, operands, .. }, _) => {
            // The conversion from f64 to f16 goes through f32.
            let wide = facts.elem(operands[0]).is_some_and(|from| from.bytes() == 8);
            let through = wide && inst.ty.elem() == Some(ElemType::F16);
            let between = through.then(|| (ElemType::F32, operand(operands[0], facts)));
            own(operands[0]).into_iter().chain(result).chain(between).collect()
        }
        (Op::Map { common, operands, .. }, _) => {
            // An operand of another type is interpreted twice: in its own type by the conversion, and in the
            // type of the operation.
            let sources = operands.iter().filter_map(|x| own(*x));
            operands.iter().map(|x| (*common, operand(*x, facts))).chain(sources).chain(result).collect()
        }
        (Op::Reduce { common, operand: x, .. }, _) => {
            // Nothing is known about the intermediate results.
            own(*x).into_iter().chain(result).chain([(*common, None)]).collect()
        }
        (Op::Declare(..) | Op::Store(..), _) => vec![],
        (op, _) => op.operands().into_iter().filter_map(own).chain(result).collect(),
    }
}

/// The smaller exponent: both operands are multiples of its power.
fn coarser(a: Exponent, b: Exponent) -> Exponent {
    a.zip(b).map(|(a, b)| a.min(b))
}

fn constant(bits: &Bits, ty: Type) -> Exponent {
    let elem = ty.elem()?;
    if !elem.is_float() {
        return Some(0);
    }
    let of = |bits: u64| match elem {
        ElemType::F16 => exponent(bits, 10, 5),
        ElemType::F32 => exponent(bits, 23, 8),
        _ => exponent(bits, 52, 11),
    };
    match bits {
        Bits::Splat(bits) => Some(of(*bits)),
        Bits::Each(each) => each.iter().map(|&bits| of(bits)).min(),
    }
}

/// The exponent of the lowest set bit of a float.
fn exponent(bits: u64, mantissa: i32, exponents: u32) -> i32 {
    let fraction = bits & ((1 << mantissa) - 1);
    let biased = (bits >> mantissa & ((1 << exponents) - 1)) as i32;
    let bias = (1 << (exponents - 1)) - 1;
    match (biased, fraction) {
        // Zero is a multiple of everything.
        (0, 0) => 1 << 10,
        (0, fraction) => 1 - bias - mantissa + fraction.trailing_zeros() as i32,
        (_, 0) => biased - bias,
        (_, fraction) => biased - bias - mantissa + fraction.trailing_zeros() as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::{Case, facts_and_results};
    use crate::interpret::element;
    use crate::ops::AccessKind;

    /// Results are multiples of the power that the analysis gives.
    #[test]
    fn results_lie_on_their_grids() {
        let mut known = 0;
        for (case, exponent, results) in facts_and_results(&Grid) {
            if !case.result().is_float() {
                continue;
            }
            let Some(exponent) = exponent else { continue };
            known += 1;
            for (bits, result) in results {
                let x = f64::from_bits(element::convert(case.result(), ElemType::F64, result));
                let multiple = x == 0.0 || !x.is_finite() || lowest_bit(x) >= exponent;
                assert!(multiple, "{case:?} {bits:x?} gives {x:e}, no multiple of 2^{exponent}");
            }
        }
        assert!(known > 1000, "{known}");
    }

    fn lowest_bit(x: f64) -> i32 {
        exponent(x.to_bits(), 52, 11)
    }

    fn asked(lines: &str) -> usize {
        needed(&crate::spirv::alike::kernel(&format!(
            "%0: i32 = constant 0; %1: u8<1x16> = read #0 %0, %0; {lines} write #1 %0, %0, %9: f32<1x16>;\n"
        )))
        .len()
    }

    #[test]
    fn absolute_values_of_integers_are_multiples_of_one() {
        let lines = |kind: &str| {
            format!(
                "%2: f32<1x16> = constant 1.2676506002282294e30; %3: f32<1x16> = mul.f32 %1, %2; %4: i32<1x16> = convert %3;
                 %5: f32<1x16> = {kind} %4; %6: f32<1x16> = constant 3.8725919148493183e-26; %7: f32<1x16> = mul.f32 %5, %6;
                 %9: f32<1x16> = mul.f32 %7, %6; "
            )
        };
        assert_eq!([asked(&lines("abs.f32")), asked(&lines("convert"))], [1, 1]);
    }

    #[test]
    fn exponents_of_many_products_are_unknown() {
        let square = |n: usize| format!("%{}: f32<1x16> = mul.f32 %{}, %{}; ", n + 11, n + 10, n + 10);
        let squares: String = (0..40).map(square).collect();
        let lines = format!(
            "%10: f32<1x16> = convert %1; %2: f32<1x16> = constant 4.0; {squares} %9: f32<1x16> = add.f32 %50, %2; "
        );
        assert_eq!(asked(&lines), 0, "products of integers");
        let lines = lines.replace(
            "%10: f32<1x16> = convert %1",
            "%3: f32<1x16> = constant 0.5; %10: f32<1x16> = mul.f32 %1, %3",
        );
        assert_eq!(asked(&lines), 1);
    }

    /// An operation on floats of which nothing is known requests denormals.
    #[test]
    fn operations_ask_for_denormals() {
        for case in Case::all() {
            let mut body = case.block(&case.splats(0));
            let read = Op::Access { kind: AccessKind::MediaRead, param: 0, operands: vec![] };
            body.insts[..case.elems.len()].iter_mut().for_each(|inst| inst.op = read.clone());
            let asked = !needed(&Function::new("k", vec![], body)).is_empty();
            let of_floats = case.elems.iter().any(|elem| elem.is_float());
            let computes = match case.kind.class() {
                Class::Selection => case.result() == ElemType::F16,
                class => class != Class::Sign,
            };
            assert!(asked || !(of_floats && computes), "{case:?}");
            assert!(!asked || of_floats || case.common.is_float(), "{case:?}");
        }
    }
}
