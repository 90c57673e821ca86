//! What is done with the numbers of joint reductions.

use rustc_hash::FxHashSet;

use crate::elem::ElemType;
use crate::ir::{Inst, Op, Operands, Region, Type, Value};

use super::pass::Pass;

/// The results of joint reductions, or of what was done alike with all of them.
pub(super) struct Numbers {
    /// The register of all.
    pub(super) register: Value,
    pub(super) elem: ElemType,
    /// The scalars that it replaces.
    pub(super) each: Vec<Value>,
}

impl Pass {
    /// Adds the instructions after joint reductions. As long as all numbers are used alike, the register of the numbers is
    /// used instead.
    pub(super) fn use_numbers(
        &mut self,
        mut all: Vec<Inst>,
        mut rest: Vec<Inst>,
        mut numbers: Numbers,
    ) -> Vec<Inst> {
        while let Some((users, next)) = self.alike_users(&rest, &numbers) {
            let ty = Type::new(next, 1, numbers.each.len());
            let inst = rest[users[0]].clone();
            let Op::Map { kind, common, saturate, operands } = inst.op else { break };
            let (made, register) = self.insts.at(&inst.location, |made| {
                let own = |x: &Value| {
                    if *x == numbers.each[0] {
                        return numbers.register;
                    }
                    let repeated = |scalar: Type| Type { columns: ty.columns, ..scalar };
                    match self.constants.get(x) {
                        Some((scalar, bits)) => made.constant(*bits, repeated(*scalar)),
                        None => made.splat(*x, repeated(self.types[x])),
                    }
                };
                let operands: Vec<Value> = operands.iter().map(own).collect();
                made.emit(Op::Map { kind, common, saturate, operands: Operands::new(&operands) }, ty)
            });
            self.typed(&made);
            all.extend(made);
            let each = users.iter().filter_map(|n| rest[*n].result).collect();
            let mut n = 0;
            rest.retain(|_| (!users.contains(&n), n += 1).0);
            numbers = Numbers { register, elem: next, each };
        }
        match self.inserted(&rest, &numbers) {
            Some((chain, base, region)) => {
                let last = chain[chain.len() - 1];
                let whole = Op::Insert(base, region, numbers.register);
                rest[last].op = whole;
                let mut n = 0;
                rest.retain(|_| (n == last || !chain.contains(&n), n += 1).0);
            }
            None => {
                let location = all.last().or(rest.first()).map(|inst| inst.location.clone());
                let scalar = Type::scalar(numbers.elem);
                if let Some(location) = location {
                    let (made, ()) = self.insts.at(&location, |made| {
                        for (row, number) in numbers.each.iter().enumerate() {
                            let region = Region::contiguous(row, 1);
                            made.push(Op::Region(numbers.register, region), Some(*number), scalar);
                        }
                    });
                    all.extend(made);
                }
            }
        }
        all.extend(rest);
        all
    }

    /// The places of the only instructions that use the numbers, and the type of their results, if they are the same
    /// operation with the same other operands.
    fn alike_users(&self, rest: &[Inst], numbers: &Numbers) -> Option<(Vec<usize>, ElemType)> {
        let later: FxHashSet<Value> = rest.iter().filter_map(|inst| inst.result).collect();
        let constant = |x: &Value| self.constants.get(x);
        let mut users = vec![];
        for number in &numbers.each {
            if self.uses.get(number) != Some(&1) {
                return None;
            }
            users.push(rest.iter().position(|inst| inst.op.operands().contains(number))?);
        }
        let user = |n: usize| match &rest[users[n]].op {
            Op::Map { kind, common, saturate, operands } => Some((*kind, *common, *saturate, *operands)),
            _ => None,
        };
        let first = user(0)?;
        if first.3.iter().filter(|x| numbers.each.contains(x)).count() != 1 {
            return None;
        }
        for n in 0..users.len() {
            let own = user(n)?;
            if (own.0, own.1, own.2, own.3.len()) != (first.0, first.1, first.2, first.3.len()) {
                return None;
            }
            for (x, y) in own.3.iter().zip(first.3.iter()) {
                let number = *x == numbers.each[n] && *y == numbers.each[0];
                let outer = x == y && !later.contains(x) && !numbers.each.contains(x);
                let known = constant(x).is_some() && constant(x) == constant(y);
                if !(number || outer || known) {
                    return None;
                }
            }
        }
        Some((users.clone(), rest[users[0]].ty.elem()?))
    }

    /// The places of the instructions that insert the numbers one after the other into a register, that register, and the
    /// region of all numbers.
    fn inserted(&self, rest: &[Inst], numbers: &Numbers) -> Option<(Vec<usize>, Value, Region)> {
        let (mut chain, mut base, mut before) = (vec![], None, None);
        let mut offsets = vec![];
        for number in &numbers.each {
            let place = rest.iter().position(|inst| inst.op.operands().contains(number))?;
            let Op::Insert(x, region, value) = rest[place].op else { return None };
            let next = before.is_none_or(|before| before == x && self.uses.get(&x) == Some(&1));
            if self.uses.get(number) != Some(&1) || value != *number || region.dynamic.is_some() || !next {
                return None;
            }
            base = base.or(Some(x));
            before = rest[place].result;
            chain.push(place);
            offsets.push(region.offset);
        }
        let step = offsets.get(1)?.checked_sub(offsets[0]).filter(|step| [1, 2, 4].contains(step))?;
        let evenly = offsets.windows(2).all(|pair| pair[0] + step == pair[1]);
        let count = offsets.len();
        let region =
            Region { row_stride: count * step, column_stride: step, ..Region::contiguous(offsets[0], count) };
        evenly.then_some((chain, base?, region))
    }
}
