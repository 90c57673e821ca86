//! Folds constants: computes what does not depend on the data of a kernel.
//!
//! The optimiser of Intel's compiler would do this, too. But its results are constants of all kinds, which
//! the compiler then gets wrong in some places: it does not store some elements, loses the sign or the upper
//! halves, or encodes an operation on a constant that the hardware does not support. Constants that exist
//! from the start are written in a form that avoids this.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dataflow::loads;
use crate::elem::ElemType;
use crate::interpret::constants::Constants;
use crate::ir::{Bits, Block, Function, Inst, Op, Region, Type, Value};
use crate::ops::{Accuracy, MapKind};

use crate::spirv::facts::numbers::{Numbers, Same};

/// The kernel with folded constants; `None` if nothing was folded.
pub(crate) fn fold(function: &Function) -> Option<Function> {
    let (stored, numbers) = (loads(&function.body), Numbers::of(function, Same::Surely));
    let mut pass =
        Pass { stored, numbers, types: FxHashMap::default(), known: Constants::default(), folded: false };
    let body = pass.block(&function.body);
    let used = |body: &Block| body.instructions().flat_map(|inst| inst.op.operands()).collect();
    let (before, after): (FxHashSet<Value>, FxHashSet<Value>) = (used(&function.body), used(&body));
    let unused = before.difference(&after).copied().collect();
    pass.folded.then(|| Function { body: without(&body, &unused), ..function.clone() })
}

/// The block without constants that nobody uses any more: they may be of a type that a target lacks.
fn without(block: &Block, unused: &FxHashSet<Value>) -> Block {
    let is_used = |inst: &&Inst| match inst.op {
        Op::Constant(_) => inst.result.is_none_or(|result| !unused.contains(&result)),
        _ => true,
    };
    let mut insts: Vec<Inst> = block.insts.iter().filter(is_used).cloned().collect();
    for inst in &mut insts {
        for inner in inst.op.blocks_mut() {
            *inner = without(inner, unused);
        }
    }
    Block { insts }
}

struct Pass {
    /// The values of loads that always give the same value.
    stored: FxHashMap<Value, Value>,
    numbers: Numbers,
    types: FxHashMap<Value, Type>,
    known: Constants,
    folded: bool,
}

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        Block { insts: block.insts.iter().map(|inst| self.inst(inst)).collect() }
    }

    fn inst(&mut self, inst: &Inst) -> Inst {
        if !inst.op.is_control_flow() {
            self.types.extend(inst.result.map(|result| (result, inst.ty)));
            return self.value(inst);
        }
        let mut inst = inst.clone();
        for block in inst.op.blocks_mut() {
            *block = self.block(block);
        }
        inst
    }

    /// Folds an instruction without inner blocks.
    fn value(&mut self, inst: &Inst) -> Inst {
        let Some(bits) = self.bits(inst) else {
            let Some(op) = self.unchanged(inst) else { return inst.clone() };
            self.folded = true;
            return Inst { op, ..inst.clone() };
        };
        let written = matches!(inst.op, Op::Constant(_) | Op::Known(_) | Op::Splat(_));
        let op = match (inst.ty.elem(), bits.first()) {
            _ if written => inst.op.clone(),
            (None, first) => Op::Known(first == Some(&1)),
            (Some(_), Some(first)) if bits.iter().all(|bits| bits == first) => {
                Op::Constant(Bits::Splat(*first))
            }
            _ => Op::Constant(Bits::Each(bits.clone())),
        };
        self.folded |= !written;
        self.known.insert(inst, bits);
        Inst { op, ..inst.clone() }
    }

    /// A conversion in place of an operation that does not change its operand, and a rename in place of a
    /// region or a replacement of all elements: registers that are replaced as a whole do not change in
    /// place, see `Overwritten`. A known offset becomes a part of its region.
    fn unchanged(&self, inst: &Inst) -> Option<Op> {
        let count = inst.ty.count();
        let renamed = |x: Value, region: &Region| {
            let ty = *self.types.get(&x)?;
            let whole = region.is_whole(count) && ty.count() == count;
            match inst.ty.elem() {
                Some(elem) if whole && ty == inst.ty => Some(Op::convert(x, elem)),
                _ => whole.then_some(Op::Format(x)),
            }
        };
        match &inst.op {
            Op::Insert(x, region, part) => {
                let fixed = self.fixed(region, *x, self.types.get(part)?.count());
                let known = fixed.map(|region| Op::Insert(*x, region, *part));
                return renamed(*part, &fixed.unwrap_or(*region)).or(known);
            }
            Op::Region(x, region) => {
                let fixed = self.fixed(region, *x, count);
                return renamed(*x, &fixed.unwrap_or(*region)).or(fixed.map(|region| Op::Region(*x, region)));
            }
            _ => {}
        }
        let Op::Map { kind, common, saturate: false, operands } = &inst.op else { return None };
        if let (MapKind::Merge, &[_, a, b]) = (kind, &operands[..])
            && self.numbers.get(a) == self.numbers.get(b)
            && self.types.get(&a) == Some(&inst.ty)
        {
            return Some(Op::convert(a, *common));
        }
        let &[a, b] = &operands[..] else { return None };
        let is = |x: Value, bits: u64| self.known.get(x).is_some_and(|all| all.iter().all(|x| *x == bits));
        let ones = u64::MAX >> (64 - 8 * common.bytes());
        let unchanged = match kind {
            _ if common.is_float() => None,
            MapKind::Add | MapKind::Or | MapKind::Xor if is(a, 0) => Some(b),
            MapKind::Add | MapKind::Or | MapKind::Xor | MapKind::Sub if is(b, 0) => Some(a),
            MapKind::Shl | MapKind::Shr if is(b, 0) => Some(a),
            MapKind::Mul if is(a, 1) => Some(b),
            MapKind::Mul if is(b, 1) => Some(a),
            MapKind::And if is(a, ones) => Some(b),
            MapKind::And if is(b, ones) => Some(a),
            MapKind::And | MapKind::Or | MapKind::Min | MapKind::Max
                if self.numbers.get(a) == self.numbers.get(b) =>
            {
                Some(a)
            }
            _ => None,
        };
        unchanged.map(|x| Op::convert(x, *common))
    }

    /// The region of `count` elements of a register without an offset that is known, if it is inside.
    fn fixed(&self, region: &Region, of: Value, count: usize) -> Option<Region> {
        let added = usize::try_from(*self.known.get(region.dynamic?)?.first()?).ok()?;
        let offset = region.offset.checked_add(added)?;
        let fixed = Region { offset, dynamic: None, ..*region };
        let (rows, columns) = (count.div_ceil(region.width) - 1, region.width.min(count) - 1);
        let last = offset + rows * region.row_stride + columns * region.column_stride;
        (last < self.types.get(&of)?.count()).then_some(fixed)
    }

    /// The result of an integer operation that one operand decides alone.
    fn decided(&self, kind: MapKind, elem: ElemType, operands: &[Value]) -> Option<u64> {
        let &[a, b] = operands else { return None };
        let is = |x: Value, bits: u64| self.known.get(x).is_some_and(|all| all.iter().all(|x| *x == bits));
        let zero = match kind {
            _ if elem.is_float() => false,
            MapKind::And | MapKind::Mul => is(a, 0) || is(b, 0),
            MapKind::Rem => is(a, 0) || is(b, 1),
            MapKind::Shl | MapKind::Shr => is(a, 0),
            MapKind::Min if !elem.is_signed() => is(a, 0) || is(b, 0),
            MapKind::Lt if !elem.is_signed() => is(b, 0),
            MapKind::Gt if !elem.is_signed() => is(a, 0),
            _ => false,
        };
        zero.then_some(0)
    }

    /// The bits of the elements of a result, if they are known.
    fn bits(&mut self, inst: &Inst) -> Option<Vec<u64>> {
        match &inst.op {
            Op::Load(_) => self.known.get(*self.stored.get(&inst.result?)?).map(<[u64]>::to_vec),
            // Approximations differ between executions.
            Op::Map { kind, .. } if kind.accuracy() != Accuracy::Exact => None,
            Op::Group { kind, .. } if kind.accuracy() != Accuracy::Exact => None,
            Op::Map { kind, common, operands, .. }
                if matches!(operands[..], [a, b] if self.numbers.get(a) == self.numbers.get(b))
                    && let Some(bits) = of_equal(*kind, *common) =>
            {
                Some(vec![bits; inst.ty.count()])
            }
            Op::Map { kind, common, operands, .. }
                if let Some(bits) = self.decided(*kind, *common, operands) =>
            {
                Some(vec![bits; inst.ty.count()])
            }
            Op::Constant(_)
            | Op::Splat(_)
            | Op::Map { .. }
            | Op::Group { .. }
            | Op::Dpas { .. }
            | Op::Reduce { .. }
            | Op::Region(..)
            | Op::Insert(..)
            | Op::Iselect(..)
            | Op::Format(_)
            | Op::UnpackMask(_)
            | Op::PackMask(_)
            | Op::Any(_)
            | Op::All(_)
            | Op::Known(_)
            | Op::Not(_)
            | Op::And(..)
            | Op::Or(..) => self.known.compute(inst),
            _ => None,
        }
    }
}

/// The result of an operation on a number and itself, if it is the same for all numbers.
const fn of_equal(kind: MapKind, elem: ElemType) -> Option<u64> {
    match kind {
        // This also holds for NaN.
        MapKind::Lt | MapKind::Gt => Some(0),
        _ if elem.is_float() => None,
        MapKind::Sub | MapKind::Rem | MapKind::Xor | MapKind::Ne => Some(0),
        MapKind::Eq | MapKind::Le | MapKind::Ge => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};
    use crate::text::parse;

    /// The lines of a kernel after folding.
    fn folded(lines: &str) -> Vec<String> {
        let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
        let function =
            parse(&format!("file 0 \"k.rs\" kernel k(n: u32, v: f32<1x2>) {{ {lines} }}")).unwrap();
        let text = fold(&function).unwrap_or(function).to_string();
        let lines = text.lines().map(|line| line.trim().trim_end_matches(" @0:1:1").to_owned());
        lines.filter(|line| line.starts_with('%')).collect()
    }

    #[test]
    fn what_is_made_of_constants_is_one() {
        let difference = "%0: u16 = constant 7; var $0: u16 = %0; %1: u16 = load $0; %2: u16<1x2> = splat %1;
             %3: u16<1x2> = constant [1, 2]; %4: i32<1x2> = sub.i32 %3, %2;";
        let lines = folded(difference);
        assert_eq!(lines[1], "%1: u16 = constant 7");
        assert_eq!(lines.last().unwrap(), "%4: i32<1x2> = constant [-6, -5]");
        let lines = folded(&format!("{difference} %5: condition = any %4;"));
        assert_eq!(lines.last().unwrap(), "%5: condition = known true");
    }

    /// `Vector::<f32, 2>::splat(0.0)`, for GPUs without `f64`.
    #[test]
    fn constants_that_were_converted_are_gone() {
        let lines = folded(
            "var $0: f32<1x2>; %0: f64 = constant 0.5; %1: f32 = convert %0; %2: f32<1x2> = splat %1; store $0, %2: f32<1x2>;",
        );
        assert!(lines.iter().all(|line| !line.contains("f64")), "{lines:?}");
    }

    #[test]
    fn a_number_and_itself() {
        let start = "%0: f32<1x2> = argument #1; %1: f32<1x2> = argument #1; %2: u32 = argument #0;";
        let last = |line: &str| folded(&format!("{start} {line};")).pop().unwrap();
        assert_eq!(last("%3: u16<1x2> = lt.f32 %0, %1"), "%3: u16<1x2> = constant 0");
        assert_eq!(last("%3: u16 = ge.u32 %2, %2"), "%3: u16 = constant 1");
        assert_eq!(last("%3: i32 = or.i32 %2, %2"), "%3: i32 = convert %2");
        assert_eq!(last("%4: u8 = constant 1; %3: u64 = mul.u64 %4, %2"), "%3: u64 = convert %2");
        assert_eq!(last("%3: u32 = rem.u32 %2, %2"), "%3: u32 = constant 0");
        for zero in ["and.u32 %4, %2", "mul.u32 %2, %4", "rem.u32 %4, %2", "shl.u32 %4, %2", "min.u32 %2, %4"]
        {
            assert_eq!(
                last(&format!("%4: u32 = constant 0; %3: u32 = {zero}")),
                "%3: u32 = constant 0",
                "{zero}"
            );
        }
        assert_eq!(last("%4: u32 = constant 0; %3: u16 = lt.u32 %2, %4"), "%3: u16 = constant 0");
        assert!(last("%4: i32 = constant 0; %3: i32 = min.i32 %2, %4").contains("min"));
        // NaN is not equal to itself, and infinity minus infinity is NaN.
        for op in ["u16<1x2> = eq.f32 %0, %1", "f32<1x2> = sub.f32 %0, %1", "u32 = add.u32 %2, %2"] {
            assert!(!last(&format!("%3: {op}")).contains("constant"), "{op}");
        }
    }

    #[test]
    fn a_whole_that_is_replaced() {
        let start =
            "%0: f32<1x2> = argument #1; %1: f32<1x2> = constant [1.0, 2.0]; %2: f32<2x1> = format %0;";
        let last = |line: &str| folded(&format!("{start} {line};")).pop().unwrap();
        assert_eq!(last("%3: f32<1x2> = insert %1[0| 1, 1, 9], %0"), "%3: f32<1x2> = convert %0");
        assert_eq!(last("%3: f32<1x2> = insert %1[0| 2, 2, 1], %2"), "%3: f32<1x2> = format %2");
        let part = "%4: f32 = constant 1.0; %3: f32<1x2> = insert %0[0| 1, 1, 1], %4";
        assert!(last(part).contains("insert"));
    }

    #[test]
    fn regions_and_selections_without_effect() {
        let start = "%0: f32<1x2> = argument #1; %1: u32 = argument #0; %2: u32 = constant 0;";
        let last = |line: &str| folded(&format!("{start} {line};")).pop().unwrap();
        assert_eq!(last("%3: f32 = region %0[1| 1, 1, 1]"), "%3: f32 = region %0[1; 1, 1, 1]");
        assert_eq!(last("%3: f32<1x2> = region %0[0| 2, 2, 1]"), "%3: f32<1x2> = convert %0");
        assert_eq!(last("%3: f32<2x1> = region %0[0 + %2| 2, 2, 1]"), "%3: f32<2x1> = format %0");
        assert_eq!(
            last("%4: u32 = constant 1; %3: f32 = region %0[0 + %4| 1, 1, 1]"),
            "%3: f32 = region %0[1; 1, 1, 1]"
        );
        // Such an offset is limited at run time.
        let beyond = "%4: u32 = constant 2; %3: f32 = region %0[0 + %4| 1, 1, 1]";
        assert_eq!(last(beyond), "%3: f32 = region %0[0 + %4; 1, 1, 1]");
        let merge = "%3: u16<1x2> = lt.f32 %0, %5; %4: f32<1x2> = merge %3, %0, %0";
        let other = "%5: f32<1x2> = constant 1.0;";
        assert_eq!(last(&format!("{other} {merge}")), "%4: f32<1x2> = convert %0");
        let longer = "%3: u64 = convert %1; %4: u64 = and.u64 %3, %1";
        assert_eq!(last(longer), "%4: u64 = convert %3");
        assert!(last("%3: u16 = convert %1; %4: u32 = and.u32 %3, %1").contains("and"));
    }

    /// What two reads of one place give is the same only if nothing is written in between.
    #[test]
    fn what_is_written_between_two_reads_counts() {
        let reads = "%0: i32 = constant 3; %1: u8<4x4> = read #0 %0, %0; %2: u8<4x4> = read #0 %0, %0; %3: u8<4x4> = xor.u8 %2, %1;
            write #1 %0, %0, %3: u8<4x4>; %4: u8<4x4> = read #1 %0, %0; write #1 %0, %0, %1: u8<4x4>; %5: u8<4x4> = read #1 %0, %0;
            %6: u8<4x4> = sub.u8 %5, %4; %7: i32 = constant 9; write #1 %7, %0, %6: u8<4x4>;\n";
        let loads = "%0: i32 = constant 3; %1: u8<4x4> = read #0 %0, %0; var $0: u8<4x4> = %1; %2: condition = any %1;
            if %2 @0:1:1 { %3: u8<4x4> = add.u8 %1, %1; store $0, %3: u8<4x4>; } else { }
            %4: u8<4x4> = load $0; %5: condition = any %4; if %5 @0:1:1 { %6: u8<4x4> = add.u8 %4, %1; store $0, %6: u8<4x4>; } else { }
            %7: u8<4x4> = load $0; %8: u8<4x4> = sub.u8 %7, %4; write #1 %0, %0, %8: u8<4x4>;\n";
        for lines in [reads, loads] {
            let function = kernel(&lines.replace("\n           ", ""));
            assert_alike(&function, &fold(&function).unwrap_or_else(|| function.clone()));
        }
    }

    #[test]
    fn what_a_loop_changes_is_not_known() {
        let lines = folded(
            "%0: u32 = constant 0; var $0: u32 = %0; %9: u32 = argument #0;
             loop @0:1:1 { %1: u32 = load $0; %2: u16 = lt.u32 %1, %9; %3: condition = any %2; }
             while %3 { %4: u32 = load $0; %5: u32 = add.u32 %4, %4; store $0, %5: u32; }",
        );
        assert!(!lines[2..].iter().any(|line| line.contains("constant")), "{lines:?}");
    }
}
