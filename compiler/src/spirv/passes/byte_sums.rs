//! Sums of bytes with known weights, like the grey of a texel: one instruction for the bytes of each texel,
//! if the target has dot products of bytes. Otherwise each byte would be picked, multiplied and added separately.
//!
//! The bytes of a texel are taken as a dword, together with their neighbours, whose weight is 0. Texels of
//! three bytes do not start at whole dwords, so words are picked: a dword then starts at the first byte of
//! the texel or at the byte before it.

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Region, Type, Value};
use crate::limits::DWORD;
use crate::ops::MapKind;

use super::expand::{Expansion, expanded};
use crate::spirv::facts::defs::{Defs, converted};
use crate::spirv::target::{Instruction, Target};

/// The fewest bytes of a texel for which a dot product is shorter.
const LEAST_TERMS: usize = 3;
/// The texels that are picked alike. Their words are picked by one set of addresses, see `picked_columns`.
const PICKED: usize = 8;

/// The kernel with dot products; `None` if there are no such sums, or if the target has no dot products.
pub(crate) fn expand(function: &Function, target: Target) -> Option<Function> {
    if !target.has(Instruction::ByteDot) {
        return None;
    }
    let sums = Sums { defs: Defs::of(function) };
    function.body.instructions().find(|inst| sums.sum(inst).is_some())?;
    let body = expanded(function, |inst, insts| {
        let (Some(sum), Some(result)) = (sums.sum(inst), inst.result) else { return false };
        sum.write(insts, inst.ty, result);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// The sums of a kernel.
struct Sums<'a> {
    defs: Defs<'a>,
}

/// A byte of each texel, with its weight.
struct Term {
    texels: Value,
    region: Region,
    weight: u64,
}

/// A sum of bytes of the same texels, and of other numbers.
struct Sum {
    texels: Value,
    /// The type of the register with the texels.
    of: Type,
    /// The first bytes that are summed.
    region: Region,
    /// The weight of each byte from the first one on.
    weights: [u64; DWORD],
    others: Vec<Value>,
}

/// The integers that an addition computes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Added {
    /// The size of one.
    bytes: usize,
    /// Their number.
    count: usize,
}

impl Sums<'_> {
    /// The sum that ends with this instruction.
    fn sum(&self, inst: &Inst) -> Option<Sum> {
        let (result, count) = (inst.result?, inst.ty.count());
        let added = Self::added(inst)?;
        // The last addition replaces all of them.
        if self.defs.user(result).is_some_and(|user| Self::added(user) == Some(added)) {
            return None;
        }
        let (mut terms, mut others) = (vec![], vec![]);
        self.collect(inst, added, &mut terms, &mut others);
        let (texels, region) = (terms.first()?.texels, terms.first()?.region);
        let of = self.defs.get(texels)?.ty;
        let first = terms.iter().map(|term| term.region.offset).min()?;
        let mut weights = [0; DWORD];
        for term in &terms {
            let alike = term.texels == texels && Region { offset: region.offset, ..term.region } == region;
            let weight = weights.get_mut(term.region.offset - first).filter(|_| alike)?;
            *weight = term.weight.checked_add(*weight)?;
        }
        let several = terms.len() >= LEAST_TERMS && region.column_stride >= LEAST_TERMS;
        let small = weights.iter().all(|weight| *weight <= u64::from(u8::MAX));
        let sum = Sum { texels, of, region: Region { offset: first, ..region }, weights, others };
        (several && small && sum.starts(count).is_some()).then_some(sum)
    }

    /// What an instruction adds, if its integers wrap.
    fn added(inst: &Inst) -> Option<Added> {
        match inst.op {
            Op::Map { kind: MapKind::Add, common, saturate: false, .. } if !common.is_float() => {
                (common.bytes() <= DWORD).then_some(Added { bytes: common.bytes(), count: inst.ty.count() })
            }
            _ => None,
        }
    }

    /// Collects the operands of additions that have no other users.
    fn collect(&self, inst: &Inst, added: Added, terms: &mut Vec<Term>, others: &mut Vec<Value>) {
        // From the first operand on. Chains may be long.
        let operands = |inst: &Inst| inst.op.operands().into_iter().rev();
        let mut left: Vec<Value> = operands(inst).collect();
        while let Some(x) = left.pop() {
            let made = self.defs.get(x).filter(|_| self.defs.user(x).is_some());
            match made {
                Some(made) if Self::added(made) == Some(added) => left.extend(operands(made)),
                made => match made.and_then(|made| self.term(made, added)) {
                    Some(term) => terms.push(term),
                    None => others.push(x),
                },
            }
        }
    }

    /// A product of bytes and a known weight. Only its low bits are used, so it may be computed in a longer type.
    fn term(&self, inst: &Inst, added: Added) -> Option<Term> {
        let Op::Map { kind: MapKind::Mul, common: own, saturate: false, operands } = &inst.op else {
            return None;
        };
        // No product of two bytes wraps in a `u16`.
        if inst.ty.count() != added.count
            || own.is_float()
            || own.bytes() < added.bytes && *own != ElemType::U16
        {
            return None;
        }
        let &[a, b] = &operands[..] else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(bytes, weight)| {
            let weight = self.defs.number(weight)?.try_into().ok()?;
            let (texels, region) = self.bytes(bytes)?;
            Some(Term { texels, region, weight })
        })
    }

    /// The region of unsigned bytes that a value is, perhaps extended.
    fn bytes(&self, x: Value) -> Option<(Value, Region)> {
        let inst = self.defs.get(x)?;
        match &inst.op {
            Op::Region(texels, region)
                if inst.ty.elem() == Some(ElemType::U8) && region.dynamic.is_none() =>
            {
                Some((*texels, *region))
            }
            _ => {
                let (bytes, elem) = converted(inst)?;
                self.bytes(bytes).filter(|_| elem.bytes() > 1)
            }
        }
    }
}

/// Where the dwords of the texels are.
enum Dwords {
    /// A region of whole dwords.
    Region(Region),
    /// The first byte of each.
    Picked(Vec<usize>),
}

impl Sum {
    /// The dwords of `count` texels, and how many bytes each starts before the texel.
    fn starts(&self, count: usize) -> Option<(Dwords, Vec<usize>)> {
        let Region { offset, row_stride, width, column_stride, .. } = self.region;
        let used = self.weights.iter().rposition(|weight| *weight != 0)? + 1;
        let at = |n: usize| self.region.position(n);
        let starts = |align: usize| -> Option<(Vec<usize>, Vec<usize>)> {
            let start = |n: usize| at(n) / align * align;
            let inside = |n: usize| {
                at(n) - start(n) + used <= DWORD && start(n) % self.of.columns + DWORD <= self.of.columns
            };
            let all = || (0..count).map(start);
            (0..count).all(inside).then(|| (all().collect(), (0..count).map(|n| at(n) - start(n)).collect()))
        };
        let whole = [offset / DWORD * DWORD, row_stride, column_stride].map(|bytes| bytes / DWORD);
        let regular =
            column_stride.is_multiple_of(DWORD) && (count <= width || row_stride.is_multiple_of(DWORD));
        if regular
            && let Some((_, before)) = starts(DWORD)
            && self.of.bytes().is_multiple_of(DWORD)
        {
            let [offset, row_stride, column_stride] = whole;
            return Some((
                Dwords::Region(Region { offset, dynamic: None, row_stride, width, column_stride }),
                before,
            ));
        }
        let alike = width.min(count).is_multiple_of(PICKED) && self.of.columns.is_multiple_of(2);
        let (places, before) = starts(2).filter(|_| alike)?;
        Some((Dwords::Picked(places), before))
    }

    fn write(&self, insts: &mut Expansion, ty: Type, result: Value) {
        let (count, dwords) = (ty.count(), ty.with_elem(ElemType::U32));
        let Some((places, before)) = self.starts(count) else { return };
        let of = Type::new(ElemType::U32, 1, self.of.bytes() / DWORD);
        let texels = match places {
            Dwords::Region(region) => {
                let all = insts.emit(Op::Format(self.texels), of);
                insts.emit(Op::Region(all, region), dwords)
            }
            Dwords::Picked(starts) => {
                let each = |start: usize| (start..start + DWORD).map(|at| at as u64);
                let places = Bits::Each(starts.into_iter().flat_map(each).collect());
                let bytes = Type::new(ElemType::U8, 1, count * DWORD);
                let places = insts.emit(Op::Constant(places), bytes.with_elem(ElemType::U32));
                let picked = insts.emit(Op::Iselect(self.texels, places), bytes);
                insts.emit(Op::Format(picked), dwords)
            }
        };
        let bits = self.weights.iter().rev().fold(0, |bits, weight| bits << 8 | weight);
        let each: Vec<u64> = before.iter().map(|bytes| bits << (8 * bytes) & u64::from(u32::MAX)).collect();
        let alike = each.iter().all(|bits| *bits == each[0]);
        let weights = if alike { Bits::Splat(each[0]) } else { Bits::Each(each) };
        let weights = insts.emit(Op::Constant(weights), dwords);
        let mut sum = insts.emit(Op::map(MapKind::DotUu, ElemType::U32, &[texels, weights]), dwords);
        for other in &self.others {
            sum = insts.emit(Op::map(MapKind::Add, ElemType::U32, &[sum, *other]), dwords);
        }
        let elem = ty.elem().unwrap_or(ElemType::U32);
        insts.push(Op::convert(sum, elem), Some(result), ty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    const START: &str = "%0: i32 = constant 3; %1: u8<4x60> = read #0 %0, %0; %2: u16<4x16> = constant 77;
        %3: i32 = constant 150; %4: i32<4x16> = splat %3; %5: u32<4x16> = constant 29; %6: i32<4x16> = constant -900; ";

    /// The dot products of a kernel of these lines, which write `%30`, as they are expanded.
    fn dots(lines: &str) -> usize {
        let function =
            kernel(&format!("{START}{lines} %31: u8<4x64> = format %30; write #1 %0, %0, %31: u8<4x64>;\n"));
        assert_eq!(expand(&function, Target::Gen9), None);
        let Some(expanded) = expand(&function, Target::XeLp) else { return 0 };
        assert_alike(&function, &expanded);
        let dot = |inst: &&Inst| matches!(inst.op, Op::Map { kind: MapKind::DotUu, .. });
        expanded.body.instructions().filter(dot).count()
    }

    /// A sum of three bytes at these offsets of texels.
    fn of(bytes: [usize; 3], step: usize) -> String {
        let [a, b, c] = bytes.map(|at| format!("u8<4x16> = region %1[{at}| 60, 16, {step}]"));
        format!(
            "%10: {a}; %11: i32<4x16> = mul.i32 %10, %4; %12: {b}; %13: u16<4x16> = mul.u16 %2, %12;
             %14: i32<4x16> = add.i32 %11, %13; %15: {c}; %16: u32<4x16> = convert %15;
             %17: u32<4x16> = mul.u32 %16, %5; %18: i32<4x16> = add.i32 %17, %14; %30: i32<4x16> = add.i32 %18, %6;"
        )
    }

    #[test]
    fn the_bytes_of_a_texel_are_one_product() {
        assert_eq!(dots(&of([0, 1, 2], 3)), 1);
        assert_eq!(dots(&of([3, 1, 2], 3)), 1);
        assert_eq!(dots(&of([0, 0, 1], 3)), 1, "the weights of one byte are added");
    }

    #[test]
    fn bytes_of_whole_dwords_are_a_region() {
        let four = "%7: u8<4x32> = read #0 %0, %0; %8: i32<4x8> = constant 200; %9: i32<4x8> = constant 3;
            %10: u8<4x8> = region %7[3| 32, 8, 4]; %11: i32<4x8> = mul.i32 %10, %8; %12: u8<4x8> = region %7[1| 32, 8, 4];
            %13: i32<4x8> = mul.i32 %12, %9; %14: u8<4x8> = region %7[2| 32, 8, 4]; %15: i32<4x8> = mul.i32 %14, %9;
            %16: i32<4x8> = add.i32 %11, %13; %17: i32<4x8> = add.i32 %15, %16; %18: i32<4x16> = constant 7;
            %30: i32<4x16> = insert %18[0| 16, 8, 1], %17;";
        assert_eq!(dots(four), 1);
        assert_eq!(dots(&four.replace("constant 200", "constant 300")), 0, "no byte");
    }

    /// On the stack of a thread of Rust, as kernels are lowered.
    #[test]
    fn long_chains_of_sums() {
        let mut text = of([0, 1, 2], 3).replace("%30: i32<4x16> = add.i32 %18, %6;", "");
        let last = (100..20_100).fold(18, |before, next| {
            text += &format!("%{next}: i32<4x16> = add.i32 %{before}, %6; ");
            next
        });
        assert_eq!(dots(&format!("{text} %30: i32<4x16> = add.i32 %{last}, %6;")), 1);
    }

    /// The second product has the same weight, beside which it does not fit.
    #[test]
    fn weights_may_be_too_large_to_add() {
        let twice = "%10: u8<4x16> = region %1[0| 60, 16, 3]; %11: u64<4x16> = constant 18446744073709551615;
            %12: u64<4x16> = mul.u64 %10, %11; %13: u64<4x16> = mul.u64 %10, %11; %30: u32<4x16> = add.u32 %12, %13;";
        assert_eq!(dots(twice), 0);
    }

    #[test]
    fn other_sums_are_left() {
        assert_eq!(dots(&of([13, 13, 14], 3)), 0, "the last dword is not inside");
        assert_eq!(dots(&of([0, 1, 4], 3)), 0, "two texels");
        assert_eq!(dots(&of([0, 1, 2], 2)), 0, "neighbours");
        assert_eq!(
            dots(&of([0, 1, 2], 3).replace("%16: u32<4x16> = convert %15;", "%16: i8<4x16> = convert %15;")),
            0
        );
        assert_eq!(
            dots(&of([0, 1, 2], 3).replace("%11: i32<4x16> = mul.i32", "%11: i16<4x16> = mul.i16")),
            0
        );
        let used = of([0, 1, 2], 3).replace("add.i32 %18, %6", "add.i32 %18, %14");
        assert_eq!(dots(&used), 0, "a part that is used elsewhere");
    }
}
