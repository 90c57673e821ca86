//! Sums of products of bytes, as in a row of a matrix times a vector: one instruction for each four products, if the
//! target has dot products of bytes. The sum wraps, so the order of its terms does not matter.

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Type, Value};
use crate::limits::DWORD;
use crate::ops::MapKind;

use super::expand::expanded;
use crate::spirv::facts::defs::{Defs, converted};
use crate::spirv::target::{Instruction, Target};

/// The fewest products for which this is shorter.
const LEAST_PRODUCTS: usize = 16;

/// The kernel with dot products; `None` if there are no such sums, or if the target has no dot products.
pub(crate) fn expand(function: &Function, target: Target) -> Option<Function> {
    if !target.has(Instruction::ByteDot) {
        return None;
    }
    let defs = Defs::of(function);
    function.body.instructions().find(|inst| summed(&defs, inst).is_some())?;
    let body = expanded(function, |inst, insts| {
        let Some(Sum { kind, factors, count, common }) = summed(&defs, inst) else { return false };
        let ty = Type::new(ElemType::U32, 1, count / DWORD);
        let [a, b] = factors.map(|bytes| insts.emit(Op::Format(bytes), ty));
        let dots = insts.map(kind, ElemType::U32, &[a, b], ty);
        insts.push(Op::Reduce { kind: MapKind::Add, common, operand: dots }, inst.result, inst.ty);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// A sum of the products of the bytes of two registers.
struct Sum {
    /// The dot product of dwords.
    kind: MapKind,
    factors: [Value; 2],
    /// The number of products.
    count: usize,
    /// The type of the sum.
    common: ElemType,
}

/// What a reduction adds.
fn summed(defs: &Defs<'_>, inst: &Inst) -> Option<Sum> {
    let Op::Reduce { kind: MapKind::Add, common, operand } = inst.op else { return None };
    let product = defs.get(operand)?;
    let Op::Map { kind: MapKind::Mul, common: own, saturate: false, operands } = &product.op else {
        return None;
    };
    let &[a, b] = &operands[..] else { return None };
    let [(a, first), (b, second)] = [bytes(defs, a, *own)?, bytes(defs, b, *own)?];
    // The hardware multiplies bytes of the same signedness.
    let kind = match (first.is_signed(), second.is_signed()) {
        (false, false) => MapKind::DotUu,
        (true, true) => MapKind::DotSs,
        _ => return None,
    };
    // Such products fit in words of the same signedness.
    let whole = own.bytes() == DWORD || own.bytes() == 2 && own.is_signed() == first.is_signed();
    let count = product.ty.count();
    let alike = [a, b].iter().all(|x| defs.get(*x).is_some_and(|inst| inst.ty.count() == count));
    let dwords = !common.is_float() && common.bytes() == DWORD && count.is_multiple_of(DWORD);
    (whole && alike && dwords && count >= LEAST_PRODUCTS).then_some(Sum {
        kind,
        factors: [a, b],
        count,
        common,
    })
}

/// The bytes that a factor in this type is, perhaps extended.
fn bytes(defs: &Defs<'_>, x: Value, own: ElemType) -> Option<(Value, ElemType)> {
    let inst = defs.get(x)?;
    match (inst.ty.elem()?, converted(inst)) {
        (elem @ (ElemType::U8 | ElemType::I8), _) => Some((x, elem)),
        (elem, Some((of, _))) => {
            let from = defs.get(of)?.ty.elem()?;
            // The bits of the product see no other sign.
            let kept = !from.is_signed() || elem.is_signed() || elem.bytes() >= own.bytes();
            let longer = !from.is_float() && from.bytes() < elem.bytes();
            bytes(defs, of, own).filter(|_| kept && longer)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The dot products of a sum of these lines, which make `%20`.
    fn dots(lines: &str) -> Vec<MapKind> {
        let function = kernel(&format!(
            "%0: i32 = constant 0; %1: u8<2x32> = read #0 %0, %0; %2: i32 = constant 5; %3: i8<2x32> = read #0 %2, %2;
             %4: i8<2x32> = convert %1; {lines} %21: i32 = convert %20; write #1 %0, %0, %21: i32;\n"
        ));
        assert_eq!(expand(&function, Target::Gen9), None);
        let Some(expanded) = expand(&function, Target::XeLp) else { return vec![] };
        assert_alike(&function, &expanded);
        let dot = |inst: &Inst| match inst.op {
            Op::Map { kind: kind @ (MapKind::DotUu | MapKind::DotSs), .. } => Some(kind),
            _ => None,
        };
        expanded.body.instructions().filter_map(dot).collect()
    }

    #[test]
    fn sums_of_products_of_bytes_are_dot_products() {
        let signed = "%5: i32<2x32> = mul.i32 %3, %4; %20: i32 = reduce add.i32 %5;";
        assert_eq!(dots(signed), [MapKind::DotSs]);
        assert_eq!(dots(&signed.replace("%3, %4", "%1, %1")), [MapKind::DotUu]);
        assert_eq!(
            dots(&signed.replace("5: i32<2x32> = mul.i32", "5: i16<2x32> = mul.i16")),
            [MapKind::DotSs]
        );
        let words = "%5: u16<2x32> = convert %1; %6: u32<2x32> = convert %5; %7: u32<2x32> = mul.u32 %6, %5;
            %20: u32 = reduce add.u32 %7;";
        assert_eq!(dots(words), [MapKind::DotUu]);
    }

    #[test]
    fn other_sums_are_left() {
        let signed = "%5: i32<2x32> = mul.i32 %3, %4; %20: i32 = reduce add.i32 %5;";
        assert_eq!(dots(&signed.replace("%3, %4", "%3, %1")), [], "of both signs");
        assert_eq!(dots(&signed.replace("5: i32<2x32> = mul.i32", "5: u16<2x32> = mul.u16")), [], "wraps");
        assert_eq!(dots(&signed.replace("reduce add", "reduce max")), [], "no sum");
        let few = "%5: i8<1x8> = region %3[0| 8, 8, 1]; %6: i32<1x8> = mul.i32 %5, %5; %20: i32 = reduce add.i32 %6;";
        assert_eq!(dots(few), [], "few products");
        let cut = "%5: u16<2x32> = convert %3; %6: i32<2x32> = mul.i32 %5, %3; %20: i32 = reduce add.i32 %6;";
        assert_eq!(dots(cut), [], "another sign");
    }
}
