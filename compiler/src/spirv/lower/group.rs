//! Operations on groups of neighbouring elements.
//!
//! Intel's compiler has intrinsics for few of them, and only some generations have the instructions. So the
//! element-wise part is computed for all elements at once, and sums add every second element to the next one:
//! operands of instructions may have gaps.

use crate::elem::ElemType;
use crate::ir::Value;
use crate::limits::DWORD;
use crate::ops::{GroupKind, MapKind};

use super::lowering::{Def, Lowering, Result};
use crate::spirv::binary::Op;
use crate::spirv::emit::recipe::{Recipe, recipe};
use crate::spirv::facts::hazard::{Hazard, depends_on_sign, depends_on_smallest};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::Val;

impl Lowering<'_> {
    /// An operation on groups that is computed in `elem`.
    pub(crate) fn group(&mut self, kind: GroupKind, elem: ElemType, operands: &[Value]) -> Result<Val> {
        let &[a, b] = operands else { return Err(self.malformed("operands of a group")) };
        let (width, count) = (kind.width(), self.val(a)?.ty.count);
        if self.val(b)?.ty.count != count || !count.is_multiple_of(width) {
            return Err(self.malformed("operands that are not groups"));
        }
        let groups = match kind {
            GroupKind::Sad2 => {
                let own = self.distances_in(elem, a, b)?;
                let chosen = self.hazards.value(a).chosen || self.hazards.value(b).chosen;
                let (mut a, b) = (self.compared(a, own)?, self.compared(b, own)?);
                if chosen {
                    // See `limits_chosen`.
                    a = self.builder.hidden(a);
                }
                let distances = self.distances(own, a, b)?;
                let sums = self.sums(own, distances, width)?;
                self.builder.convert(sums, own, elem, Hazard::default())
            }
            GroupKind::Dp2 | GroupKind::Dp3 | GroupKind::Dph => {
                let (products, b) = self.products(elem, a, b)?;
                let groups = count / width;
                let each = |this: &mut Self, x: Val, offset: usize| {
                    let every =
                        FixedRegion { offset, row_stride: count, width: groups, column_stride: width };
                    this.builder.region(x, every, groups, None)
                };
                let (first, second) = (each(self, products, 0), each(self, products, 1));
                let mut sum = self.single(MapKind::Add, elem, first, second)?;
                if kind != GroupKind::Dp2 {
                    let mut third = each(self, products, 2);
                    if kind == GroupKind::Dph {
                        let last = each(self, b, 3);
                        third = self.single(MapKind::Add, elem, third, last)?;
                    }
                    sum = self.single(MapKind::Add, elem, sum, third)?;
                }
                sum
            }
            GroupKind::Dp4 => {
                let (products, _) = self.products(elem, a, b)?;
                self.sums(elem, products, width)?
            }
        };
        // Repeat each result for all elements of its group.
        let repeated = FixedRegion { offset: 0, row_stride: 1, width, column_stride: 0 };
        Ok(self.builder.region(groups, repeated, count, None))
    }

    /// The products of all elements, and the second factors.
    fn products(&mut self, elem: ElemType, a: Value, b: Value) -> Result<(Val, Val)> {
        let [a, b] = [self.factors(a, elem)?, self.factors(b, elem)?];
        let products = self.single(MapKind::Mul, elem, a, b)?;
        Ok((products, b))
    }

    /// A factor, in the type of the operation.
    fn factors(&mut self, x: Value, elem: ElemType) -> Result<Val> {
        let (val, _) = self.operand(x, elem)?;
        // The compiler crashes on parts of 64-bit products with a constant.
        let constant = elem.bytes() == 8 && !elem.is_float() && self.hazards.value(x).constant;
        Ok(if constant || self.may_be_word(x, elem) { self.builder.apart(val) } else { val })
    }

    /// Whether the optimiser may see that a factor of a 64-bit product has 16 bits. On Xe-LP and Xe-HPG the compiler multiplies
    /// such factors by the instruction for the upper half of products of dwords.
    pub(crate) fn may_be_word(&self, x: Value, elem: ElemType) -> bool {
        let word = |short: &ElemType| self.ranges.is_within(x, elem, *short);
        let long = elem.bytes() == 8 && !elem.is_float();
        // Read as unsigned, extended negative numbers are large.
        long && ([ElemType::I16, ElemType::U16].iter().any(word) || self.is_extended(x))
    }

    /// Whether a number is a shorter one with its sign, or becomes one in a longer operation.
    pub(crate) fn is_extended(&self, x: Value) -> bool {
        let short = |def: Def| def.ty.elem().is_some_and(|own| own.is_signed() && own.bytes() < DWORD);
        self.hazards.value(x).extended || self.def(x).is_ok_and(short)
    }

    /// The type in which distances are computed. Distances of bytes fit words, of which a register holds
    /// twice as many as of dwords.
    fn distances_in(&self, elem: ElemType, a: Value, b: Value) -> Result<ElemType> {
        let bytes = self.value_elem(a)?.bytes() == 1 && self.value_elem(b)?.bytes() == 1;
        // Read as unsigned, negative bytes would be large.
        Ok(if bytes && elem.is_signed() && elem.bytes() > 2 { ElemType::I16 } else { elem })
    }

    /// An operand of a distance, in the type of the operation.
    fn compared(&mut self, x: Value, elem: ElemType) -> Result<Val> {
        let own = self.value_elem(x)?;
        let (mut val, known) = self.operand(x, elem)?;
        if self.hazards.value(x).opposite
            && depends_on_smallest(MapKind::Lt, elem, 0)
            && self.ranges.may_be_smallest(x, elem)
        {
            val = self.builder.apart(val);
        }
        if !depends_on_sign(MapKind::Lt, elem, 0) || known.is_some() {
            return Ok(val);
        }
        let (hazard, widened) = (self.hazards.value(x), own.is_signed() && own.bytes() < elem.bytes());
        Ok(self.builder.unsigned(val, Hazard { extended: hazard.extended || widened, ..hazard }))
    }

    /// The element type of a value.
    fn value_elem(&self, value: Value) -> Result<ElemType> {
        self.elem(self.def(value)?)
    }

    /// An element-wise operation on elements of the given type.
    pub(crate) fn single(&mut self, kind: MapKind, elem: ElemType, a: Val, b: Val) -> Result<Val> {
        let recipe = match recipe(kind, elem, false, self.target) {
            Recipe::Missing(missing) => return Err(self.missing(missing)),
            recipe => recipe,
        };
        self.made(&recipe, kind, elem, &[(a, None), (b, None)])
    }

    /// The absolute difference of integers, unsigned.
    fn distances(&mut self, elem: ElemType, a: Val, b: Val) -> Result<Val> {
        let less = self.single(MapKind::Lt, elem, a, b)?;
        let (up, down) = (self.single(MapKind::Sub, elem, b, a)?, self.single(MapKind::Sub, elem, a, b)?);
        Ok(self.builder.op(Op::Select, a.ty, &[less, up, down]))
    }

    /// The sum of each group: add neighbours, then neighbouring sums.
    fn sums(&mut self, elem: ElemType, mut x: Val, width: usize) -> Result<Val> {
        let groups = x.ty.count / width;
        while x.ty.count > groups {
            let half = x.ty.count / 2;
            let [even, odd] = [0, 1].map(|offset| {
                let every_other = FixedRegion { offset, row_stride: half * 2, width: half, column_stride: 2 };
                self.builder.region(x, every_other, half, None)
            });
            x = self.single(MapKind::Add, elem, even, odd)?;
        }
        Ok(x)
    }
}
