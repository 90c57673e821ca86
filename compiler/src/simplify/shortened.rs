//! Arithmetic on numbers that are known to fit 16 bits is made in 16 bits: an instruction takes twice as many. So are
//! chains of minima and maxima of bytes on generations that lack an instruction for these.
//!
//! `u8 - u8` is an `i32` in the language. All users of a result convert it to the type in which they compute, so that a
//! shorter type that has the same numbers changes nothing for them. Where somebody else uses it, it keeps its type.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Op, Type, Value};
use crate::limits::DWORD;
use crate::ops::{Class, MapKind, Operand, Outcome};

use super::ranges::Ranges;

/// The kernel with shorter types; `None` if there is nothing to shorten. `orders_words`: whether chains of
/// minima and maxima of bytes are made in words.
pub(crate) fn shortened(function: &Function, orders_words: bool) -> Option<Function> {
    let insts: Vec<&Inst> = function.body.instructions().collect();
    let ranges = Ranges::of(function);
    let results = || insts.iter().filter_map(|inst| Some((inst.result?, *inst)));
    let splat = |inst: &Inst| matches!(inst.op, Op::Constant(_) | Op::Splat(_));
    let types: FxHashMap<Value, Type> = results().map(|(result, inst)| (result, inst.ty)).collect();
    let mut kept = FxHashSet::default();
    loop {
        let mut pass = Pass {
            orders_words,
            ranges: &ranges,
            before: types.clone(),
            types: types.clone(),
            splats: results().filter(|(_, inst)| splat(inst)).map(|(result, _)| result).collect(),
            kept: kept.clone(),
            next: function.body.next_value(),
            changed: false,
        };
        insts.iter().rev().for_each(|inst| pass.keep(inst));
        let body = pass.block(&function.body);
        let extended = pass.extended(&body);
        if extended.is_empty() {
            return pass.changed.then(|| Function { body, ..function.clone() });
        }
        kept.extend(extended);
    }
}

struct Pass<'a> {
    /// Whether words are ordered by fewer instructions than bytes.
    orders_words: bool,
    ranges: &'a Ranges,
    /// The types as they were, and as they are now.
    before: FxHashMap<Value, Type>,
    types: FxHashMap<Value, Type>,
    /// Values whose type somebody depends on.
    kept: FxHashSet<Value>,
    /// Constants and the like, which are of any type at no cost.
    splats: FxHashSet<Value>,
    next: u32,
    changed: bool,
}

impl Pass<'_> {
    /// Notes which operands of an instruction keep their type. Users come before.
    fn keep(&mut self, inst: &Inst) {
        match &inst.op {
            Op::Map { kind, operands, .. } => {
                let rules = kind.operands();
                let own = operands.iter().zip(rules).filter(|(_, rule)| matches!(rule, Operand::Mask));
                self.kept.extend(own.map(|(x, _)| *x));
            }
            Op::Region(x, region) => {
                self.kept.extend(region.dynamic);
                if inst.result.is_none_or(|result| self.kept.contains(&result)) {
                    self.kept.insert(*x);
                }
            }
            // The first step of a sum extends the elements.
            Op::Reduce { kind: MapKind::Add, common, .. }
                if !common.is_float() && common.bytes() == DWORD => {}
            op => self.kept.extend(op.operands()),
        }
    }

    /// The results that were made shorter and are extended again, which may cost instructions and never saves any.
    fn extended(&self, body: &Block) -> Vec<Value> {
        let short = |x: &Value| {
            let bytes =
                |types: &FxHashMap<Value, Type>| types.get(x).and_then(|ty| ty.elem()).map(ElemType::bytes);
            bytes(&self.before) > bytes(&self.types)
        };
        // A product of words takes fewer instructions than one of dwords, unless one of them is a constant.
        let is_product = |kind: MapKind, operands: &[Value]| {
            kind == MapKind::Mul && !operands.iter().any(|x| self.splats.contains(x))
        };
        let extends = |inst: &&Inst| match &inst.op {
            Op::Map { kind, common, operands, .. } => common.bytes() > 2 && !is_product(*kind, operands),
            _ => false,
        };
        let users = body.instructions().filter(extends);
        users.flat_map(|inst| inst.op.operands()).filter(short).collect()
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut insts = vec![];
        for inst in &block.insts {
            self.inst(inst, &mut insts);
        }
        Block { insts }
    }

    fn inst(&mut self, inst: &Inst, insts: &mut Vec<Inst>) {
        if let Some((kind, operand)) = self.short_sum(inst) {
            let (sum, location) = (Value(self.next), inst.location.clone());
            self.next += 1;
            self.changed = true;
            let op = Op::Reduce { kind, common: ElemType::U16, operand };
            insts.push(Inst { op, result: Some(sum), ty: inst.ty.with_elem(ElemType::U16), location });
            let op = Op::convert(sum, inst.ty.elem().unwrap_or(ElemType::U16));
            insts.push(Inst { op, ..inst.clone() });
            return;
        }
        let mut inst = inst.clone();
        for block in inst.op.blocks_mut() {
            *block = self.block(block);
        }
        let words = self.is_of_words(&inst);
        let short = if words { Some(ElemType::I16) } else { self.short(&inst) };
        self.changed |= short.is_some();
        match &mut inst.op {
            Op::Map { kind, common, operands, .. } => {
                let own = *common;
                if let Some(elem) = short {
                    *common = elem;
                    inst.ty = inst.ty.with_elem(kind.outcome().elem(elem));
                }
                for (x, rule) in operands.iter_mut().zip(kind.operands()) {
                    let other = self.before.get(x).and_then(|ty| ty.elem()) != Some(own);
                    // As a byte it is another number.
                    let steps = [(words && other).then_some(own), (*rule == Operand::Own).then_some(*common)];
                    for elem in steps.into_iter().flatten() {
                        let Some(ty) = self.types.get(x).copied().filter(|ty| ty.elem() != Some(elem)) else {
                            continue;
                        };
                        let (op, result, ty) = (Op::convert(*x, elem), Value(self.next), ty.with_elem(elem));
                        self.types.insert(result, ty);
                        *x = result;
                        self.next += 1;
                        insts.push(Inst { op, result: Some(result), ty, location: inst.location.clone() });
                    }
                }
            }
            Op::Region(x, _) => {
                if let Some(elem) = self.types.get(x).and_then(|ty| ty.elem()) {
                    inst.ty = inst.ty.with_elem(elem);
                }
            }
            _ => {}
        }
        let bytes = inst.result.filter(|result| words && self.kept.contains(result));
        let before = |result| self.before.get(&result).and_then(|ty| Some((*ty, ty.elem()?)));
        let Some((result, (ty, elem))) = bytes.and_then(|result| Some((result, before(result)?))) else {
            self.types.extend(inst.result.map(|result| (result, inst.ty)));
            insts.push(inst);
            return;
        };
        let (words, location) = (Value(self.next), inst.location.clone());
        self.next += 1;
        insts.push(Inst { result: Some(words), ..inst });
        let op = Op::convert(words, elem);
        insts.push(Inst { op, result: Some(result), ty, location });
    }

    /// A sum of the elements of a register of words or bytes that is a word, as are all sums of some of them.
    fn short_sum(&self, inst: &Inst) -> Option<(MapKind, Value)> {
        let Op::Reduce { kind: kind @ MapKind::Add, common, operand } = &inst.op else { return None };
        let ty = *self.types.get(operand)?;
        let short = |elem: ElemType| !elem.is_float() && elem.bytes() <= 2;
        let long = !common.is_float() && common.bytes() > 2 && ty.elem().is_some_and(short);
        let most = *self.ranges.integers(*operand)?.end() as usize;
        // An instruction adds as many dwords as are left of fewer elements.
        (long && ty.count() > 32 && most * ty.count() <= usize::from(u16::MAX)).then_some((*kind, *operand))
    }

    /// Whether these are minima or maxima of bytes where words take fewer instructions: between others.
    fn is_of_words(&self, inst: &Inst) -> bool {
        let Op::Map { kind: MapKind::Min | MapKind::Max, common, saturate: false, operands } = &inst.op
        else {
            return false;
        };
        let bytes = |types: &FxHashMap<Value, Type>, x: &Value| types.get(x)?.elem().map(ElemType::bytes);
        let longer = operands.iter().any(|x| bytes(&self.types, x) > bytes(&self.before, x));
        let kept = inst.result.is_none_or(|result| self.kept.contains(&result));
        self.orders_words && common.bytes() == 1 && inst.ty.count() > 1 && (longer || !kept)
    }

    /// The type in which an operation is made instead.
    fn short(&self, inst: &Inst) -> Option<ElemType> {
        let Op::Map { kind, common, saturate: false, operands } = &inst.op else { return None };
        let result = inst.result.filter(|result| !self.kept.contains(result));
        let long = inst.ty.count() > 1 && !common.is_float() && common.bytes() == 4;
        if !long || !is_short(*kind) || result.is_none() && kind.outcome() != Outcome::Mask {
            return None;
        }
        let numbers = || operands.iter().zip(kind.operands()).filter(|(_, rule)| **rule != Operand::Mask);
        // A longer operand would have to be made shorter.
        let short = |x: &Value| {
            let elem = self.types.get(x).and_then(|ty| ty.elem());
            self.splats.contains(x) || elem.is_some_and(|elem| !elem.is_float() && elem.bytes() <= 2)
        };
        if !numbers().all(|(x, _)| short(x)) {
            return None;
        }
        let places = kind.class() == Class::ShiftLeft || kind.class() == Class::ShiftRight;
        if places && !self.ranges.is_at_most(operands[1], 15) {
            return None;
        }
        [ElemType::I16, ElemType::U16].into_iter().find(|&elem| {
            let fits = |x: &Value| self.ranges.is_within(*x, *common, elem);
            let to = kind.outcome().elem(elem);
            let result = |x| self.ranges.is_within(x, inst.ty.elem().unwrap_or(to), to);
            let signs = kind.class() != Class::Sign || elem.is_signed();
            signs
                && numbers().all(|(x, _)| fits(x))
                && (kind.outcome() == Outcome::Mask || inst.result.is_some_and(result))
        })
    }
}

/// Whether an operation gives the same number in every type that its operands and its result fit.
pub(crate) const fn is_short(kind: MapKind) -> bool {
    matches!(
        kind.class(),
        Class::Sum
            | Class::Product
            | Class::Bitwise
            | Class::Sign
            | Class::Between
            | Class::ShiftLeft
            | Class::ShiftRight
            | Class::Order
            | Class::Equality
            | Class::Conversion
            | Class::Selection
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::{Case, RandomNumbers};
    use crate::interpret::element::convert;
    use crate::text::parse;

    /// What is made in a shorter type is the same number.
    #[test]
    fn shorter_types_give_the_same_numbers() {
        let (mut numbers, mut short) = (RandomNumbers::new(), 0);
        for case in Case::all() {
            let operands = numbers.operands(&case, 4);
            let function = Function::new("k", vec![], case.block(&operands));
            let Some(shortened) = shortened(&function, false) else { continue };
            let Some(Op::Map { kind, common, .. }) = shortened.body.insts.last().map(|inst| &inst.op) else {
                panic!("{case:?} is another operation");
            };
            short += 1;
            let mut other = Case { common: *common, ..case.clone() };
            let own = |n: usize| kind.operands()[n] == Operand::Own;
            for n in (0..other.elems.len()).filter(|n| own(*n)) {
                other.elems[n] = *common;
            }
            for bits in case.samples(&operands) {
                let number = |case: &Case, bits: &[u64]| case.result().integer(case.evaluate(bits));
                let own = bits.iter().enumerate().map(|(n, x)| convert(case.elems[n], other.elems[n], *x));
                let own: Vec<u64> = own.collect();
                assert_eq!(number(&case, &bits), number(&other, &own), "{case:?} in {common}: {bits:x?}");
            }
        }
        assert!(short > 200, "{short}");
    }

    /// The lines after two registers of bytes and a number, shortened.
    fn lines(lines: &str) -> String {
        let start = "%0: u8<1x4> = constant [1, 2, 3, 255]; %1: i16<1x4> = constant [1, 2, 3, 999];";
        let lines = format!("{start} {lines}").replace(';', " @0:1:1\n").replace('|', ";");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(o: write surface) {{ {lines} }}")).unwrap();
        shortened(&function, false).unwrap_or(function).to_string().replace(" @0:1:1", "")
    }

    #[test]
    fn what_somebody_else_uses_keeps_its_type() {
        let difference = "%2: i32<1x4> = sub.i32 %0, %0; %3: i32<1x4> = add.i32 %2, %2;";
        let text = lines(&format!("{difference} %4: u8<1x4> = saturate %3;"));
        assert!(text.contains("%2: i16<1x4> = sub.i16 %0, %0") && text.contains("add.i16"), "{text}");
        let text = lines(&format!("{difference} %4: u8<1x16> = format %3;"));
        assert!(text.contains("%2: i32") && text.contains("%3: i32"), "{text}");
        let text =
            lines(&format!("{difference} %4: i32<1x2> = region %2[0| 2, 2, 1]; %5: u8<1x2> = convert %4;"));
        assert!(text.contains("%4: i16<1x2> = region %2"), "{text}");
    }

    #[test]
    fn chains_of_minima_of_bytes_are_made_in_words() {
        let chain = "%2: u8<1x4> = min.u8 %0, %0; %3: u8<1x4> = max.u8 %2, %0; %4: u8<1x4> = min.u8 %3, %2; %5: u32 = format %4;";
        let start = "%0: u8<1x4> = constant [1, 2, 3, 255];";
        let text = |orders_words, lines: &str| {
            let lines = format!("{start} {lines}").replace(';', " @0:1:1\n");
            let function =
                parse(&format!("file 0 \"k.rs\" kernel k(o: write surface) {{ {lines} }}")).unwrap();
            shortened(&function, orders_words).unwrap_or(function).to_string()
        };
        let words = text(true, chain);
        assert!(
            words.contains("%6: i16<1x4> = min.i16 %3, %2") && words.contains("%4: u8<1x4> = convert %6"),
            "{words}"
        );
        let other = "%2: i8<1x4> = max.i8 %0, %0; %3: i8<1x4> = min.i8 %2, %2; %4: u32 = format %3;";
        let bytes = text(true, other);
        assert!(bytes.contains("i8<1x4> = convert %0") && bytes.contains("max.i16"), "{bytes}");
        assert!(!text(false, chain).contains("i16"));
        assert!(!text(true, "%2: u8<1x4> = min.u8 %0, %0; %3: u32 = format %2;").contains("i16"));
    }

    #[test]
    fn sums_of_elements_that_are_words_are_made_in_words() {
        let sums = |register: &str, sum: &str| lines(&format!("%2: {register}; %3: {sum} %2;"));
        let text = sums("u8<1x64> = constant 255", "u32 = reduce add.u32");
        assert!(
            text.contains("%4: u16 = reduce add.u16 %2") && text.contains("%3: u32 = convert %4"),
            "{text}"
        );
        assert!(sums("u8<1x64> = constant 255", "u64 = reduce add.u64").contains("%3: u64 = convert %4"));
        assert!(sums("u16<1x64> = constant 1023", "i32 = reduce add.i32").contains("reduce add.u16"));
        for (register, sum) in [
            ("u16<1x64> = constant 1024", "u32 = reduce add.u32"), // 65536
            ("i16<1x64> = constant -1", "i32 = reduce add.i32"),
            ("u8<1x64> = constant 255", "u32 = reduce max.u32"),
            ("u8<1x32> = constant 255", "u32 = reduce add.u32"),
            ("i32<1x64> = constant 255", "i32 = reduce add.i32"),
        ] {
            let text = sums(register, sum);
            assert!(text.contains(&format!("%3: {sum} %2")), "{text}");
        }
    }

    #[test]
    fn products_that_are_only_added_are_words() {
        let sum = |reduce: &str| {
            lines(&format!("%2: i32<1x4> = mul.i32 %0, %0; %3: {} = reduce {reduce} %2;", &reduce[4..]))
        };
        assert!(sum("add.i32").contains("%2: u16<1x4> = mul.u16 %0, %0"), "{}", sum("add.i32"));
        assert!(sum("max.i32").contains("%2: i32"), "the elements are extended before");
        assert!(sum("add.i64").contains("%2: i32"));
    }

    #[test]
    fn factors_are_made_shorter() {
        let text = lines(
            "%2: i32<1x4> = sub.i32 %0, %0; %3: i32<1x4> = sub.i32 %0, %1; %4: i32<1x4> = mul.i32 %2, %3;",
        );
        assert!(
            text.contains("%2: i16") && text.contains("%3: i16") && text.contains("mul.i32 %2, %3"),
            "{text}"
        );
        let text = lines(
            "%2: i32<1x4> = sub.i32 %0, %0; %3: i32<1x4> = constant 999; %4: i32<1x4> = mul.i32 %2, %3;",
        );
        assert!(text.contains("%2: i32"), "{text}");
    }

    #[test]
    fn nothing_is_made_shorter_to_be_extended() {
        let text = lines(
            "%2: i32<1x4> = sub.i32 %0, %0; %3: i32<1x4> = mul.i32 %1, %1; %4: i32<1x4> = add.i32 %2, %3;",
        );
        assert!(!text.contains(".i16") && !text.contains(".u16"), "{text}");
    }
}
