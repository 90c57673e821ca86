//! The recipe of each element-wise operation on a target, one row each: a SPIR-V instruction, an intrinsic of
//! Intel's compiler, an expansion into several instructions, or an error with its remedy if the target lacks
//! the operation.

use crate::elem::ElemType;
use crate::ops::MapKind;
use crate::spirv::binary::Op;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::target::{Instruction, Target};

/// How an operation is lowered. Comparisons give truth values.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    /// One instruction of SPIR-V.
    Core(Op),
    /// One call of an intrinsic of Intel's compiler.
    Intrinsic(Intrinsic),
    /// Several instructions.
    Expansion(fn(&mut Builder, MapOperands) -> Val),
    /// A conversion: several instructions, which depend on the type and the hazards of the operand.
    Conversion,
    /// The target lacks the operation.
    Missing(Missing),
}

/// A feature that a target lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Missing {
    /// The missing feature.
    pub(crate) what: String,
    /// What the user can do instead.
    pub(crate) remedy: &'static str,
}

/// The bits of all elements of an operand, if they are known and equal.
pub(crate) type Known = Option<u64>;

/// An operation with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapOperands {
    pub(crate) kind: MapKind,
    /// The type of the computation.
    pub(crate) elem: ElemType,
    /// Operands with elements of that type; masks are truth values. The last operand is repeated to fill the
    /// array.
    pub(crate) vals: [Val; 3],
    /// The known bits of each operand.
    pub(crate) known: [Known; 3],
}

impl MapOperands {
    /// `None` if the number of operands does not match the kind.
    pub(crate) fn new(kind: MapKind, elem: ElemType, operands: &[(Val, Known)]) -> Option<Self> {
        let last = operands.last().filter(|_| operands.len() == kind.arity())?;
        let (mut vals, mut known) = ([last.0; 3], [None; 3]);
        for (n, (val, bits)) in operands.iter().enumerate() {
            (vals[n], known[n]) = (*val, *bits);
        }
        Some(Self { kind, elem, vals, known })
    }

    /// The operands without repetitions.
    pub(crate) fn vals(&self) -> &[Val] {
        &self.vals[..self.kind.arity()]
    }
}

/// The error for element types that a target cannot compute with.
pub(crate) fn missing(elem: ElemType, target: Target) -> Option<Missing> {
    (elem == ElemType::F64 && !target.has_f64()).then(|| Missing {
        what: "there is no f64".into(),
        remedy: "compute in f32; unsuffixed float literals are f64, so write 0.5f32",
    })
}

/// The recipe of an operation in a type.
pub(crate) fn recipe(kind: MapKind, elem: ElemType, saturate: bool, target: Target) -> Recipe {
    use MapKind as K;
    if let Some(missing) = missing(elem, target) {
        return Recipe::Missing(missing);
    }
    if saturate && !kind.saturates() {
        return Recipe::Missing(Missing {
            what: format!("there is no `{}` of {elem} that saturates", kind.name()),
            remedy: "compute in a wider type and saturate when converting",
        });
    }
    let (float, bytes) = (elem.is_float(), elem.bytes());
    let integer = |signed, unsigned| if elem.is_signed() { signed } else { unsigned };
    let core =
        |of_floats, signed, unsigned| Recipe::Core(if float { of_floats } else { integer(signed, unsigned) });
    match kind {
        K::Convert => Recipe::Conversion,
        K::Neg => core(Op::FNegate, Op::SNegate, Op::SNegate),
        K::Not => Recipe::Core(Op::Not),
        K::Add => core(Op::FAdd, Op::IAdd, Op::IAdd),
        K::Sub => core(Op::FSub, Op::ISub, Op::ISub),
        K::Mul => core(Op::FMul, Op::IMul, Op::IMul),
        K::Div if float => Recipe::Expansion(Builder::float_divide),
        // The compiler divides only dwords.
        K::Div | K::Rem if bytes < 4 => Recipe::Expansion(Builder::narrow_divide),
        K::Div | K::Rem if bytes == 8 => Recipe::Expansion(Builder::wide_divide),
        K::Div => Recipe::Expansion(Builder::integer_divide),
        K::Rem => Recipe::Expansion(Builder::integer_remainder),
        K::And => Recipe::Core(Op::BitwiseAnd),
        K::Or => Recipe::Core(Op::BitwiseOr),
        K::Xor => Recipe::Core(Op::BitwiseXor),
        K::Shl | K::Shr => Recipe::Expansion(Builder::shift),
        K::Min | K::Max => Recipe::Expansion(Builder::pick_ordered),
        K::Abs if float || elem.is_signed() => Recipe::Expansion(Builder::size),
        K::Abs => Recipe::Expansion(|_, x| x.vals[0]),
        K::AddSat | K::SubSat => Recipe::Expansion(Builder::limited_sum),
        K::ShlSat => Recipe::Expansion(Builder::limited_shift),
        K::Exp | K::Log | K::Inv | K::Sqrt | K::Rsqrt | K::Sin | K::Cos => {
            Recipe::Expansion(Builder::function)
        }
        K::Rndd | K::Rndu | K::Rnde | K::Rndz => Recipe::Expansion(Builder::function),
        K::Pow => Recipe::Expansion(Builder::power),
        K::Lzd => Recipe::Intrinsic(Intrinsic::LeadingZeros),
        K::Cbit => Recipe::Intrinsic(Intrinsic::CountBits),
        K::Fbl => Recipe::Intrinsic(Intrinsic::LowestBit),
        K::Fbh if elem.is_signed() => Recipe::Intrinsic(Intrinsic::HighestSignBit),
        K::Fbh => Recipe::Intrinsic(Intrinsic::HighestBit),
        K::BfReverse => Recipe::Intrinsic(Intrinsic::ReverseBits),
        K::DotUu | K::DotUs | K::DotSu | K::DotSs if target.has(Instruction::ByteDot) => {
            Recipe::Expansion(Builder::byte_dot_alone)
        }
        K::DotUu | K::DotUs | K::DotSu | K::DotSs => Recipe::Expansion(Builder::dot),
        K::Fma => Recipe::Expansion(Builder::fused),
        K::BfExtract => Recipe::Expansion(Builder::field),
        K::Rol | K::Ror if rotates(bytes, target) => Recipe::Expansion(Builder::rotated),
        K::Rol | K::Ror => Recipe::Expansion(Builder::rotation),
        K::SqrtIeee => Recipe::Expansion(Builder::square_root),
        K::Avg => Recipe::Expansion(average),
        K::Lt => core(Op::FOrdLessThan, Op::SLessThan, Op::ULessThan),
        K::Le => core(Op::FOrdLessThanEqual, Op::SLessThanEqual, Op::ULessThanEqual),
        K::Gt => core(Op::FOrdGreaterThan, Op::SGreaterThan, Op::UGreaterThan),
        K::Ge => core(Op::FOrdGreaterThanEqual, Op::SGreaterThanEqual, Op::UGreaterThanEqual),
        K::Eq => core(Op::FOrdEqual, Op::IEqual, Op::IEqual),
        // NaN differs from every number.
        K::Ne => core(Op::FUnordNotEqual, Op::INotEqual, Op::INotEqual),
        K::Merge => Recipe::Core(Op::Select),
    }
}

/// Whether a target has an instruction that rotates elements of this size.
fn rotates(bytes: usize, target: Target) -> bool {
    let rotations = [Instruction::Rotation, Instruction::LongRotation];
    rotations.into_iter().any(|rotation| rotation.bytes().contains(&bytes) && target.has(rotation))
}

/// The common bits plus half of the differing bits, rounded up.
fn average(builder: &mut Builder, MapOperands { elem, vals: [a, b, _], .. }: MapOperands) -> Val {
    let shift = if elem.is_signed() { Op::ShiftRightArithmetic } else { Op::ShiftRightLogical };
    let (either, one) = (builder.op(Op::BitwiseOr, a.ty, &[a, b]), builder.constant(a.ty, 1));
    let different = builder.op(Op::BitwiseXor, a.ty, &[a, b]);
    let half = builder.op(shift, a.ty, &[different, one]);
    builder.op(Op::ISub, a.ty, &[either, half])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::types::Ty;

    #[test]
    fn what_a_target_lacks_has_a_remedy() {
        for &kind in MapKind::ALL {
            for elem in ElemType::ALL.iter().copied().filter(|elem| kind.domain().contains(*elem)) {
                for &target in Target::ALL {
                    let lacks = matches!(recipe(kind, elem, false, target), Recipe::Missing(_));
                    assert_eq!(lacks, elem == ElemType::F64 && !target.has_f64(), "{kind:?} {elem} {target}");
                }
                let Recipe::Missing(missing) = recipe(kind, elem, true, Target::Gen9) else {
                    assert!(kind.saturates());
                    continue;
                };
                assert!(missing.what.contains(kind.name()) && missing.what.contains(elem.name()));
            }
        }
    }

    #[test]
    fn an_intrinsic_is_called_with_the_operands() {
        let mut builder = Builder::new();
        let ty = Ty::I32.float(32).times(8);
        let x = builder.constant(ty, 0);
        let operands = MapOperands::new(MapKind::Add, ElemType::F32, &[(x, None); 2]).unwrap();
        let result = builder.make(&Recipe::Intrinsic(Intrinsic::Max), operands);
        assert_eq!(result.map(|result| result.ty), Some(ty));
    }
}
