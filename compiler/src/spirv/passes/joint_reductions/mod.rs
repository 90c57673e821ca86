//! Computes the last steps of several reductions at once.
//!
//! A reduction combines halves of a register until one element is left, so its last steps use only a few lanes of an
//! instruction. If a kernel reduces several registers in the same way (for example, the rows of a matrix), what is left of
//! them becomes the rows of one register, and each further step combines the halves of all rows. What is then done alike
//! with all numbers is done with the register of the numbers. The order in which elements are combined stays the same.

mod numbers;
mod pass;
mod steps;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

use crate::ir::{Block, Function, Inst, Op, Region, Type, Value};
use crate::limits::LANES;

use super::expand::fits;
use crate::spirv::target::Target;
use numbers::Numbers;
use pass::{Alike, Pass};
use steps::{combined, halved};

/// The most reductions that are computed at once.
const ROWS: usize = 16;

/// The kernel with joint reductions; `None` if there are none. If registers might become scarce, the largest ones are
/// computed in several groups, or one by one.
pub(crate) fn joined(function: &Function, form: Target, budget: usize) -> Option<Function> {
    let mut most = usize::MAX;
    loop {
        let mut pass = Pass::new(function, form, most)?;
        let joined = Function { body: pass.block(&function.body), ..function.clone() };
        if !pass.changed || fits(&joined, budget) {
            return pass.changed.then_some(joined);
        }
        if pass.largest == 0 {
            return None;
        }
        most = pass.largest - 1;
    }
}

/// Reductions of a block that can be computed at once.
struct Group {
    alike: Alike,
    /// Their places in the block.
    places: Vec<usize>,
    /// The instructions up to the last one that use their results.
    late: FxHashSet<usize>,
}

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.with_blocks(|inner| self.block(inner));
        let mut n = 0;
        while n < insts.len() {
            match self.group(&insts, n) {
                Some(group) => {
                    insts = self.join(&insts, &group);
                    self.changed = true;
                }
                None => {
                    if let Some(made) = self.first_step(&insts[n]) {
                        insts.splice(n..=n, made);
                        self.changed = true;
                    }
                    n += 1;
                }
            }
        }
        Block { insts }
    }

    /// A reduction of elements that are shorter than the number, with its first step apart: this step extends them, so that
    /// they are not extended before.
    fn first_step(&mut self, inst: &Inst) -> Option<Vec<Inst>> {
        let alike = self.alike(inst)?;
        let Op::Reduce { kind, common, operand } = inst.op else { return None };
        if alike.elem.bytes() >= common.bytes() || alike.count < 2 * LANES {
            return None;
        }
        let (made, ()) = self.insts.at(&inst.location, |made| {
            let half = halved(made, alike, operand, alike.count / 2);
            made.push(Op::Reduce { kind, common, operand: half }, inst.result, inst.ty);
        });
        self.typed(&made);
        Some(made)
    }

    /// The reductions that can be computed together with this one.
    fn group(&self, insts: &[Inst], first: usize) -> Option<Group> {
        let alike = self.alike(&insts[first])?;
        let mut results: FxHashSet<Value> = insts[first].result.into_iter().collect();
        let (mut places, mut late, mut waiting) = (vec![first], FxHashSet::default(), vec![]);
        for (n, inst) in insts.iter().enumerate().skip(first + 1) {
            let uses = inst.op.operands().iter().any(|x| results.contains(x));
            if inst.op.blocks().next().is_some() || places.len() == ROWS {
                break;
            }
            if uses {
                if !is_movable(&inst.op) {
                    break;
                }
                waiting.push(n);
                results.extend(inst.result);
            } else if self.alike(inst) == Some(alike) {
                places.push(n);
                results.extend(inst.result);
                late.extend(waiting.drain(..));
            }
        }
        let row = self.width(alike) * alike.common.bytes();
        let fitting = places.len().min(self.most / row).max(1);
        let rows = 1 << fitting.ilog2();
        if rows == 1 {
            return None;
        }
        places.truncate(rows);
        late.retain(|n| *n < places[rows - 1]);
        let copied = self.width(alike) == alike.count && self.regions(insts, &places, alike).is_none();
        (self.gain(alike, rows, copied) > 0).then_some(Group { alike, places, late })
    }

    /// The region of all operands, if they are evenly spaced parts of one register.
    fn regions(&self, insts: &[Inst], places: &[usize], alike: Alike) -> Option<(Value, Region)> {
        let part = |place: &usize| match insts[*place].op {
            Op::Reduce { operand, .. } => self.regions.get(&operand).copied(),
            _ => None,
        };
        let parts: Vec<(Value, Region)> = places.iter().map(part).collect::<Option<_>>()?;
        let (x, first) = parts[0];
        let step = parts.get(1)?.1.offset.checked_sub(first.offset).filter(|step| *step >= alike.count)?;
        let evenly = |(n, (own, region)): (usize, &(Value, Region))| {
            *own == x
                && region.dynamic.is_none()
                && region.is_contiguous(alike.count)
                && region.offset == first.offset + n * step
        };
        let all = parts.iter().enumerate().all(evenly);
        all.then_some((x, Region { row_stride: step, ..Region::contiguous(first.offset, alike.count) }))
    }

    /// The block with these reductions computed at once.
    fn join(&mut self, insts: &[Inst], group: &Group) -> Vec<Inst> {
        let (alike, rows, width) = (group.alike, group.places.len(), self.width(group.alike));
        let whole = (width == alike.count).then(|| self.regions(insts, &group.places, alike)).flatten();
        self.largest = self.largest.max(rows * width * alike.common.bytes());
        let last = group.places[rows - 1];
        let (mut all, mut parts) = (vec![], vec![]);
        for (n, inst) in insts.iter().enumerate().take(last + 1) {
            match &inst.op {
                Op::Reduce { operand, .. } if group.places.contains(&n) => {
                    let (made, part) = self.insts.at(&inst.location, |made| match whole {
                        Some(_) => *operand,
                        None => halved(made, alike, *operand, width),
                    });
                    all.extend(made);
                    parts.push(part);
                }
                _ if group.late.contains(&n) => {}
                _ => all.push(inst.clone()),
            }
        }
        let elem = if width == alike.count { alike.elem } else { alike.common };
        let (made, numbers) = self.insts.at(&insts[last].location, |made| {
            let ty = Type::new(elem, rows, width);
            let joined = match whole {
                Some((x, region)) => made.emit(Op::Region(x, region), ty),
                None => parts.iter().enumerate().fold(made.undefined(ty), |joined, (row, part)| {
                    made.emit(Op::Insert(joined, Region::contiguous(row * width, width), *part), ty)
                }),
            };
            combined(made, alike, joined, (rows, width))
        });
        all.extend(made);
        let results: Vec<Value> = group.places.iter().filter_map(|n| insts[*n].result).collect();
        let mut rest: Vec<Inst> = insts[..last]
            .iter()
            .enumerate()
            .filter(|(n, _)| group.late.contains(n))
            .map(|(_, x)| x.clone())
            .collect();
        rest.extend_from_slice(&insts[last + 1..]);
        self.typed(&all);
        let numbers = Numbers { register: numbers, elem: alike.common, each: results };
        self.use_numbers(all, rest, numbers)
    }
}

/// Whether an instruction only computes, so that it may move past others.
pub(super) fn is_movable(op: &Op) -> bool {
    matches!(
        op,
        Op::Map { .. }
            | Op::Group { .. }
            | Op::Region(..)
            | Op::Insert(..)
            | Op::Splat(_)
            | Op::Format(_)
            | Op::Reduce { .. }
    )
}
