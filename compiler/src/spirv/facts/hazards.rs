//! Finds the values that Intel's compiler would convert or compute wrongly.
//!
//! The compiler confuses sign extensions with zero extensions, treats negations as unsigned numbers, and
//! fuses products into sums. Values that may be affected are written in forms that it does not optimise: for
//! example, an extended number is combined with a number that is always 0, which the compiler does not know.
//!
//! Operations that only move elements pass hazards on, and so do variables, because the compiler looks
//! through all of them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::chosen_constants::chosen_constants;
use super::hazard::{Hazard, is_opaque};
use super::replaced::Replaced;
use crate::dataflow::{Facts, Forward, Origin, forward, origin};
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Region, Type, Value, Variable};
use crate::limits::MASK_BITS;
use crate::ops::{Class, MapKind};
use crate::spirv::fixed_region::is_picked_step;

/// The hazards of the values of a kernel.
#[derive(Debug)]
pub(crate) struct Hazards {
    facts: Facts<Hazard>,
    /// The constants that are hidden from the optimiser.
    hidden: FxHashSet<Value>,
}

impl Hazards {
    /// The hazards of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let loops = function.body.instructions().filter(|inst| matches!(inst.op, Op::Loop(..)));
        let repeated = loops.flat_map(|inst| inst.op.blocks().flat_map(Block::stored)).collect();
        let mut converted = BTreeMap::new();
        for inst in function.body.instructions() {
            if let (Some(result), Op::Map { kind, operands, .. }) = (inst.result, &inst.op)
                && let (Class::Conversion, &[x]) = (kind.class(), &operands[..])
            {
                converted.insert(result, *converted.get(&x).unwrap_or(&x));
            }
        }
        let hidden = FxHashSet::default();
        let mut dangers = Dangers { repeated, converted, replaced: Replaced::of(function), hidden };
        let mut facts = forward(&function.body, &dangers);
        let value = |value: Value| facts.get(value).copied().unwrap_or_default();
        dangers.hidden = chosen_constants(function, value);
        if !dangers.hidden.is_empty() {
            facts = forward(&function.body, &dangers);
        }
        Self { facts, hidden: dangers.hidden }
    }

    /// The hazard of a value.
    pub(crate) fn value(&self, value: Value) -> Hazard {
        self.facts.get(value).copied().unwrap_or_default()
    }

    /// Whether a constant is hidden from the optimiser.
    pub(crate) fn hides(&self, constant: Value) -> bool {
        self.hidden.contains(&constant)
    }
}

/// The analysis: each hazard is a flag of a value.
#[derive(Default)]
struct Dangers {
    /// The variables that loops store. The optimiser does not know their constants.
    repeated: BTreeSet<Variable>,
    /// The values that others were converted from.
    converted: BTreeMap<Value, Value>,
    /// The registers of which nothing is left that was not inserted.
    replaced: Replaced,
    /// The constants that are hidden from the optimiser.
    hidden: FxHashSet<Value>,
}

impl Forward for Dangers {
    type Fact = Hazard;

    fn unknown(&self, ty: Type) -> Hazard {
        let Some(elem) = ty.elem() else { return Hazard::NONE };
        let float = elem.is_float();
        Hazard {
            extended: !float,
            negated: !float,
            negative: !float,
            zero: !float,
            carried: !float,
            constant: true,
            truth: true,
            flags: true,
            opposite: !float,
            folded: true,
            partly: true,
            chosen: true,
            picked: !float,
            picked_byte: !float,
            anywhere: !float,
            whole: true,
            minus: float,
            product: !float,
            lowered: !float,
        }
    }

    fn join(&self, a: &Hazard, b: &Hazard) -> Hazard {
        a.or(*b)
    }

    fn unstored(&self, _: Type) -> Hazard {
        Hazard::NONE
    }

    fn widen(&self, joined: Hazard, _: Type, _: usize) -> Hazard {
        // There are few hazards, and they are never removed.
        joined
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Hazard>) -> Option<Hazard> {
        let fact = |x: Value| facts.get(x).copied().unwrap_or_default();
        match (&inst.op, origin(&inst.op)) {
            (Op::Map { kind, common, saturate, operands }, Origin::Computed)
                if !saturate || kind.saturates() =>
            {
                let (kind, common, saturate) = (*kind, *common, *saturate);
                let computed = Computed { kind, common, saturate, operands, ty: inst.ty, facts };
                Some(computed.hazard(self))
            }
            (Op::Constant(_), _) if inst.result.is_some_and(|result| self.hidden.contains(&result)) => {
                Some(Hazard::NONE)
            }
            (Op::Constant(bits), _) => inst.ty.elem().map(|elem| constant(bits, elem)),
            (Op::UnpackMask(bits), _) => {
                let partly = fact(*bits).folded || inst.ty.count() > MASK_BITS;
                Some(Hazard { truth: true, flags: true, partly, ..Hazard::NONE })
            }
            // Selections between constants.
            (Op::Map { kind, operands, .. }, Origin::Elements(_)) => {
                let all = operands[1..].iter().map(|x| fact(*x));
                let truth = all.clone().all(|x| x.truth || x.constant);
                let folded = operands.iter().all(|x| fact(*x).folded);
                let partly = partly(*kind, operands, &fact);
                Some(Hazard {
                    truth,
                    flags: truth,
                    folded,
                    partly,
                    chosen: true,
                    ..all.fold(Hazard::NONE, Hazard::or)
                })
            }
            (Op::Iselect(x, _), _) => {
                let picked = inst.ty.elem().is_some_and(|elem| !elem.is_float() && elem.bytes() > 1);
                Some(Hazard { picked, ..fact(*x) })
            }
            (Op::Region(x, region), _) => Some(selected(fact(*x), region, inst.ty)),
            (Op::Load(variable), _) if self.repeated.contains(variable) => {
                let stored = facts.variable(*variable).copied();
                stored.map(|stored| Hazard { folded: false, ..stored })
            }
            (Op::Insert(x, _, y), _) => {
                let parts = inst.result.and_then(|result| self.replaced.parts(result));
                let pair = [*x, *y];
                let mut parts = parts.unwrap_or(&pair).iter().map(|x| fact(*x));
                let all = parts.clone().fold(Hazard::NONE, Hazard::or);
                let partly = parts.clone().any(|x| x.folded || x.partly);
                Some(Hazard { folded: parts.all(|x| x.folded), partly, ..all })
            }
            // Loaded values are not extensions.
            (_, Origin::Outside) => Some(Hazard::NONE),
            (_, Origin::Bytes(x)) => facts.get(x).copied(),
            _ => None,
        }
    }
}

/// An operation whose result the compiler may see through.
#[derive(Clone, Copy)]
struct Computed<'a> {
    kind: MapKind,
    common: ElemType,
    saturate: bool,
    operands: &'a [Value],
    /// The type of the result.
    ty: Type,
    facts: &'a Facts<Hazard>,
}

impl Computed<'_> {
    fn hazard(self, dangers: &Dangers) -> Hazard {
        let decided = is_decided(self.kind, self.common, self.operands, self.facts);
        let folded = decided || self.operands.iter().all(|x| self.fact(*x).folded);
        let partly = partly(self.kind, self.operands, &|x| self.fact(x));
        let Some(hazard) = self.extension() else {
            return Hazard { folded, partly, whole: false, ..dangers.unknown(self.ty) };
        };
        let truth = self.is_truth();
        let float = self.common.is_float();
        let integer = self.ty.elem().is_some_and(|elem| !elem.is_float());
        Hazard {
            carried: self.is_carried(),
            whole: self.is_whole(),
            lowered: integer && self.is_lowered(),
            product: integer && !float && self.is_product(),
            minus: float && self.is_negated_float(),
            constant: decided || self.any(|x| x.constant),
            truth,
            flags: truth && (self.kind.class().is_comparison() || self.any(|x| x.flags)),
            opposite: integer && self.is_opposite(dangers),
            folded,
            partly,
            chosen: integer && self.is_chosen(),
            ..hazard
        }
    }

    fn fact(self, x: Value) -> Hazard {
        self.facts.get(x).copied().unwrap_or_default()
    }

    /// Whether an operand has this hazard.
    fn any(self, is: impl Fn(Hazard) -> bool) -> bool {
        self.operands.iter().any(|x| is(self.fact(*x)))
    }

    fn converts(self) -> bool {
        self.kind.class() == Class::Conversion
    }

    /// The hazards of extensions and negations; `None` if the operation was not examined.
    fn extension(self) -> Option<Hazard> {
        let Self { kind, common, ty, .. } = self;
        // If the result fits, the compiler does arithmetic on extended numbers before the extension.
        let converted = |to: Type| {
            self.operands.iter().fold(Hazard::NONE, |all, x| all.or(converted(*x, to, self.facts)))
        };
        // The optimiser looks through sums for a negation. The result of an operation is no constant.
        let computed = |hazard: Hazard| {
            let from_sign = matches!(kind.class(), Class::Product | Class::Bitwise) && hazard.negative;
            let negates = matches!(kind, MapKind::Neg | MapKind::Not | MapKind::Sub) || from_sign;
            let negated = !common.is_float() && (hazard.negated || negates);
            Hazard { negated, negative: false, zero: false, anywhere: false, ..hazard }
        };
        match kind.class() {
            Class::Conversion => Some(converted(ty)),
            // See `Builder::size`.
            Class::Sign if matches!(kind, MapKind::Abs) && common.is_signed() => Some(Hazard::NONE),
            Class::Sign => Some(computed(converted(ty.with_elem(common)))),
            Class::Order | Class::Equality => Some(Hazard::NONE),
            Class::Sum | Class::Product | Class::Quotient | Class::Function if common.is_float() => {
                Some(Hazard::NONE)
            }
            Class::Function if is_opaque(kind) => Some(Hazard::NONE),
            // An extension may be reduced to an arithmetic shift.
            Class::ShiftRight if common.is_signed() => Some(Hazard { extended: true, ..Hazard::NONE }),
            Class::Sum
            | Class::Product
            | Class::Bitwise
            | Class::ShiftLeft
            | Class::ShiftRight
            | Class::Quotient
            | Class::Between
                if !common.is_float() =>
            {
                Some(computed(converted(ty.with_elem(common))))
            }
            _ => None,
        }
    }

    fn is_carried(self) -> bool {
        match self.kind.class() {
            Class::Sign | Class::Sum | Class::Product | Class::ShiftLeft | Class::Quotient => {
                !self.common.is_float() && self.common.bytes() == 1
            }
            // A conversion to a longer type keeps the bits that do not fit.
            Class::Conversion => {
                let byte = self.ty.elem().is_some_and(|elem| elem.bytes() == 1);
                let low = byte && !self.saturate && self.any(|x| x.product);
                !self.common.is_float() && (low || self.any(|x| x.carried))
            }
            _ => false,
        }
    }

    /// As far as the optimiser follows truth values.
    fn is_truth(self) -> bool {
        let class = self.kind.class();
        let made = |x: &Value| self.facts.get(*x).is_some_and(|x| x.truth || x.constant);
        class.is_comparison()
            || self.operands.iter().all(made)
            // The optimiser combines the selected numbers: `!x ^ max(x, !x)` is -1 or 0.
            || class == Class::Bitwise && self.any(|x| x.chosen)
    }

    fn is_opposite(self, dangers: &Dangers) -> bool {
        match (self.kind, self.operands) {
            (MapKind::Neg, _) => true,
            (MapKind::Sub, [a, b]) => {
                // The difference of the low bits of a number and the number is the negation of the other bits.
                self.fact(*a).zero || dangers.converted.get(a) == Some(b)
            }
            _ => self.converts() && self.any(|x| x.opposite),
        }
    }

    fn is_chosen(self) -> bool {
        match self.kind.class() {
            Class::Conversion => self.saturate || self.any(|x| x.chosen),
            Class::Sign => self.any(|x| x.chosen),
            _ => matches!(self.kind, MapKind::Min | MapKind::Max),
        }
    }

    fn is_whole(self) -> bool {
        let exact = |x: &Value| self.facts.elem(*x).is_none_or(|from| is_ordered_alike(from, self.common));
        let ordered = matches!(self.kind.class(), Class::Conversion | Class::Order) && self.common.is_float();
        ordered && self.operands.iter().any(|x| self.fact(*x).whole || !exact(x))
    }

    fn is_negated_float(self) -> bool {
        match self.kind {
            MapKind::Neg => true,
            MapKind::Mul | MapKind::Div => self.any(|x| x.minus),
            _ => self.converts() && self.any(|x| x.minus),
        }
    }

    fn is_product(self) -> bool {
        self.kind.class() == Class::Product || self.converts() && !self.saturate && self.any(|x| x.product)
    }

    fn is_lowered(self) -> bool {
        match (self.kind, self.operands) {
            (MapKind::Sub, [_, b]) => self.fact(*b).folded,
            (MapKind::Add, [_, _]) => self.any(|x| x.folded && x.negative),
            _ => self.converts() && self.any(|x| x.lowered),
        }
    }
}

/// The hazards of a region of this type.
fn selected(x: Hazard, region: &Region, ty: Type) -> Hazard {
    let anywhere = x.anywhere || region.dynamic.is_some();
    let step = if region.width == 1 { region.row_stride } else { region.column_stride };
    let integer = ty.elem().is_some_and(|elem| !elem.is_float());
    let bytes = ty.elem().map_or(1, ElemType::bytes);
    let (long, words) = (bytes > 1, bytes == 2 && is_picked_step(step));
    let indexed = integer && (words || anywhere && step > 0 && !step.is_power_of_two());
    Hazard {
        anywhere,
        picked: x.picked || indexed && long,
        picked_byte: x.picked_byte || indexed && !long,
        ..x
    }
}

fn converted(x: Value, to: Type, facts: &Facts<Hazard>) -> Hazard {
    let hazard = facts.get(x).copied().unwrap_or_default();
    match (facts.elem(x), to.elem()) {
        (Some(from), Some(to)) if !from.is_float() && !to.is_float() => {
            let wider = to.bytes() > from.bytes();
            let extended = hazard.extended || wider && from.is_signed();
            let picked = hazard.picked && to.bytes() == from.bytes();
            Hazard { extended, picked, ..hazard }
        }
        // Not a conversion.
        (Some(from), Some(to)) if from == to => hazard,
        _ => Hazard::NONE,
    }
}

/// Whether an operation compares integers with themselves, so that the optimiser knows the result.
fn is_decided(kind: MapKind, common: ElemType, operands: &[Value], facts: &Facts<Hazard>) -> bool {
    // Floats may be NaN, unless they were integers.
    let integer = |x: Value| !common.is_float() || facts.elem(x).is_some_and(|elem| !elem.is_float());
    kind.class().is_comparison() && matches!(operands, [a, b] if a == b && integer(*a))
}

/// Whether the optimiser may know some elements of a result and not others.
fn partly(kind: MapKind, operands: &[Value], fact: &dyn Fn(Value) -> Hazard) -> bool {
    let mut facts = operands.iter().map(|x| fact(*x));
    let any = facts.clone().any(|x| x.partly);
    match kind.class() {
        // These results are known only if all operands are.
        Class::Conversion | Class::Sign | Class::Sum | Class::Equality => {
            any && facts.all(|x| x.partly || x.folded)
        }
        // One operand may decide alone: a product with 0 is 0, and no unsigned number is less than 0.
        _ => any,
    }
}

/// The hazards of a constant.
fn constant(bits: &Bits, elem: ElemType) -> Hazard {
    let partly = matches!(bits, Bits::Each(_));
    let known = Hazard { constant: true, folded: true, partly, ..Hazard::NONE };
    let highest = |bits: &u64| bits >> (elem.bytes() * 8 - 1) & 1 == 1;
    if elem.is_float() {
        let minus = match bits {
            Bits::Splat(bits) => highest(bits),
            Bits::Each(each) => each.iter().any(highest),
        };
        return Hazard { minus, ..known };
    }
    let (negative, zero) = match bits {
        Bits::Splat(bits) => (highest(bits), *bits == 0),
        Bits::Each(each) => (each.iter().any(highest), each.iter().all(|bits| *bits == 0)),
    };
    Hazard { negative, zero, ..known }
}

/// Whether numbers keep their order in a conversion to a float if their bits are read as signed.
const fn is_ordered_alike(from: ElemType, to: ElemType) -> bool {
    from.is_float() || from.bytes() == 1 || from.is_signed() && from.bytes() < to.bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::Case;
    use crate::spirv::alike::kernel;

    #[test]
    fn counts_of_bits_have_no_hazard() {
        for count in ["lzd", "cbit", "fbl", "fbh", "bf_reverse"] {
            let result = if count == "bf_reverse" { "i32" } else { "u32" };
            let function = kernel(&format!(
                "%0: i32 = constant 0; %1: i32<1x8> = read #0 %0, %0; %2: i32<1x8> = neg %1; %3: {result}<1x8> = {count}.i32 %2;
                 write #1 %0, %0, %3: {result}<1x8>;\n"
            ));
            assert_eq!(Hazards::of(&function).value(Value(3)), Hazard::NONE, "{count}");
        }
    }

    #[test]
    fn dot_products_of_bytes_have_no_hazard() {
        for dot in ["dot_uu", "dot_us", "dot_su", "dot_ss"] {
            let function = kernel(&format!(
                "%0: i32 = constant 0; %1: i32<1x8> = read #0 %0, %0; %2: i32<1x8> = neg %1; %3: i32<1x8> = {dot}.i32 %1, %2;
                 write #1 %0, %0, %3: i32<1x8>;\n"
            ));
            assert_eq!(Hazards::of(&function).value(Value(3)), Hazard::NONE, "{dot}");
        }
    }

    /// Every workaround is also correct without its hazard, so an unexamined class is assumed to have all of
    /// them.
    #[test]
    fn no_operation_is_in_more_danger_than_an_unknown_one() {
        for case in Case::all() {
            let operands = case.splats(0);
            let block = case.block(&operands);
            let (result, ty) = (Value(operands.len() as u32), Type::scalar(case.result()));
            let danger = *forward(&block, &Dangers::default()).get(result).unwrap();
            assert_eq!(danger.or(Dangers::default().unknown(ty)), Dangers::default().unknown(ty), "{case:?}");
        }
    }
}
