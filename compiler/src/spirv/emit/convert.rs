//! Conversions between element types, written so that every target gives the result of Rust's `as` or of CM's
//! `SAT`.

use crate::elem::ElemType;

use crate::spirv::binary::Op;
use crate::spirv::facts::hazard::Hazard;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

impl Builder {
    /// Rust's `as`.
    pub(crate) fn convert(&mut self, x: Val, from: ElemType, to: ElemType, hazard: Hazard) -> Val {
        let ty = Ty::new(to.into(), x.ty.count);
        let longer = to.is_float() || to.bytes() > from.bytes();
        let integer = !from.is_float() && longer;
        let misread = if from.is_signed() { hazard.opposite } else { hazard.picked };
        let x = if integer && misread { self.apart_from_longer(x) } else { x };
        match (from.is_float(), to.is_float()) {
            (false, false) => self.resize(x, from.is_signed(), ty, hazard),
            (false, true) => self.float_from(x, from, ty, hazard),
            (true, false) => self.int_from(x, to),
            (true, true) => self.between_floats(x, ty),
        }
    }

    /// CM's `SAT`.
    pub(crate) fn saturate(&mut self, x: Val, from: ElemType, to: ElemType, hazard: Hazard) -> Val {
        if to.is_float() {
            let x = self.convert(x, from, to, hazard);
            let (zero, one) = (self.float(x.ty, 0.0), self.float(x.ty, 1.0));
            // NaN and -0.0 become 0.
            let below = self.op(Op::FOrdLessThan, x.ty.bool(), &[x, one]);
            let limited = self.op(Op::Select, x.ty, &[below, x, one]);
            let above = self.op(Op::FOrdGreaterThan, x.ty.bool(), &[x, zero]);
            return self.op(Op::Select, x.ty, &[above, limited, zero]);
        }
        if from.is_float() {
            return self.convert(x, from, to, hazard);
        }
        // The number is limited in the source type and then truncated. The saturating intrinsics would be
        // shorter, but the compiler merges them into operations of the other signedness.
        let (has, wants) = (range(from), range(to));
        let signed = from.is_signed();
        // If the target lacks 64-bit integers, the compiler crashes on rows of them.
        let mut x = if x.ty.bits() == 64 && !self.long_registers { self.longs_together(x) } else { x };
        if !signed && has.1 > wants.1 {
            // Unsigned comparisons would read the number before its extension or negation.
            x = self.unsigned(x, hazard);
        }
        if signed && !to.is_signed() && x.ty.count == 1 {
            // The optimiser turns scalar sums and differences into saturating ones, and the compiler treats
            // their unsigned operands as signed.
            x = self.apart(x);
        }
        if has.0 < wants.0 {
            // Two's complement; `constant` truncates it to the type.
            let low = if to.is_signed() {
                // The optimiser turns a sum that is limited by constants into a saturating one, which crashes
                // the compiler.
                let one = self.constant(x.ty.one(), wants.0 as u64);
                let one = self.apart(one);
                self.splat(one, x.ty.count)
            } else if signed && hazard.lowered && x.ty.count > 1 {
                self.other_zeros(x.ty)
            } else {
                self.constant(x.ty, wants.0 as u64)
            };
            let op = if signed { Op::SLessThan } else { Op::ULessThan };
            let beyond = self.op(op, x.ty.bool(), &[x, low]);
            x = self.op(Op::Select, x.ty, &[beyond, low, x]);
        }
        if has.1 > wants.1 {
            let high = self.constant(x.ty, wants.1 as u64);
            let op = if signed { Op::SGreaterThan } else { Op::UGreaterThan };
            let beyond = self.op(op, x.ty.bool(), &[x, high]);
            x = self.op(Op::Select, x.ty, &[beyond, high, x]);
        }
        self.convert(x, from, to, hazard)
    }

    /// Converts to an integer type of another size.
    fn resize(&mut self, x: Val, signed: bool, ty: Ty, hazard: Hazard) -> Val {
        let result = self.resized(x, signed, ty, hazard);
        if self.picks_words && self.picked.contains(&x.id) && ty.bits() > x.ty.bits() {
            self.picked.insert(result.id);
        }
        // The optimiser moves the region before the conversion.
        self.same_rows(x, result);
        result
    }

    fn resized(&mut self, x: Val, signed: bool, ty: Ty, hazard: Hazard) -> Val {
        let (has, wants) = (x.ty.bits(), ty.bits());
        if has == wants {
            return x;
        }
        if has > wants {
            let x = self.whole_selection(x, wants);
            // If the target lacks 64-bit integers, the compiler crashes on rows of them.
            let x = if has == 64 && !self.long_registers { self.longs_together(x) } else { x };
            // Truncation is the same for signed and unsigned numbers. The optimiser makes it a region.
            let cut = self.op(Op::UConvert, ty, &[x]);
            self.cut.insert(cut.id);
            if wants == 8 {
                self.low_bytes.insert(cut.id);
            }
            if self.skewed.contains(&x.id) {
                self.skewed.insert(cut.id);
            }
            return cut;
        }
        if signed {
            return self.op(Op::SConvert, ty, &[x]);
        }
        if let Some(&words) = self.words.get(&x.id) {
            return if words.ty == ty { words } else { self.op(Op::UConvert, ty, &[words]) };
        }
        if hazard.has_sign() {
            // Insert the elements between zeros: the compiler turns anything written with extensions or masks
            // into an extension again.
            let parts = (wants / has) as usize;
            let zeros = self.constant(x.ty.times(x.ty.count * parts), 0);
            let low = FixedRegion {
                offset: 0,
                row_stride: x.ty.count * parts,
                width: x.ty.count,
                column_stride: parts,
            };
            let wide = self.insert(zeros, low, x, None);
            return self.format(wide, ty);
        }
        self.op(Op::UConvert, ty, &[x])
    }

    fn float_from(&mut self, x: Val, from: ElemType, ty: Ty, hazard: Hazard) -> Val {
        // If the target lacks 64-bit integers, the compiler calls a function that converts four of them. It
        // crashes if the argument has two rows.
        let x = if x.ty.bits() == 64 { self.longs_together(x) } else { x };
        let picked = self.picks_words && (self.picked.contains(&x.id) || hazard.picked_byte);
        // On registers of 64 bytes, the compiler converts picked numbers to doubles one by one, and takes the first one twice.
        let picked = picked || self.long_registers && ty.bits() == 64 && self.picked.contains(&x.id);
        let x = if picked { self.apart(x) } else { x };
        if ty.bits() == 16 && x.ty.bits() >= 16 {
            // The conversion has two steps, as on the CPU.
            let single = self.float_from(x, from, ty.float(32), hazard);
            return self.between_floats(single, ty);
        }
        // No instruction converts bytes to f64.
        let narrow = x.ty.bits() < 32 && ty.bits() == 64;
        if narrow || (hazard.has_sign() && !from.is_signed() && x.ty.bits() < 32) {
            let wide = self.resize(x, from.is_signed(), x.ty.int(32), hazard);
            return self.op(Op::ConvertSToF, ty, &[wide]);
        }
        if from.is_signed() {
            return self.op(Op::ConvertSToF, ty, &[x]);
        }
        if !hazard.has_sign() {
            return self.op(Op::ConvertUToF, ty, &[x]);
        }
        let (zero, one) = (self.constant(x.ty, 0), self.constant(x.ty, 1));
        if x.ty.bits() == 32 && ty.bits() == 64 {
            // The conversion and the sum are exact.
            let signed = self.op(Op::ConvertSToF, ty, &[x]);
            let more = self.float(ty, 2f64.powi(32));
            let more = self.op(Op::FAdd, ty, &[signed, more]);
            let high = self.op(Op::SLessThan, x.ty.bool(), &[x, zero]);
            return self.op(Op::Select, ty, &[high, more, signed]);
        }
        // Avoid the unsigned conversion: halve a number whose highest bit is set, and keep the lost bit for
        // the rounding.
        let half = self.op(Op::ShiftRightLogical, x.ty, &[x, one]);
        let sticky = self.op(Op::BitwiseAnd, x.ty, &[x, one]);
        let half = self.op(Op::BitwiseOr, x.ty, &[half, sticky]);
        let half = self.op(Op::ConvertSToF, ty, &[half]);
        let doubled = self.op(Op::FAdd, ty, &[half, half]);
        let direct = self.op(Op::ConvertSToF, ty, &[x]);
        let high = self.op(Op::SLessThan, x.ty.bool(), &[x, zero]);
        self.op(Op::Select, ty, &[high, doubled, direct])
    }

    /// Truncates, limits to the range of the type, and turns NaN into 0.
    fn int_from(&mut self, x: Val, to: ElemType) -> Val {
        let ty = Ty::new(to.into(), x.ty.count);
        if x.ty.bits() == 16 {
            // Exact: `f32` represents every `f16`.
            let single = self.op(Op::FConvert, x.ty.float(32), &[x]);
            return self.int_from(single, to);
        }
        if ty.bits() < 32 && x.ty.bits() == 64 {
            let wide = self.int_from(x, if to.is_signed() { ElemType::I32 } else { ElemType::U32 });
            let from = if to.is_signed() { ElemType::I32 } else { ElemType::U32 };
            return self.saturate(wide, from, to, Hazard::default());
        }
        if ty.bits() <= 32 {
            // The hardware saturates like Rust's `as`. The plain conversion is undefined for numbers out of
            // range.
            return self.value(Intrinsic::truncation(to.is_signed()), ty, &[x]);
        }
        // Convert the values in range, and select the results for the others.
        let (low, high) = range(to);
        let (op, largest, smallest) = if to.is_signed() {
            (Op::ConvertFToS, self.float(x.ty, 2f64.powi(63)), self.float(x.ty, -(2f64.powi(63))))
        } else {
            (Op::ConvertFToU, self.float(x.ty, 2f64.powi(64)), self.float(x.ty, 0.0))
        };
        let below = self.op(Op::FOrdLessThan, x.ty.bool(), &[x, largest]);
        let above = self.op(Op::FOrdGreaterThanEqual, x.ty.bool(), &[x, smallest]);
        let inside = self.op(Op::LogicalAnd, x.ty.bool(), &[below, above]);
        let zero = self.float(x.ty, 0.0);
        let safe = self.op(Op::Select, x.ty, &[inside, x, zero]);
        let converted = self.op(op, ty, &[safe]);
        let (low, high) = (self.constant(ty, low as u64), self.constant(ty, high as u64));
        let too_high = self.op(Op::FOrdGreaterThanEqual, x.ty.bool(), &[x, largest]);
        let result = self.op(Op::Select, ty, &[too_high, high, converted]);
        let too_low = self.op(Op::FOrdLessThan, x.ty.bool(), &[x, smallest]);
        self.op(Op::Select, ty, &[too_low, low, result])
    }

    /// The float, or 0 if its integer is 0.
    pub(crate) fn without_fractions(&mut self, x: Val, to: ElemType) -> Val {
        let one = self.float(x.ty, 1.0);
        let mut whole = self.op(Op::FOrdGreaterThanEqual, x.ty.bool(), &[x, one]);
        if to.is_signed() {
            let minus_one = self.float(x.ty, -1.0);
            let negative = self.op(Op::FOrdLessThanEqual, x.ty.bool(), &[x, minus_one]);
            whole = self.op(Op::LogicalOr, x.ty.bool(), &[whole, negative]);
        }
        let zero = self.float(x.ty, 0.0);
        self.op(Op::Select, x.ty, &[whole, x, zero])
    }

    /// Converts a float that is known to fit.
    pub(crate) fn cut_off(&mut self, x: Val, ty: Ty) -> Val {
        // Convert to dwords first: this converts whole registers, and the bytes are taken afterwards.
        let whole = self.op(Op::ConvertFToS, ty.int(32), &[x]);
        self.op(Op::UConvert, ty, &[whole])
    }

    fn between_floats(&mut self, x: Val, ty: Ty) -> Val {
        match (x.ty.bits(), ty.bits()) {
            (64, 16) => {
                let single = self.odd_single(x);
                self.op(Op::FConvert, ty, &[single])
            }
            (16, 64) => {
                let single = self.op(Op::FConvert, x.ty.float(32), &[x]);
                self.op(Op::FConvert, ty, &[single])
            }
            (has, wants) if has == wants => x,
            _ => self.op(Op::FConvert, ty, &[x]),
        }
    }

    /// Converts `f64` to `f32` so that a second rounding gives the same as rounding the `f64` once: towards
    /// zero, then to odd if inexact. The hardware has no conversion from `f64` to `f16`.
    fn odd_single(&mut self, x: Val) -> Val {
        let (single, bits, wide) = (x.ty.float(32), x.ty.int(32), x.ty.int(64));
        let nearest = self.op(Op::FConvert, single, &[x]);
        let back = self.op(Op::FConvert, x.ty, &[nearest]);
        // Magnitudes are compared as integers, so infinity counts as too large.
        let no_sign = self.constant(wide, u64::MAX >> 1);
        let (back, exact) = (self.format(back, wide), self.format(x, wide));
        let back = self.op(Op::BitwiseAnd, wide, &[back, no_sign]);
        let exact = self.op(Op::BitwiseAnd, wide, &[exact, no_sign]);
        let inexact = self.op(Op::INotEqual, x.ty.bool(), &[back, exact]);
        let too_large = self.op(Op::UGreaterThan, x.ty.bool(), &[back, exact]);
        let nearest = self.format(nearest, bits);
        let (too_large, inexact) = (self.numbers(too_large, bits.scalar), self.numbers(inexact, bits.scalar));
        let cut = self.op(Op::ISub, bits, &[nearest, too_large]);
        let odd = self.op(Op::BitwiseOr, bits, &[cut, inexact]);
        self.format(odd, single)
    }
}

/// The smallest and largest value of an integer type.
pub(crate) fn range(elem: ElemType) -> (i128, i128) {
    elem.range().unwrap_or_default()
}
