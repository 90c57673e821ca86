//! Integers that are multiplied by a float and truncated to an integer again, such as
//! `(sum * 0.111f32).convert::<u8>()`.
//!
//! If the range of the integer is known, one integer multiplication may give the same result: by the float in
//! units of 2^-24, where the highest byte of the product is the integer part (for 16-bit results: units of
//! 2^-16, and the upper word). Every integer of the range is tried to check this.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Region, Type, Value};
use crate::ops::MapKind;

use super::expand::expanded;
use crate::simplify::Ranges;

/// The largest integer for which this is checked.
const LARGEST: u32 = 1 << 16;

/// The kernel with integer products in place of such float products; `None` if there are none.
pub(crate) fn expand(function: &Function) -> Option<Function> {
    let products = Products::of(function);
    if products.0.is_empty() {
        return None;
    }
    let body = expanded(function, |inst, insts| {
        let Some(result) = inst.result else { return false };
        let Some(product) = products.get(result) else { return products.leave_out(result) };
        let Some(x) = insts.ty(product.x) else { return false };
        let (last, ty) = product.spelt(product.x, x, inst.ty, |op, ty| insts.emit(op, ty));
        insts.push(last, Some(result), ty);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// The products of a kernel that can be integer products, by their truncated results.
#[derive(Debug)]
pub(crate) struct Products(FxHashMap<Value, Product>);

impl Products {
    /// The products of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let pass = Pass::of(function);
        let instructions = function.body.instructions();
        Self(instructions.filter_map(|inst| Some((inst.result?, pass.product(inst)?))).collect())
    }

    /// The product that this conversion truncates.
    pub(crate) fn get(&self, converted: Value) -> Option<&Product> {
        self.0.get(&converted)
    }

    /// Whether this float product is no longer used.
    pub(crate) fn leave_out(&self, float: Value) -> bool {
        self.0.values().any(|product| product.alone && product.float == float)
    }
}

/// The facts about a kernel.
struct Pass<'a> {
    values: FxHashMap<Value, &'a Inst>,
    uses: FxHashMap<Value, usize>,
    ranges: Ranges,
}

/// A product that can be computed with integers.
#[derive(Debug)]
pub(crate) struct Product {
    /// The integer.
    pub(crate) x: Value,
    /// The integer factor.
    factor: u32,
    /// The float product.
    float: Value,
    /// Whether the float product has no other use.
    alone: bool,
}

impl<'a> Pass<'a> {
    fn of(function: &'a Function) -> Self {
        let (mut values, mut uses) = (FxHashMap::default(), FxHashMap::default());
        for inst in function.body.instructions() {
            values.extend(inst.result.map(|result| (result, inst)));
            for operand in inst.op.operands() {
                *uses.entry(operand).or_insert(0) += 1;
            }
        }
        Self { values, uses, ranges: Ranges::of(function) }
    }

    fn product(&self, inst: &Inst) -> Option<Product> {
        let Op::Map { kind: MapKind::Convert, operands, .. } = &inst.op else { return None };
        let elem = inst.ty.elem().filter(|elem| !elem.is_float() && elem.bytes() <= 2)?;
        let float = operands[0];
        let Op::Map { kind: MapKind::Mul, common: ElemType::F32, saturate: false, operands } =
            &self.values.get(&float)?.op
        else {
            return None;
        };
        let (x, by) = match (self.number(operands[0]), self.number(operands[1])) {
            (None, Some(by)) => (operands[0], by),
            (Some(by), None) => (operands[1], by),
            _ => return None,
        };
        let x = self.integer(x).filter(|x| self.values[x].ty.count() == inst.ty.count())?;
        let range = self.ranges.integers(x).filter(|range| *range.end() <= LARGEST)?;
        let factor = factor(range, by, elem)?;
        Some(Product { x, factor, float, alone: self.uses.get(&float) == Some(&1) })
    }

    /// The float that all elements of a value are equal to.
    fn number(&self, value: Value) -> Option<f32> {
        let inst = self.values.get(&value)?;
        match (&inst.op, inst.ty.elem()) {
            (Op::Constant(Bits::Splat(bits)), Some(ElemType::F32)) => Some(f32::from_bits(*bits as u32)),
            (Op::Splat(x), _) => self.number(*x),
            _ => None,
        }
    }

    /// The integer that a value was converted from, or the value itself.
    fn integer(&self, value: Value) -> Option<Value> {
        let inst = self.values.get(&value)?;
        match (&inst.op, inst.ty.elem()?) {
            (Op::Map { kind: MapKind::Convert, saturate: false, operands, .. }, ElemType::F32) => {
                self.integer(operands[0])
            }
            (_, elem) => (!elem.is_float()).then_some(value),
        }
    }
}

impl Product {
    /// Emits the product of `x`, which is the integer in any form, as elements of `ty`, except for the last
    /// instruction, which it returns.
    pub(crate) fn spelt(
        &self,
        x: Value,
        form: Type,
        ty: Type,
        mut emit: impl FnMut(Op, Type) -> Value,
    ) -> (Op, Type) {
        let bytes = ty.elem().map_or(1, ElemType::bytes);
        let dwords = form.with_elem(ElemType::U32);
        let factor = emit(Op::Constant(Bits::Splat(u64::from(self.factor))), dwords);
        let product = emit(Op::map(MapKind::Mul, ElemType::U32, &[x, factor]), dwords);
        let parts = 4 / bytes;
        let all = Type { rows: 1, columns: form.count() * parts, ..ty };
        let all = emit(Op::Format(product), all);
        let upper = Region {
            offset: parts - 1,
            dynamic: None,
            row_stride: form.columns * parts,
            width: form.columns,
            column_stride: parts,
        };
        (Op::Region(all, upper), Type { rows: form.rows, columns: form.columns, ..ty })
    }
}

/// The integer factor for a range: for each integer of the range, the upper part of the product, as wide as
/// `to`, must equal the truncated product with the float.
fn factor(range: RangeInclusive<u32>, by: f32, to: ElemType) -> Option<u32> {
    let one = 1u64 << (32 - 8 * to.bytes());
    // Every factor from `low` to below `high` is correct.
    let (mut low, mut high) = (0, u64::MAX);
    let highest = to.range()?.1;
    for x in range {
        let cut = (x as f32 * by) as i64;
        if cut < 0 || i128::from(cut) > highest {
            return None;
        }
        let cut = cut as u64;
        match u64::from(x) {
            0 => {}
            x => {
                low = low.max((cut * one).div_ceil(x));
                high = high.min(((cut + 1) * one).div_ceil(x));
            }
        }
    }
    // The product is below 2^32, because its upper part fits `to`.
    (low < high).then(|| u32::try_from(low).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_gives_what_floats_are_cut_off_to() {
        let (mut found, mut state) = (0, 1u32);
        for n in 0..400 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let by = [0.111f32, 1.0 / 3.0, 0.5, 255.0, 1e-9, (state >> 8) as f32 / 1e7][n % 6];
            let last = state >> 16 & 0xffff;
            for to in [ElemType::U8, ElemType::I8, ElemType::U16, ElemType::I16] {
                let Some(factor) = factor(0..=last, by, to) else { continue };
                found += 1;
                for x in 0..=last {
                    let (upper, cut) = (x.wrapping_mul(factor) >> (32 - 8 * to.bytes()), x as f32 * by);
                    let cut = match to {
                        ElemType::U8 => u32::from(cut as u8),
                        ElemType::I8 => cut as i8 as u32,
                        ElemType::U16 => u32::from(cut as u16),
                        _ => cut as i16 as u32,
                    };
                    assert_eq!(upper, cut, "{x} * {by} as {to}");
                }
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn there_is_no_factor_for_what_is_limited_or_negative() {
        assert_eq!(factor(0..=2295, 0.111, ElemType::U8), Some(1_862_271));
        assert_eq!(factor(0..=2297, 0.111, ElemType::I8), None);
        assert_eq!(factor(0..=2310, 0.111, ElemType::U8), None);
        assert_eq!(factor(1..=9, -0.5, ElemType::U8), None);
        assert_eq!(factor(0..=9, f32::NAN, ElemType::U8), Some(0));
        assert_eq!(factor(0..=9, f32::INFINITY, ElemType::U8), None);
    }
}
