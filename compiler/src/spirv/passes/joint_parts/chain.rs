//! Insertions in one matrix, one after the other.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rows::{Order, Rows};
use crate::ir::{Block, Inst, Op, Region, Type, Value};
use crate::spirv::facts::defs::Defs;

/// The most insertions of a chain that is searched: each step of its values may go back through all of them.
const LONGEST: usize = 512;

/// Insertions of which none replaces elements of another one.
pub(super) struct Chain {
    pub(super) ty: Type,
    /// The matrix before the first one.
    pub(super) base: Value,
    /// Where each inserts which part.
    inserted: Vec<(Region, Value)>,
    /// The result of the last one.
    pub(super) end: Value,
    /// The results of all.
    pub(super) results: FxHashSet<Value>,
    /// Whether all elements are replaced.
    pub(super) is_whole: bool,
}

/// Where several parts are inserted at once, and the parts.
pub(super) type Parts = (Region, Vec<Value>);

impl Chain {
    /// The chains of a block whose results have these places.
    pub(super) fn all(block: &Block, defs: &Defs<'_>, places: &FxHashMap<Value, usize>) -> Vec<Self> {
        let inserts = |inst: &&Inst| matches!(inst.op, Op::Insert(..));
        let goes_on = |x: Value| {
            let next = |user: &&Inst| matches!(user.op, Op::Insert(whole, ..) if whole == x);
            defs.users(x)
                .iter()
                .any(|user| next(user) && user.result.is_some_and(|x| places.contains_key(&x)))
        };
        let ends = block.insts.iter().filter(inserts).filter_map(|inst| inst.result).filter(|x| !goes_on(*x));
        let mut left: Vec<Value> = ends.collect();
        let (mut found, mut seen) = (vec![], FxHashSet::default());
        while let Some(end) = left.pop() {
            if let Some(chain) = Self::of(end, defs, places).filter(|_| seen.insert(end)) {
                // The matrix before may end another chain.
                left.push(chain.base);
                found.push(chain);
            }
        }
        found
    }

    /// The insertions that end with this result.
    fn of(end: Value, defs: &Defs<'_>, places: &FxHashMap<Value, usize>) -> Option<Self> {
        let ty = defs.get(end)?.ty;
        let mut is_free = vec![true; ty.count()];
        let (mut x, mut inserted, mut results) = (end, vec![], FxHashSet::default());
        while let Some(Inst { op: Op::Insert(whole, region, part), .. }) =
            defs.get(x).filter(|inst| places.contains_key(&x) && inst.ty == ty)
        {
            let elements: Vec<usize> = region.positions(defs.get(*part)?.ty.count()).collect();
            let is_apart = elements.iter().all(|element| is_free.get(*element) == Some(&true));
            if region.dynamic.is_some() || !is_apart {
                break;
            }
            elements.into_iter().for_each(|element| is_free[element] = false);
            inserted.push((*region, *part));
            results.insert(x);
            x = *whole;
        }
        inserted.reverse();
        let is_whole = !is_free.contains(&true);
        (2..=LONGEST).contains(&results.len()).then_some(Self {
            ty,
            base: x,
            inserted,
            end,
            results,
            is_whole,
        })
    }

    /// The parts that are inserted in all of so many blocks of columns; `None` if a part is in several blocks, or if another
    /// block has no such part.
    pub(super) fn beside(&self, blocks: usize, defs: &Defs<'_>) -> Option<Vec<Parts>> {
        if !self.inserted.len().is_multiple_of(blocks) {
            return None;
        }
        let columns = self.ty.columns / blocks;
        let mut others = FxHashMap::<(Rows, Type), Value>::default();
        let mut firsts = vec![];
        for (region, part) in &self.inserted {
            let own = defs.get(*part)?.ty;
            let rows = Rows::of(*region, own)?;
            rows.place(columns)?;
            match rows.offset % self.ty.columns < columns {
                true => firsts.push((rows, own, *part)),
                false => _ = others.insert((rows, own), *part),
            }
        }
        let of_all = |(rows, own, part): (Rows, Type, Value)| {
            let next = |n: usize| others.remove(&(rows.moved(n * columns), own));
            let parts: Option<Vec<Value>> = [Some(part)].into_iter().chain((1..blocks).map(next)).collect();
            Some((rows.of_parts(Order::Beside, blocks, columns)?, parts?))
        };
        let all: Option<Vec<Parts>> = firsts.into_iter().map(of_all).collect();
        // Also if a later block has more parts than the first one.
        all.filter(|_| others.is_empty())
    }

    /// The parts, in the order of their places; `None` if one has no neighbours only.
    pub(super) fn below(&self, defs: &Defs<'_>) -> Option<Vec<(usize, Type, Value)>> {
        let place = |(region, part): &(Region, Value)| {
            let ty = defs.get(*part)?.ty;
            region.is_contiguous(ty.count()).then_some((region.offset, ty, *part))
        };
        let mut parts: Vec<_> = self.inserted.iter().map(place).collect::<Option<_>>()?;
        parts.sort_by_key(|(place, ..)| *place);
        Some(parts)
    }
}
