//! The operand and result types that each instruction may have.

use crate::spirv::binary::Op;
use crate::spirv::types::{Scalar, Ty};

/// Whether an operation may have these operand types and this result type.
pub(super) fn is_typed(op: Op, result: Ty, operands: &[Ty], literals: &[u32]) -> bool {
    let int = |ty: Ty| matches!(ty.scalar, Scalar::Int(_));
    let float = |ty: Ty| ty.scalar.is_float();
    // Stock validators refuse it. Intel's compiler copies a flag register.
    let flags = |truth: Ty, bits: Ty| {
        truth.scalar == Scalar::Bool
            && matches!(truth.count, 16 | 32)
            && bits == Ty::I32.int(truth.count as u32)
    };
    let inside = |ty: Ty| literals.iter().all(|&at| (at as usize) < ty.count);
    match (op, operands) {
        (
            Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::SDiv
            | Op::UDiv
            | Op::SRem
            | Op::UMod
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic,
            [a, b],
        ) => int(result) && *a == result && *b == result,
        (Op::SNegate | Op::Not, [x]) => int(result) && *x == result,
        (Op::FAdd | Op::FSub | Op::FMul | Op::FDiv, [a, b]) => float(result) && *a == result && *b == result,
        (Op::FNegate, [x]) => float(result) && *x == result,
        (Op::LogicalAnd | Op::LogicalOr, [a, b]) => {
            result.scalar == Scalar::Bool && *a == result && *b == result
        }
        (Op::LogicalNot, [x]) => result.scalar == Scalar::Bool && *x == result,
        (
            Op::IEqual
            | Op::INotEqual
            | Op::SLessThan
            | Op::SLessThanEqual
            | Op::SGreaterThan
            | Op::SGreaterThanEqual
            | Op::ULessThan
            | Op::ULessThanEqual
            | Op::UGreaterThan
            | Op::UGreaterThanEqual,
            [a, b],
        ) => int(*a) && a == b && result == a.bool(),
        (
            Op::FOrdEqual
            | Op::FUnordNotEqual
            | Op::FOrdLessThan
            | Op::FOrdLessThanEqual
            | Op::FOrdGreaterThan
            | Op::FOrdGreaterThanEqual,
            [a, b],
        ) => float(*a) && a == b && result == a.bool(),
        (Op::Select, [condition, a, b]) => {
            (*condition == result.bool() || *condition == Ty::BOOL) && *a == result && *b == result
        }
        (Op::UConvert | Op::SConvert, [x]) => {
            int(*x) && int(result) && x.count == result.count && x.bits() != result.bits()
        }
        (Op::FConvert, [x]) => {
            float(*x) && float(result) && x.count == result.count && x.bits() != result.bits()
        }
        (Op::ConvertSToF | Op::ConvertUToF, [x]) => int(*x) && float(result) && x.count == result.count,
        (Op::ConvertFToS | Op::ConvertFToU, [x]) => float(*x) && int(result) && x.count == result.count,
        (Op::Bitcast, [x]) => {
            let numbers = x.scalar != Scalar::Bool && result.scalar != Scalar::Bool;
            numbers && x.bytes() == result.bytes() && *x != result || flags(*x, result) || flags(result, *x)
        }
        // The compiler requires both operands to have the same type.
        (Op::VectorShuffle, [a, b]) => {
            a == b
                && a.count > 1
                && result.count > 1
                && result.scalar == a.scalar
                && literals.len() == result.count
                && literals.iter().all(|&at| (at as usize) < 2 * a.count)
        }
        (Op::CompositeExtract, [x]) => x.count > 1 && result == x.one() && literals.len() == 1 && inside(*x),
        (Op::CompositeInsert, [element, x]) => {
            x.count > 1 && *x == result && *element == x.one() && literals.len() == 1 && inside(*x)
        }
        (Op::VectorExtractDynamic, [x, at]) => x.count > 1 && result == x.one() && *at == Ty::I32,
        (Op::VectorInsertDynamic, [x, element, at]) => {
            x.count > 1 && *x == result && *element == x.one() && *at == Ty::I32
        }
        _ => false,
    }
}
