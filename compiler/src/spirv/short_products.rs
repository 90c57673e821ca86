//! Products of 64-bit integers that fit 32 bits are computed in 32 bits: one instruction in place of several.
//!
//! On Xe-LP, the compiler of Debian 12 also makes wrong products of a number of 16 bits and itself.

use crate::elem::ElemType;
use crate::ir::{Function, Op, Value};
use crate::ops::MapKind;
use crate::simplify::Ranges;

use super::defs::Defs;
use super::expand::expanded;

/// The kernel with shorter products; `None` if there is nothing to shorten.
pub(super) fn shortened(function: &Function) -> Option<Function> {
    let is_long = |op: &Op| {
        matches!(
            op,
            Op::Map { kind: MapKind::Mul, common: ElemType::I64 | ElemType::U64, saturate: false, .. }
        )
    };
    if !function.body.instructions().any(|inst| is_long(&inst.op)) {
        return None;
    }
    let (ranges, defs, mut changed) = (Ranges::of(function), Defs::of(function), false);
    let body = expanded(function, |inst, insts| {
        let (Op::Map { common, operands, .. }, Some(result), true) =
            (&inst.op, inst.result, is_long(&inst.op))
        else {
            return false;
        };
        let fits =
            |elem: &ElemType| operands.iter().chain([&result]).all(|x| ranges.is_within(*x, *common, *elem));
        let Some(elem) = [ElemType::I32, ElemType::U32].into_iter().find(fits) else { return false };
        // Whether a conversion changes no number.
        let keeps = |x: Value, to: ElemType| {
            let own = defs.get(x).and_then(|inst| inst.ty.elem());
            own.is_some_and(|own| ranges.is_within(x, own, to))
        };
        // Of operands that are extended here, the optimiser would make a long product again.
        let short = |x: &Value| match defs.get(*x).map(|inst| (&inst.op, inst.ty.elem())) {
            Some((Op::Map { kind: MapKind::Convert, operands, .. }, Some(own)))
                if keeps(operands[0], own) && ranges.is_within(operands[0], *common, elem) =>
            {
                operands[0]
            }
            _ => *x,
        };
        let operands: Vec<Value> = operands.iter().map(short).collect();
        let product = insts.emit(Op::map(MapKind::Mul, elem, &operands), inst.ty.with_elem(elem));
        insts.push(Op::convert(product, *common), Some(result), inst.ty);
        changed = true;
        true
    });
    changed.then(|| Function { body: body.unwrap_or_default(), ..function.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::alike::{assert_alike, kernel};
    use super::*;
    use crate::text::parse;

    /// The types of the products of a kernel after it was shortened.
    fn products(lines: &str) -> Vec<ElemType> {
        let lines = lines.replace(';', " @0:1:1\n");
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
        let product = |op: &Op| match op {
            Op::Map { kind: MapKind::Mul, common, .. } => Some(*common),
            _ => None,
        };
        function.body.instructions().filter_map(|inst| product(&inst.op)).collect()
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
        assert_eq!(products("%0: i64<1x4> = mul.i64 %91, %91;"), [ElemType::I32]);
        assert_eq!(products("%0: i64<1x4> = mul.i64 %91, %92;"), [ElemType::I32]);
        assert_eq!(products("%0: u64<1x4> = mul.u64 %92, %92;"), [ElemType::U32]);
        assert_eq!(products("%1: i64<1x4> = saturate %91; %0: i64<1x4> = mul.i64 %1, %91;"), [ElemType::I32]);
        assert_eq!(products("%0: i64<1x4> = mul.i64 %91, %93;"), [ElemType::I64]);
        assert_eq!(products("%1: u64<1x4> = convert %91; %0: u64<1x4> = mul.u64 %1, %92;"), [ElemType::U64]);
        assert_eq!(products("%1: i64<1x4> = splat %94; %0: i64<1x4> = mul.i64 %1, %91;"), [ElemType::I64]);
    }
}
