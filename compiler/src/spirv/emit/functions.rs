//! Functions of floats.
//!
//! The hardware has instructions for them on `f32`, most of which are approximations. Correctly rounded
//! square roots are made from such an approximation, whatever its last bits are: the remainder of a guess is
//! exact in integers and says how far off the guess is, as for quotients (`divide`).

use crate::elem::ElemType;
use crate::ops::MapKind;

use super::recipe::MapOperands;
use crate::spirv::binary::Op;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};

/// Bytes of a register of Skylake.
const REGISTER: usize = 32;

impl Builder {
    /// A function of one operand by its hardware instruction. For `f16` it is computed in `f32`.
    pub(crate) fn function(&mut self, x: MapOperands) -> Val {
        let intrinsic = match x.kind {
            MapKind::Exp => Intrinsic::Exp,
            MapKind::Log => Intrinsic::Log,
            MapKind::Inv => Intrinsic::Inverse,
            MapKind::Sqrt => Intrinsic::Sqrt,
            MapKind::Rsqrt => Intrinsic::Rsqrt,
            MapKind::Sin => Intrinsic::Sin,
            MapKind::Cos => Intrinsic::Cos,
            MapKind::Rndd => Intrinsic::RoundDown,
            MapKind::Rndu => Intrinsic::RoundUp,
            MapKind::Rndz => Intrinsic::RoundToZero,
            _ => Intrinsic::RoundEven,
        };
        self.in_singles(x, |builder, [a, _, _]| builder.value(intrinsic, a.ty, &[a]))
    }

    /// A power. Its instruction differs between generations.
    pub(crate) fn power(&mut self, x: MapOperands) -> Val {
        self.in_singles(x, |builder, [a, b, _]| {
            let power = builder.value(Intrinsic::Pow, a.ty, &[a, b]);
            let (zero, one) = (builder.float(b.ty, 0.0), builder.float(b.ty, 1.0));
            let minus_one = builder.float(a.ty, -1.0);
            let known = [(b, zero), (a, one), (a, minus_one)];
            known.into_iter().fold(power, |power, (x, value)| {
                let equal = builder.op(Op::FOrdEqual, x.ty.bool(), &[x, value]);
                builder.op(Op::Select, a.ty, &[equal, one, power])
            })
        })
    }

    /// The square root, rounded to nearest.
    pub(crate) fn square_root(&mut self, x: MapOperands) -> Val {
        // Rounding the root of 24 bits to 11 bits gives the same as rounding the exact root.
        self.in_singles(x, |builder, [a, _, _]| builder.root_of_singles(a))
    }

    /// `a * b + c` of `f32`, rounded once.
    pub(crate) fn product_and_sum(&mut self, vals: [Val; 3]) -> Val {
        self.fused(MapOperands { kind: MapKind::Fma, elem: ElemType::F32, vals, known: [None; 3] })
    }

    /// A product and a sum, rounded once.
    pub(crate) fn fused(&mut self, mut x: MapOperands) -> Val {
        let added = x.vals[2];
        if added.ty.bits() == 16 && !self.halves.contains(&added.id) {
            // The compiler writes the summand of halves to the accumulator. If words make up its bits, the last
            // operation on these words gets a float as its destination, which converts them.
            x.vals[2] = self.value(Intrinsic::Max, added.ty, &[added, added]);
        }
        if self.fused_in_fours {
            x.vals = x.vals.map(|val| if self.has_fours(val) { val } else { self.apart(val) });
        }
        let (ty, count) = (x.vals[0].ty, x.vals[0].ty.count);
        if !self.fused_in_fours || count % 4 < 2 {
            let result = self.value(Intrinsic::Fma, ty, &x.vals);
            if ty.bits() == 16 {
                self.halves.insert(result.id);
            }
            return result;
        }
        let (wide, place) = (ty.times(count.next_multiple_of(4)), FixedRegion::row(0, count));
        let vals = x.vals.map(|val| {
            let zeros = self.constant(wide, 0);
            self.insert(zeros, place, val, None)
        });
        let result = self.value(Intrinsic::Fma, wide, &vals);
        self.region(result, place, count, None)
    }

    /// Whether every four elements of an operand are a region of the hardware, in the two registers that an instruction reads.
    /// If not, the compiler computes fewer of them at once, for which the hardware has no instruction.
    fn has_fours(&self, x: Val) -> bool {
        let Some(rows) = self.rows.get(&x.id) else { return true };
        let bytes = x.ty.elem_bytes();
        rows.positions.chunks(4).all(|four| {
            let (least, most) = (four.iter().min().unwrap_or(&0), four.iter().max().unwrap_or(&0));
            // Parts of other values may start with the last element of a register.
            let start = rows.whole.map_or(REGISTER - bytes, |_| least * bytes % REGISTER);
            start + (most - least) * bytes < 2 * REGISTER && is_region(four)
        })
    }

    /// Computes in `f32` instead of `f16`.
    fn in_singles(&mut self, x: MapOperands, compute: impl FnOnce(&mut Self, [Val; 3]) -> Val) -> Val {
        let ty = x.vals[0].ty;
        if ty.bits() == 32 {
            return compute(self, x.vals);
        }
        let mut vals = x.vals;
        for val in &mut vals[..x.kind.arity()] {
            *val = self.op(Op::FConvert, ty.float(32), &[*val]);
        }
        let result = compute(self, vals);
        self.op(Op::FConvert, ty, &[result])
    }

    fn root_of_singles(&mut self, x: Val) -> Val {
        let (float, ty) = (x.ty, x.ty.int(32));
        let bits = self.format(x, ty);
        let parts = self.parts(bits, ty);
        // With an even exponent, the mantissa is a number of 25 or 26 bits; its root times 2^12 has 25.
        let odd = self.with(Op::BitwiseAnd, parts.exponent, 1);
        let two = self.constant(ty, 2);
        let shift = self.int(Op::ISub, two, odd);
        let radicand = self.int(Op::ShiftLeftLogical, parts.mantissa, shift);
        let number = self.op(Op::ConvertSToF, float, &[radicand]);
        let inverse = self.value(Intrinsic::Rsqrt, float, &[number]);
        let guess = self.int(Op::FMul, number, inverse);
        let scale = self.float(float, 2f64.powi(12));
        let guess = self.int(Op::FMul, guess, scale);
        let guess = self.op(Op::ConvertFToS, ty, &[guess]);

        // The guess is off by less than 32, and the remainder of the square is less than 2^31, so its low 32
        // bits are enough.
        let all = self.with(Op::ShiftLeftLogical, radicand, 24);
        let square = self.int(Op::IMul, guess, guess);
        let left = self.int(Op::ISub, all, square);
        // Half of the remainder divided by the root is the error of the guess.
        let off = self.op(Op::ConvertSToF, float, &[left]);
        let off = self.int(Op::FMul, off, inverse);
        let scale = self.float(float, 2f64.powi(-13));
        let off = self.int(Op::FMul, off, scale);
        let off = self.value(Intrinsic::RoundEven, float, &[off]);
        let off = self.op(Op::ConvertFToS, ty, &[off]);
        let root = self.int(Op::IAdd, guess, off);
        let square = self.int(Op::IMul, root, root);
        let left = self.int(Op::ISub, all, square);
        // The error was rounded to nearest, so the remainder may be negative; then the guess is too large by
        // 1.
        let (one, none) = (self.constant(ty, 1), self.constant(ty, 0));
        let negative = self.is(Op::SLessThan, left, 0);
        let borrowed = self.choose(negative, one, none);
        let root = self.int(Op::ISub, root, borrowed);
        // The last of the 25 bits decides the rounding: a root is never halfway between two numbers.
        let root = self.with(Op::IAdd, root, 1);
        let root = self.with(Op::ShiftRightLogical, root, 1);

        // Half of the exponent, relative to 127. The hidden bit increments it.
        let exponent = self.with(Op::IAdd, parts.exponent, 1);
        let exponent = self.with(Op::ShiftRightArithmetic, exponent, 1);
        let exponent = self.with(Op::IAdd, exponent, 62);
        let exponent = self.with(Op::ShiftLeftLogical, exponent, 23);
        let result = self.int(Op::IAdd, exponent, root);

        // Numbers with a sign, and NaNs, give NaN. But zeros and infinity are their own roots.
        let beyond = self.is(Op::UGreaterThan, bits, INFINITE);
        let quiet = self.constant(ty, 0x7fc0_0000);
        let result = self.choose(beyond, quiet, result);
        let zero = self.is(Op::IEqual, parts.bits, 0);
        let infinite = self.is(Op::IEqual, bits, INFINITE);
        let own = self.op(Op::LogicalOr, ty.bool(), &[zero, infinite]);
        let result = self.choose(own, bits, result);
        self.format(result, float)
    }
}

/// The bits of infinity.
const INFINITE: u64 = 0x7f80_0000;

/// Whether the hardware has a region with four elements at these positions: two rows of two elements.
fn is_region(four: &[usize]) -> bool {
    let &[a, b, c, d] = four else { return true };
    let columns = b.checked_sub(a).filter(|step| matches!(step, 0 | 1 | 2 | 4));
    let rows = c.checked_sub(a).is_some_and(|step| matches!(step, 0 | 1 | 2 | 4 | 8 | 16 | 32));
    rows && columns.is_some() && columns == d.checked_sub(c)
}
