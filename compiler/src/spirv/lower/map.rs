//! Element-wise operations: operands prepared for the recipe of the operation.

use crate::elem::ElemType;
use crate::ir::{Inst, Value};
use crate::limits::DWORD;
use crate::ops::{Class, MapKind, Operand, Outcome};

use super::lowering::{Def, Lowering, Result};
use crate::spirv::emit::recipe::{Known, MapOperands, Recipe, recipe};
use crate::spirv::facts::hazard::{
    Hazard, compares, depends_on_sign, depends_on_smallest, depends_on_wrapping, is_split, limits_chosen,
    loses_signs, merges_selections, mistypes_constants, orders_shorter, shortens_counts,
};
use crate::spirv::module::Val;
use crate::spirv::target::{Instruction, Target};
use crate::spirv::types::{Scalar, Ty};

/// The result of an operation, and the bits of all its elements if they are known.
type Made = (Val, Known);

/// An operation whose operands are prepared.
struct Operation<'a> {
    kind: MapKind,
    common: ElemType,
    operands: &'a [Value],
    hazards: Vec<Hazard>,
    result: Option<Value>,
}

impl Lowering<'_> {
    /// An element-wise operation.
    pub(crate) fn map(
        &mut self,
        (kind, common, saturate): (MapKind, ElemType, bool),
        operands: &[Value],
        inst: &Inst,
    ) -> Result<Made> {
        let recipe = match recipe(kind, common, saturate, self.target) {
            Recipe::Missing(missing) => return Err(self.missing(missing)),
            Recipe::Conversion => return self.conversion(operands, saturate, inst),
            recipe => recipe,
        };
        if let (Class::Selection, &[_, a, b]) = (kind.class(), operands)
            && a == b
        {
            // The optimiser removes this selection.
            return self.operand(a, common);
        }
        let mut prepared = self.operands(kind, common, operands, inst.result)?;
        if inst.result.is_some_and(|result| self.cases.contains(result)) {
            for (val, known) in prepared.iter_mut().filter(|(_, known)| known.is_some()) {
                (*val, *known) = (self.builder.apart(*val), None);
            }
        }
        let (fused, boolean) = self.fused(kind, common, operands, &prepared);
        let mut result = match fused {
            Some(fused) => fused,
            None if inst.result.is_some_and(|result| self.added_sizes.contains(result)) => {
                self.builder.added_size(prepared[0].0)
            }
            None if self.picks_either(kind, common, inst.result, operands) => {
                self.builder.pick_either(kind, prepared[0].0, prepared[1].0)
            }
            None => self.made(&recipe, kind, common, &prepared)?,
        };
        self.note(kind, &prepared, result, boolean);
        // The optimiser removes operations without effect: a sum with 0, the minimum of a number and itself.
        let first = usize::from(kind.class() == Class::Selection);
        let mut others = operands.iter().zip(&prepared).skip(first + 1);
        if others.all(|(x, (_, known))| known.is_some() || *x == operands[first]) {
            self.builder.same_rows(prepared[first].0, result);
        }
        // So it does selections whose result it knows, also from the ranges of numbers.
        if matches!(kind.class(), Class::Selection | Class::Between) {
            let extended =
                |(x, known): &(Val, Known)| known.is_none() && self.builder.extended.contains(&x.id);
            if prepared[first..].iter().any(extended) {
                self.builder.extended.insert(result.id);
            }
            for (selected, _) in &prepared[first..] {
                self.builder.same_rows(*selected, result);
            }
        }
        if kind == MapKind::Sub && !common.is_float() && result.ty.count == 1 && self.branches {
            // See `hide_zeros`.
            result = self.builder.apart(result);
        }
        Ok(match kind.outcome() {
            Outcome::Same | Outcome::Unsigned => (result, None),
            Outcome::Mask => {
                // Selections and `any` use the truth values directly, without another comparison of the mask.
                (self.mask(result, Scalar::Int(16), inst.result), None)
            }
        })
    }

    /// Whether nobody sees which one of equal floats a minimum or maximum is, because nobody sees the sign of a zero or all
    /// zeros have the same one.
    pub(crate) fn picks_either(
        &self,
        kind: MapKind,
        common: ElemType,
        result: Option<Value>,
        operands: &[Value],
    ) -> bool {
        let between = matches!(kind, MapKind::Min | MapKind::Max) && common.is_float();
        let negative = |x: &Value| self.zero_signs.may_be_negative(*x, common);
        between && (!self.zero_signs.seen(result) || !operands.iter().any(negative))
    }

    /// The result of a recipe for prepared operands.
    pub(crate) fn made(
        &mut self,
        recipe: &Recipe,
        kind: MapKind,
        common: ElemType,
        prepared: &[(Val, Known)],
    ) -> Result<Val> {
        let operands = MapOperands::new(kind, common, prepared);
        let result = operands.and_then(|operands| self.builder.make(recipe, operands));
        result.ok_or_else(|| self.malformed(format!("operands of `{}`", kind.name())))
    }

    /// Prepares operands by the rules of the kind, in forms that the compiler does not break.
    fn operands(
        &mut self,
        kind: MapKind,
        common: ElemType,
        operands: &[Value],
        result: Option<Value>,
    ) -> Result<Vec<(Val, Known)>> {
        let mut prepared = vec![];
        for (x, rule) in operands.iter().zip(kind.operands()) {
            let def = self.def(*x)?;
            prepared.push(match rule {
                Operand::Common => self.operand(*x, common)?,
                Operand::Source | Operand::Own | Operand::Mask => (def.val, def.known),
            });
        }
        let bits = kind.class() == Class::Bitwise && common.bytes() == 8;
        if self.target == Target::XeLp && (is_emulated(kind.class(), common) || bits) {
            // As in `unbroken_comparison`: copies would be rows, too.
            for (val, _) in &mut prepared {
                *val = self.builder.longs_together(*val);
            }
        }
        let hazards = operands.iter().map(|x| self.hazards.value(*x)).collect();
        let operation = Operation { kind, common, operands, hazards, result };
        for (n, (val, _)) in
            prepared.iter_mut().enumerate().filter(|(n, _)| kind.operands()[*n] != Operand::Mask)
        {
            *val = self.unbroken_operand(&operation, n, *val)?;
        }
        if kind.class().is_comparison() {
            self.unbroken_comparison(&operation, &mut prepared);
        }
        self.hide_subtracted(&operation, &mut prepared);
        if kind.class() == Class::Selection {
            for (val, _) in prepared.iter_mut().skip(1) {
                if self.truth(*val).is_some() {
                    *val = self.builder.contiguous_mask(*val);
                }
            }
        }
        self.hide_zeros(kind, operands, &mut prepared)?;
        for (n, hazard) in operation.hazards.iter().enumerate() {
            if kind.operands()[n] == Operand::Mask {
                prepared[n].0 = self.selecting(prepared[n].0, *hazard);
            }
        }
        let count = |val: &(Val, Known)| val.0.ty.count;
        if prepared.windows(2).any(|pair| count(&pair[0]) != count(&pair[1])) {
            return Err(self.malformed("operands of different shapes"));
        }
        Ok(prepared)
    }

    /// Operand `n`, which is no mask, in a form that the compiler does not break by itself.
    fn unbroken_operand(&mut self, operation: &Operation<'_>, n: usize, val: Val) -> Result<Val> {
        let &Operation { kind, common, operands, ref hazards, result } = operation;
        let (x, hazard) = (operands[n], hazards[n]);
        let def = self.def(x)?;
        let (unknown, elem) = (def.known.is_none(), def.ty.elem());
        let widened = elem.is_some_and(|own| own.is_signed() && own.bytes() < common.bytes());
        let cut = elem.is_some_and(|own| own.bytes() > common.bytes());
        let mut val = val;
        if cut && common.bytes() == 1 && unknown && !kind.class().is_comparison() {
            // Low bytes are not contiguous, see `moved_bytes`.
            val = self.builder.settled(val);
        }
        // The instruction reads the bytes of a copied number with the sign of the copy.
        let in_bytes = kind == MapKind::DotUu && self.target.has(Instruction::ByteDot) && hazard.picked;
        let short = unknown
            && (in_bytes
                || depends_on_sign(kind, common, n) && (widened || hazard.extended || hazard.picked));
        let merged = merges_selections(kind, common, n, hazards[0]);
        let danger = Hazard {
            extended: short || merged,
            negated: unknown && depends_on_wrapping(kind, common, n) && hazard.negated,
            ..Hazard::default()
        };
        let (other, constant) = (operands.len() - 1 - n, hazard.folded || hazard.partly);
        let known = hazards.iter().all(|x| x.folded || x.partly);
        let parts = known && hazard.partly && val.ty.count > 1;
        let mistyped = mistypes_constants(kind) && constant;
        // The shortest type has 8 bits.
        let low = || self.constants.get(&x).is_some_and(|each| each.iter().all(|count| *count < 8));
        let of_zero =
            n == 1 && kind.class() == Class::Quotient && constant && self.may_divide_by_zero(x, common);
        let known_count = unknown
            && shortens_counts(kind, n)
            && !constant
            && self.counts.may_be_known(x, common, result, hazard.truth);
        let own_mask = hazard.truth && result.is_some_and(|result| self.own_masks.contains(result));
        let carried = hazard.carried || hazard.product && common.bytes() == 1;
        let own = kind.class().is_comparison() && carried
            || own_mask
            || of_zero && val.ty.count > 1
            || parts && compares(kind)
            || loses_signs(kind, common)
            || is_split(kind, common) && hazard.constant
            || mistyped
            || hazard.folded && depends_on_sign(kind, common, n) && self.is_packed_signed(x, common)
            || hazard.opposite
                && depends_on_smallest(kind, common, n)
                && self.ranges.may_be_smallest(x, common)
            || shortens_counts(kind, n) && constant && !low()
            || orders_shorter(kind, common) && self.ranges.may_mix_signs(x, operands[other], common);
        let limited = unknown && hazard.chosen && limits_chosen(kind, common, hazards[other]);
        // `short_longs` shortens the others.
        let word = kind == MapKind::Mul && common == ElemType::U64 && self.may_be_word(x, common);
        let quotient = n == 0 && kind.class() == Class::Quotient && common.bytes() == 8;
        val = if merged && (hazard.chosen || hazard.constant) || known_count {
            self.builder.hidden(val)
        } else if (own || word) && (unknown || quotient || mistyped) {
            self.builder.own(val, hazard)
        } else if limited {
            self.builder.own_number(val, hazard)
        } else {
            self.builder.unsigned(val, danger)
        };
        let swapped = self.swapped_bytes.contains(kind, x);
        Ok(if swapped { self.builder.apart_from_sums(val) } else { val })
    }

    /// The operands of a comparison, in forms that the compiler does not break together.
    fn unbroken_comparison(&mut self, operation: &Operation<'_>, prepared: &mut [(Val, Known)]) {
        let &Operation { kind, common, operands, ref hazards, .. } = operation;
        let one = prepared[0].0.ty.count == 1;
        if kind.class() == Class::Equality && !common.is_float() && common.bytes() == DWORD && one {
            self.keep_signs(operands, prepared);
        }
        if self.branches && kind.class() == Class::Order && common.is_float() && one {
            // Branches that store one number become selections: see `merges_selections`.
            let n = usize::from(prepared[0].1.is_some());
            prepared[n].0 = self.builder.own(prepared[n].0, hazards[n]);
        }
        let (first, second) = (prepared[0].0, prepared[1].0);
        // If rows that cross registers, or that overlap, are compared with themselves, the compiler takes one operand
        // row by row and reads beyond the row in the other one.
        let beyond = first == second && self.builder.has_common_elements(first);
        // If some elements are compared with themselves, the compiler knows their result, and loses the other results.
        let lost = first != second && self.builder.origin(first) == self.builder.origin(second);
        if beyond || lost {
            prepared[0].0 = self.builder.apart(first);
        }
        if is_split(kind, common) && !common.is_float() {
            // If the target lacks 64-bit integers, the compiler crashes on rows of them.
            for (val, _) in prepared {
                *val = self.builder.longs_together(*val);
            }
        }
    }

    /// Hides zeros from which something is subtracted: the compiler negates it, which of 0 gives -0.
    fn hide_subtracted(&mut self, operation: &Operation<'_>, prepared: &mut [(Val, Known)]) {
        let &Operation { kind, common, operands, ref hazards, .. } = operation;
        for n in 0..operands.len().min(2) {
            let known = hazards[n].folded && prepared[n].1.unwrap_or(0) == 0;
            let zeros = hazards[n].partly || known || self.known_zeros.contains(operands[n]);
            if zeros && subtracts_from(kind, common, n, hazards[operands.len() - 1 - n]) {
                prepared[n].0 = self.builder.hidden(prepared[n].0);
            }
        }
    }

    /// A mask as truth values.
    fn selecting(&mut self, mask: Val, hazard: Hazard) -> Val {
        match self.truth(mask) {
            Some(truth) => truth,
            None if hazard.partly && mask.ty.count > 1 => {
                let own = self.builder.own(mask, hazard);
                self.builder.odd(own)
            }
            None => self.builder.odd(mask),
        }
    }

    /// Whether an element of a constant may be 0 as a divisor of this type. The optimiser makes the whole
    /// quotient undefined if one element of a constant divisor is 0, even if only the other elements are
    /// used.
    fn may_divide_by_zero(&self, divisor: Value, elem: ElemType) -> bool {
        let bits = u64::MAX >> (64 - elem.bytes() as u32 * 8);
        let known = self.constants.get(&divisor);
        !elem.is_float() && !known.is_some_and(|each| each.iter().all(|own| own & bits != 0))
    }

    /// Whether the compiler may encode some words of a constant as signed numbers of 4 bits, -1 for the
    /// largest word: the hardware takes that for less than 0.
    fn is_packed_signed(&self, x: Value, elem: ElemType) -> bool {
        let own = self.values.get(&x).and_then(|def| def.ty.elem());
        let small = |bits: &u64| {
            own.and_then(|own| own.integer(*bits)).is_some_and(|number| (-8..0).contains(&(number as i16)))
        };
        elem.bytes() == 2 && self.constants.get(&x).is_some_and(|each| each.iter().any(small))
    }

    /// Hides the zeros of a selection between them and a difference, or of a maximum of them and a difference from a
    /// constant.
    fn hide_zeros(&mut self, kind: MapKind, operands: &[Value], prepared: &mut [(Val, Known)]) -> Result<()> {
        let pairs = match (kind, operands) {
            (_, &[_, a, b]) if kind.class() == Class::Selection => [(1, a, b), (2, b, a)],
            (MapKind::Max, &[a, b]) => [(0, a, b), (1, b, a)],
            _ => return Ok(()),
        };
        for (n, x, other) in pairs {
            let hazard = self.hazards.value(other);
            let negated = hazard.negated && kind.class() == Class::Selection;
            if self.hazards.value(x).zero && (negated || hazard.lowered) {
                let zeros = prepared[n].0;
                prepared[n].0 = match self.def(x)?.known {
                    Some(_) => self.builder.other_zeros(zeros.ty),
                    None => self.builder.hidden(zeros),
                };
            }
        }
        Ok(())
    }

    /// An operand, converted to the type of the operation.
    pub(crate) fn operand(&mut self, value: Value, elem: ElemType) -> Result<(Val, Option<u64>)> {
        let def = self.def(value)?;
        let from = self.elem(def)?;
        if from == elem {
            return Ok((def.val, def.known));
        }
        let known = converted(def.known, from, elem);
        let val = match known {
            Some(bits) => self.builder.constant(Ty::new(elem.into(), def.val.ty.count), bits),
            None => {
                let hazard = self.hazards.value(value);
                let mut val = self.no_truth(value, def.val, from, elem);
                let in_bytes = self.padded_bytes.computed(value);
                val = self.whole_before_cut(value, val, (from, elem), in_bytes);
                if elem.bytes() == 8 && from == ElemType::U32 && hazard.folded && hazard.partly {
                    // See `is_misloaded`.
                    val = self.builder.hidden(val);
                }
                let converted = self.builder.convert(val, from, elem, hazard);
                if from.bytes() > elem.bytes() { self.separated_low_bits(converted) } else { converted }
            }
        };
        Ok((val, known))
    }

    /// Single dwords that are compared with extended words. If the compiler knows a dword from an unsigned operation, it
    /// compares it as an unsigned number, and the word with its sign. So the dword has an opaque copy.
    fn keep_signs(&mut self, operands: &[Value], prepared: &mut [(Val, Known)]) {
        let extended: Vec<bool> = operands.iter().map(|x| self.is_extended(*x)).collect();
        for (n, (val, known)) in prepared.iter_mut().enumerate() {
            if known.is_none() && !extended[n] && extended.iter().any(|extended| *extended) {
                *val = self.builder.own(*val, self.hazards.value(operands[n]));
            }
        }
    }

    /// A number whose low bits are taken, protected so that the compiler does not compute only these bits,
    /// see `moved_bytes`; or `in_bytes`, see `padded_bytes`.
    fn whole_before_cut(
        &mut self,
        value: Value,
        val: Val,
        (from, to): (ElemType, ElemType),
        in_bytes: bool,
    ) -> Val {
        let cut = !from.is_float() && !to.is_float() && from.bytes() > to.bytes() && val.ty.count > 1;
        let long = self.builder.long_registers && self.moved_bytes.computed_of_long_registers(value);
        if cut && to.bytes() == 1 && (in_bytes || long || self.moved_bytes.computed_of_cut(value)) {
            self.builder.uncut(val)
        } else {
            val
        }
    }

    /// A number that is converted, protected so that the compiler does not recognise it as a truth value.
    fn no_truth(&mut self, value: Value, val: Val, from: ElemType, to: ElemType) -> Val {
        let float = !from.is_float() && to.is_float();
        let truth = float && from.is_signed() && self.hazards.value(value).truth;
        if truth && self.ranges.may_be_negative(value) { self.builder.apart(val) } else { val }
    }

    /// A conversion: Rust's `as`, or CM's `SAT`.
    fn conversion(&mut self, operands: &[Value], saturate: bool, inst: &Inst) -> Result<Made> {
        let &[x] = operands else { return Err(self.malformed("operands of a conversion")) };
        let mut def = self.def(x)?;
        let (from, to) = (self.elem(def)?, self.elem(Def { ty: inst.ty, ..def })?);
        let (ty, hazard) = (Ty::from(inst.ty), self.hazards.value(x));
        if def.known.is_none()
            && hazard.partly
            && def.val.ty.count > 1
            && compares_converted(from, to, saturate)
        {
            def.val = self.builder.own(def.val, hazard);
        }
        if hazard.folded && def.known.is_none() && from.is_float() && !to.is_float() {
            // The compiler converts repeated constants in one element, and compares only this one with 0.
            def.val = self.builder.hidden(def.val);
        }
        let compared = inst.result.is_some_and(|result| self.compare_uses.contains(result));
        if compared && from.is_float() && !to.is_float() {
            def.val = self.builder.without_fractions(def.val, to);
        }
        // These conversions may be lowered to comparisons.
        let split = from.bytes() == 8 || to.bytes() == 8;
        let carried = hazard.carried || hazard.product && from.bytes() == 1;
        let compared = saturate && !to.is_float() && carried || split && hazard.constant;
        if def.known.is_none() && compared {
            def.val = self.builder.apart(def.val);
        } else if def.known.is_none() {
            def.val = self.no_truth(x, def.val, from, to);
            let in_place = self.padded_bytes.in_place(x, inst.result, saturate);
            def.val = self.whole_before_cut(x, def.val, (from, to), in_place);
        }
        // `converted` wraps.
        let known = converted(def.known, from, to).filter(|_| !saturate);
        let val = match (known, saturate) {
            (Some(bits), _) => self.builder.constant(ty, bits),
            (None, _) if self.fits(x, from, to) => self.builder.cut_off(def.val, ty),
            (None, true) => {
                if hazard.opposite && from.is_signed() && self.ranges.may_be_smallest(x, from) {
                    def.val = self.builder.apart(def.val);
                }
                let limited = self.builder.saturate(def.val, from, to, hazard);
                self.builder.same_rows(def.val, limited);
                limited
            }
            (None, false) => self.builder.convert(def.val, from, to, hazard),
        };
        Ok((val, known))
    }

    /// Whether a float is known to fit an integer type.
    fn fits(&self, x: Value, from: ElemType, to: ElemType) -> bool {
        // On registers of 64 bytes, the saturating conversion is shorter.
        let narrow = self.form.register_bytes() == 32;
        narrow && from == ElemType::F32 && !to.is_float() && self.ranges.fits(x, to)
    }

    /// A number that certainly divides a product, if the product does not wrap. Offsets of regions do not
    /// wrap.
    pub(crate) fn multiple(&self, kind: MapKind, elem: ElemType, operands: &[Value]) -> Result<usize> {
        let &[a, b] = operands else { return Ok(1) };
        let (a, b) = (self.def(a)?, self.def(b)?);
        if elem.is_float() || elem.bytes() != 4 {
            return Ok(1);
        }
        let constant = |d: Def| match d.known {
            Some(bits) if bits > 0 && bits <= 1 << 16 => bits as usize,
            _ => d.multiple,
        };
        Ok(match kind {
            // If the product overflows, nothing is known.
            MapKind::Mul => constant(a).checked_mul(constant(b)).unwrap_or(1),
            _ => 1,
        })
    }
}

/// Whether the optimiser may make a difference from this operand: also of a sum with a negation.
fn subtracts_from(kind: MapKind, elem: ElemType, operand: usize, other: Hazard) -> bool {
    elem.is_float()
        && match kind {
            MapKind::Sub => operand == 0,
            MapKind::Add => other.minus,
            _ => false,
        }
}

/// Whether Xe-LP computes 64-bit integers in other ways than both halves one after the other.
const fn is_emulated(class: Class, elem: ElemType) -> bool {
    elem.bytes() == 8
        && !elem.is_float()
        && !class.is_low()
        && !matches!(class, Class::Conversion | Class::Selection)
}

/// Whether a conversion is lowered to comparisons.
const fn compares_converted(from: ElemType, to: ElemType, saturate: bool) -> bool {
    saturate || from.is_float() != to.is_float()
}

/// The bits of a constant integer, converted to another integer type.
fn converted(known: Option<u64>, from: ElemType, to: ElemType) -> Option<u64> {
    let number = from.integer(known?).filter(|_| !to.is_float())?;
    Some(number as u64 & (u64::MAX >> (64 - to.bytes() as u32 * 8)))
}
