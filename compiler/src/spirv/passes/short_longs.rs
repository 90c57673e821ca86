//! 64-bit integers that fit 32 bits are computed in 32 bits: one instruction in place of several.
//!
//! The saturating functions of the language compute sums of 32-bit integers in 64 bits, so that they are exact. Mostly the
//! operands are much smaller.
//!
//! On Xe-LP, the compiler of Debian 12 also makes wrong products of a number of 16 bits and itself.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Value};
use crate::limits::DWORD;
use crate::ops::{Class, MapKind, Operand, Outcome};
use crate::simplify::{Ranges, is_short};

use super::expand::expanded;
use crate::spirv::facts::defs::Defs;

/// The kernel with shorter arithmetic; `None` if there is nothing to shorten.
pub(crate) fn shortened(function: &Function) -> Option<Function> {
    if !function.body.instructions().any(|inst| long(inst).is_some()) {
        return None;
    }
    let pass = Pass { ranges: Ranges::of(function), defs: Defs::of(function) };
    let short = pass.short(function);
    if short.is_empty() {
        return None;
    }
    // The numbers of 32 bits that were extended to these.
    let mut sources: FxHashMap<Value, Value> = FxHashMap::default();
    let body = expanded(function, |inst, insts| {
        let (Op::Map { kind, common, saturate, operands }, Some(result)) = (&inst.op, inst.result) else {
            return false;
        };
        let Some(&elem) = short.get(&result) else {
            // A conversion of what is extended here.
            let Some(source) = sources.get(&operands[0]).filter(|_| *kind == MapKind::Convert) else {
                return false;
            };
            let op = if *saturate { Op::saturate(*source, *common) } else { Op::convert(*source, *common) };
            insts.push(op, Some(result), inst.ty);
            return true;
        };
        // Of operands that are extended here, the optimiser would make a long operation again.
        let source = |x: &Value| sources.get(x).copied().unwrap_or_else(|| pass.source(*x, *common, elem));
        let mut operands: Vec<Value> = operands.iter().map(source).collect();
        for (x, rule) in operands.iter_mut().zip(kind.operands()) {
            let ty = insts.ty(*x).unwrap_or(inst.ty);
            if *rule == Operand::Own && ty.elem() != Some(elem) {
                *x = insts.emit(Op::convert(*x, elem), ty.with_elem(elem));
            }
        }
        let op = Op::map(*kind, elem, &operands);
        match inst.ty.elem() {
            Some(long) if kind.outcome() != Outcome::Mask => {
                let number = insts.emit(op, inst.ty.with_elem(kind.outcome().elem(elem)));
                sources.insert(result, number);
                insts.push(Op::convert(number, long), Some(result), inst.ty);
            }
            _ => insts.push(op, Some(result), inst.ty),
        }
        true
    });
    Some(Function { body: body.unwrap_or_default(), ..function.clone() })
}

/// The kind and the type of an operation on 64-bit integers that may give the same numbers in 32 bits.
fn long(inst: &Inst) -> Option<(MapKind, ElemType, &[Value])> {
    match &inst.op {
        Op::Map { kind, common: common @ (ElemType::I64 | ElemType::U64), saturate: false, operands }
            if is_short(*kind) && *kind != MapKind::Convert =>
        {
            Some((*kind, *common, operands))
        }
        _ => None,
    }
}

struct Pass<'a> {
    ranges: Ranges,
    defs: Defs<'a>,
}

impl Pass<'_> {
    /// The operations that give the same numbers in 32 bits, with the type.
    fn short(&self, function: &Function) -> FxHashMap<Value, ElemType> {
        let fitting =
            function.body.instructions().filter_map(|inst| Some((inst.result?, self.fitting(inst)?)));
        let mut short: FxHashMap<Value, ElemType> = fitting.collect();
        loop {
            let kept: Vec<Value> =
                short.iter().filter(|(x, elem)| !self.pays(**x, **elem, &short)).map(|(x, _)| *x).collect();
            if kept.is_empty() {
                return short;
            }
            for x in kept {
                short.remove(&x);
            }
        }
    }

    /// The type of 32 bits that has the operands and the result of a long operation.
    fn fitting(&self, inst: &Inst) -> Option<ElemType> {
        let (kind, common, operands) = long(inst)?;
        let places = matches!(kind.class(), Class::ShiftLeft | Class::ShiftRight);
        if places && !self.ranges.is_at_most(operands[1], u32::BITS as usize - 1) {
            return None;
        }
        let is_mask = kind.outcome() == Outcome::Mask;
        let numbers = || operands.iter().zip(kind.operands()).filter(|(_, rule)| **rule != Operand::Mask);
        [ElemType::I32, ElemType::U32].into_iter().find(|elem| {
            let fits = |x: Value| self.ranges.is_within(x, common, *elem);
            let signs = kind.class() != Class::Sign || elem.is_signed();
            signs && numbers().all(|(x, _)| fits(*x)) && (is_mask || inst.result.is_some_and(fits))
        })
    }

    /// Whether shorter operands cost nothing, and nobody needs the long result.
    fn pays(&self, x: Value, elem: ElemType, short: &FxHashMap<Value, ElemType>) -> bool {
        let Some((kind, common, operands)) = self.defs.get(x).and_then(long) else { return false };
        // A long product takes several instructions in any case.
        if kind == MapKind::Mul {
            return true;
        }
        let is_short =
            |x: &Value| short.contains_key(x) || self.source(*x, common, elem) != *x || self.is_short(*x);
        let used_short = |user: &&Inst| match &user.op {
            Op::Map { kind: MapKind::Convert, common, .. } => common.bytes() <= DWORD,
            _ => user.result.is_some_and(|result| short.contains_key(&result)),
        };
        operands.iter().all(is_short) && self.defs.users(x).iter().all(used_short)
    }

    /// Whether these are numbers of at most 32 bits, or constants.
    fn is_short(&self, x: Value) -> bool {
        self.defs.get(x).is_some_and(|inst| match &inst.op {
            Op::Constant(_) => true,
            Op::Splat(x) => self.is_short(*x),
            _ => inst.ty.elem().is_some_and(|elem| elem.bytes() <= DWORD),
        })
    }

    /// The numbers that were extended to these, if they also fit the shorter type.
    fn source(&self, x: Value, common: ElemType, elem: ElemType) -> Value {
        // Whether a conversion changes no number.
        let keeps = |x: Value, to: ElemType| {
            let own = self.defs.get(x).and_then(|inst| inst.ty.elem());
            own.is_some_and(|own| !own.is_float() && self.ranges.is_within(x, own, to))
        };
        match self.defs.get(x).map(|inst| (&inst.op, inst.ty.elem())) {
            Some((Op::Map { kind: MapKind::Convert, operands, .. }, Some(own)))
                if keeps(operands[0], own) && self.ranges.is_within(operands[0], common, elem) =>
            {
                operands[0]
            }
            _ => x,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::{Case, RandomNumbers};
    use crate::interpret::element::convert;
    use crate::ops::Computed;
    use crate::spirv::alike::{assert_alike, kernel};
    use crate::text::parse;

    /// The types of the operations of a kernel, without conversions, after it was shortened.
    fn types(lines: &str) -> Vec<ElemType> {
        let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
        let text = format!(
            "file 0 \"k.rs\" kernel k(s: read surface, x: i64) {{
                %90: i32 = constant 0 @0:1:1
                %91: i16<1x4> = read #0 %90, %90 @0:1:1
                %92: u16<1x4> = read #0 %90, %90 @0:1:1
                %93: i32<1x4> = read #0 %90, %90 @0:1:1
                %94: i64 = argument #1 @0:1:1
                {lines} }}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = shortened(&function).unwrap_or(function);
        let ty = |op: &Op| match op {
            Op::Map { kind, common, .. } if *kind != MapKind::Convert => Some(*common),
            _ => None,
        };
        function.body.instructions().filter_map(|inst| ty(&inst.op)).collect()
    }

    #[test]
    fn operands_that_a_conversion_changes_stay() {
        let function = kernel(
            "%0: i32 = constant 3; %1: u16<1x4> = read #0 %0, %0; %2: i8<1x4> = saturate %1;
             %3: i64<1x4> = mul.i64 %2, %1; %4: u8<1x4> = convert %1; %5: i64<1x4> = mul.i64 %4, %1;
             %6: i64<1x4> = add.i64 %3, %5; write #1 %0, %0, %6: i64<1x4>;\n",
        );
        assert_alike(&function, &shortened(&function).expect("products that fit"));
    }

    #[test]
    fn products_that_fit_are_shorter() {
        assert_eq!(types("%0: i64<1x4> = mul.i64 %91, %91;"), [ElemType::I32]);
        assert_eq!(types("%0: i64<1x4> = mul.i64 %91, %92;"), [ElemType::I32]);
        assert_eq!(types("%0: u64<1x4> = mul.u64 %92, %92;"), [ElemType::U32]);
        assert_eq!(types("%1: i64<1x4> = saturate %91; %0: i64<1x4> = mul.i64 %1, %91;"), [ElemType::I32]);
        assert_eq!(types("%0: i64<1x4> = mul.i64 %91, %93;"), [ElemType::I64]);
        assert_eq!(types("%1: u64<1x4> = convert %91; %0: u64<1x4> = mul.u64 %1, %92;"), [ElemType::U64]);
        assert_eq!(types("%1: i64<1x4> = splat %94; %0: i64<1x4> = mul.i64 %1, %91;"), [ElemType::I64]);
    }

    #[test]
    fn sums_that_are_converted_are_shorter() {
        let saturated = |sum: &str| types(&format!("{sum}; %9: u8<1x4> = saturate %0;"));
        assert_eq!(saturated("%0: i64<1x4> = add.i64 %91, %92"), [ElemType::I32]);
        assert_eq!(saturated("%0: i64<1x4> = sub.i64 %92, %91"), [ElemType::I32]);
        assert_eq!(saturated("%0: i64<1x4> = add.i64 %93, %92"), [ElemType::I64], "33 bits");
        assert_eq!(saturated("%1: i64<1x4> = convert %91; %0: i64<1x4> = neg %1"), [ElemType::I32]);
        let chain = "%1: i64<1x4> = add.i64 %91, %92; %0: i64<1x4> = max.i64 %1, %92";
        assert_eq!(saturated(chain), [ElemType::I32; 2]);
        assert_eq!(
            types("%0: i64<1x4> = add.i64 %91, %92; %1: u16<1x4> = lt.i64 %0, %92;"),
            [ElemType::I32; 2]
        );
    }

    #[test]
    fn sums_that_stay_long_are_long() {
        let sum = "%0: i64<1x4> = add.i64 %91, %92;";
        assert_eq!(types(sum), [ElemType::I32], "nobody needs it");
        assert_eq!(types(&format!("{sum} %1: i64<1x2> = region %0[0| 2, 2, 1];")), [ElemType::I64]);
        assert_eq!(types(&format!("{sum} %1: i64<1x4> = add.i64 %0, %94;")), [ElemType::I64; 2]);
        let small = "%1: i64<1x4> = splat %94; %2: i64 = constant 3; %3: i64<1x4> = and.i64 %1, %2; ";
        assert_eq!(types(&format!("{small} %0: i64<1x4> = add.i64 %3, %3;")), [ElemType::I64; 2]);
    }

    /// What is computed in a shorter type is the same number.
    #[test]
    fn shorter_operations_give_the_same_numbers() {
        let (mut numbers, mut count) = (RandomNumbers::new(), 0);
        for case in Case::all() {
            let operands = numbers.operands(&case, 4);
            let function = Function::new("k", vec![], case.block(&operands));
            let Some(short) = shortened(&function) else { continue };
            let computed = short.body.insts.iter().find_map(|inst| match inst.op {
                Op::Map { kind, common, .. } if Computed::Map(kind, false) == case.kind => {
                    Some((kind, common))
                }
                _ => None,
            });
            let (kind, common) = computed.expect("the operation");
            count += 1;
            let mut other = Case { common, ..case.clone() };
            let own = |n: usize| kind.operands()[n] == Operand::Own;
            for n in (0..other.elems.len()).filter(|n| own(*n)) {
                other.elems[n] = common;
            }
            for bits in case.samples(&operands) {
                let number = |case: &Case, bits: &[u64]| case.result().integer(case.evaluate(bits));
                let own = bits.iter().enumerate().map(|(n, x)| convert(case.elems[n], other.elems[n], *x));
                let own: Vec<u64> = own.collect();
                assert_eq!(number(&case, &bits), number(&other, &own), "{case:?} in {common}: {bits:x?}");
            }
        }
        assert!(count > 50, "{count}");
    }
}
