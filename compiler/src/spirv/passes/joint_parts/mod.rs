//! Parts of a matrix that a kernel computes in the same way, computed at once.
//!
//! A kernel that transforms 8 x 8 words computes columns of 8 elements, which fill half of the lanes of an instruction. The
//! next block of the same rows does the same with its own columns. Taken row by row, the elements of both columns are one
//! column of the matrix with rows of half the length, which has the same elements in the same order:
//!
//! ```text
//! a0 a1 b0 b1      a0 a1
//! a2 a3 b2 b3  ->  b0 b1
//!                  a2 a3
//!                  b2 b3
//! ```
//!
//! Rows of 8 floats that are computed in the same way and are next to each other are one row of 16, in whatever order the
//! kernel computes them.
//!
//! The search starts at a chain of insertions in a matrix, and goes back to the matrices that the elements are taken from. All
//! parts are computed before the first one is inserted, so elements of the matrix before are read there.
//!
//! ```text
//! rows (of a part, and of several) <- chain (insertions in one matrix), plan (what is computed for several parts)
//! chain, plan <- costs (whether it is worth it)
//! ```

mod chain;
mod costs;
mod plan;
mod rows;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::expand::{Expansion, expanded, has_room};
use super::unused::without_unused;
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Op, Region, Type, Value};
use crate::spirv::facts::defs::Defs;
use crate::spirv::region_instructions::lanes;
use crate::spirv::target::Target;
use chain::{Chain, Parts};
use costs::Costs;
use plan::{Planner, Plans, Writer};
use rows::Order;

/// The most blocks beside each other.
const BLOCKS: usize = 16;

/// The kernel in which blocks beside each other are one; `None` if there are none, or if registers might become scarce.
pub(crate) fn beside(function: &Function, form: Target, budget: usize) -> Option<Function> {
    joined(function, Order::Beside, form, budget)
}

/// The kernel in which parts next to each other are one, if they are shorter than an instruction; `None` if there are none, or
/// if registers might become scarce.
pub(crate) fn below(function: &Function, form: Target, budget: usize) -> Option<Function> {
    joined(function, Order::Below, form, budget)
}

/// How many instructions a kernel takes, as far as that depends on how its matrices are held.
pub(crate) fn instructions(function: &Function, form: Target) -> usize {
    let defs = Defs::of(function);
    let costs = Costs { defs: &defs, register: form.register_bytes() };
    function.body.instructions().map(|inst| costs.of(inst)).sum()
}

fn joined(function: &Function, order: Order, form: Target, budget: usize) -> Option<Function> {
    let defs = Defs::of(function);
    let costs = Costs { defs: &defs, register: form.register_bytes() };
    let mut found = FxHashMap::default();
    find(&function.body, order, &costs, &mut found);
    if found.is_empty() {
        return None;
    }
    let body = expanded(function, |inst, insts| {
        let joint = inst.result.and_then(|result| Some((result, found.get(&result)?)));
        joint.is_some_and(|(result, joint)| joint.write(&defs, result, insts).is_some())
    })?;
    let joined = Function { body: without_unused(body, &defs), ..function.clone() };
    let fits = joined.body.instructions().all(|inst| inst.ty.bytes() <= function.register_file);
    (fits && has_room(function, &joined, budget)).then_some(joined)
}

/// A chain of insertions with parts that are computed at once.
struct Joint {
    chain: Chain,
    order: Order,
    /// The type of the matrix that they are inserted in.
    own: Type,
    parts: Vec<Parts>,
    plans: Plans,
}

/// Finds the chains, by the results of their last insertions.
fn find(block: &Block, order: Order, costs: &Costs<'_>, found: &mut FxHashMap<Value, Joint>) {
    block.insts.iter().flat_map(|inst| inst.op.blocks()).for_each(|inner| find(inner, order, costs, found));
    let results = block.insts.iter().enumerate().filter_map(|(place, inst)| Some((inst.result?, place)));
    let places: FxHashMap<Value, usize> = results.collect();
    for chain in Chain::all(block, costs.defs, &places) {
        let search = Search { order, costs, places: &places, chain: &chain };
        let joint = match order {
            Order::Beside => search.blocks(),
            Order::Below => search.neighbours(),
        };
        if let Some((own, parts, plans)) = joint {
            found.insert(chain.end, Joint { chain, order, own, parts, plans });
        }
    }
}

/// The search for what a chain computes at once.
struct Search<'a> {
    order: Order,
    costs: &'a Costs<'a>,
    /// The places of the results of the block.
    places: &'a FxHashMap<Value, usize>,
    chain: &'a Chain,
}

type Found = (Type, Vec<Parts>, Plans);

impl Search<'_> {
    fn planner(&self) -> Planner<'_> {
        Planner::new(self.costs.defs, self.places, self.chain, self.order)
    }

    /// As many blocks beside each other as is best.
    fn blocks(&self) -> Option<Found> {
        let Type { rows, columns, .. } = self.chain.ty;
        let all = (2..=BLOCKS.min(columns)).filter(|blocks| rows > 1 && columns.is_multiple_of(*blocks));
        let found = all.filter_map(|blocks| {
            let parts = self.chain.beside(blocks, self.costs.defs)?;
            let mut planner = self.planner();
            parts.iter().try_for_each(|(_, parts)| planner.plan(parts))?;
            let plans = planner.plans();
            let own = Type { rows: rows * blocks, columns: columns / blocks, ..self.chain.ty };
            Some((self.costs.gain(self.places, self.chain, (&parts, &plans))?, (own, parts, plans)))
        });
        found.max_by_key(|(gain, _)| *gain).map(|(_, found)| found)
    }

    /// As many neighbours as an instruction computes.
    fn neighbours(&self) -> Option<Found> {
        let defs = self.costs.defs;
        let base = defs.get(self.chain.base).map(|inst| &inst.op);
        if !self.chain.is_whole && !base.is_some_and(is_known) {
            return None;
        }
        let all = self.chain.below(defs)?;
        let most = lanes(self.chain.ty.elem().map_or(1, ElemType::bytes), self.costs.register);
        let mut planner = self.planner();
        let (mut at, mut parts) = (0, vec![]);
        while let Some((place, ty, _)) = all.get(at) {
            let count = ty.count();
            let counts = std::iter::successors(Some(most), |n| Some(n / 2)).take_while(|n| *n > 0);
            let fitting = counts.filter(|n| n * count <= most || *n == 1).find_map(|n| {
                let parts = all.get(at..at + n)?;
                let follows =
                    |(k, part): (usize, &(usize, Type, Value))| (part.0, part.1) == (place + k * count, *ty);
                let values: Vec<Value> = parts.iter().map(|(.., part)| *part).collect();
                (parts.iter().enumerate().all(follows) && planner.plan(&values).is_some()).then_some(values)
            })?;
            at += fitting.len();
            parts.push((Region::contiguous(*place, count * fitting.len()), fitting));
        }
        if parts.iter().all(|(_, parts)| parts.len() == 1) {
            return None;
        }
        let plans = planner.plans();
        self.costs.gain(self.places, self.chain, (&parts, &plans))?;
        Some((self.chain.ty, parts, plans))
    }
}

impl Joint {
    /// Writes the matrix for the last insertion.
    fn write(&self, defs: &Defs<'_>, result: Value, insts: &mut Expansion) -> Option<()> {
        let mut writer = Writer::new(defs, &self.plans, self.order);
        let (block, written) = insts.nested(|insts| {
            let parts: Option<Vec<Value>> =
                self.parts.iter().map(|(_, parts)| writer.joint(parts, insts)).collect();
            let base = &defs.get(self.chain.base)?.op;
            let mut whole = match self.order {
                _ if self.chain.is_whole => insts.undefined(self.own),
                _ if is_known(base) => insts.emit(base.clone(), self.own),
                Order::Beside => writer.formatted(self.chain.base, self.own, insts),
                Order::Below => self.chain.base,
            };
            let parts = parts?;
            for (n, ((region, _), part)) in self.parts.iter().zip(&parts).enumerate() {
                let op = Op::Insert(whole, *region, *part);
                match n + 1 == parts.len() && self.own == self.chain.ty {
                    true => insts.push(op, Some(result), self.own),
                    false => whole = insts.emit(op, self.own),
                }
            }
            if self.own != self.chain.ty {
                insts.push(Op::Format(whole), Some(result), self.chain.ty);
            }
            Some(())
        });
        block.insts.into_iter().for_each(|inst| insts.push(inst.op, inst.result, inst.ty));
        written
    }
}

/// Whether an operation makes the same elements for matrices of other rows and columns.
const fn is_known(op: &Op) -> bool {
    matches!(op, Op::Splat(_) | Op::Constant(Bits::Splat(_)))
}
