//! The instructions of what is computed part by part, and at once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chain::{Chain, Parts};
use super::plan::{Plan, Plans};
use crate::elem::ElemType;
use crate::ir::{Inst, Op, Region, Type, Value};
use crate::spirv::facts::defs::Defs;
use crate::spirv::region_instructions::{instructions, lanes};
use crate::spirv::transposition::Matrix;

/// The fewest instructions that a matrix must become shorter by.
const LEAST: usize = 4;
/// The instructions of a message and its address.
const MESSAGE: usize = 2;

/// The instructions that values take.
pub(super) struct Costs<'a> {
    pub(super) defs: &'a Defs<'a>,
    /// Bytes of a register.
    pub(super) register: usize,
}

impl Costs<'_> {
    /// How many instructions of a block, whose results have these places, are saved if the parts of a chain are computed at once; `None` if it is not worth it.
    pub(super) fn gain(
        &self,
        places: &FxHashMap<Value, usize>,
        chain: &Chain,
        (parts, plans): (&[Parts], &Plans),
    ) -> Option<usize> {
        let dropped = self.dropped(places, chain, plans);
        let before: usize = dropped.iter().filter_map(|x| self.defs.get(*x)).map(|inst| self.of(inst)).sum();
        let ty = |x: Value| self.defs.get(x).map(|inst| inst.ty);
        let joint = |values: &[Value]| {
            let ty = ty(*values.first()?)?;
            Some(Type { rows: ty.rows * values.len(), ..ty })
        };
        let region = |values: &Vec<Value>| {
            let mut plan = plans.get(values)?;
            while let Plan::Same(values) = plan {
                plan = plans.get(values)?;
            }
            match plan {
                Plan::Made(Op::Region(_, region), _) => Some(*region),
                _ => None,
            }
        };
        let made = |values: &Vec<Value>| {
            let (own, plan) = (joint(values)?, plans.get(values)?);
            let Plan::Made(Op::Map { .. }, operands) = plan else { return None };
            Some(self.map(own, operands.iter().filter_map(|values| Some((joint(values)?, region(values))))))
        };
        let inserted = |place: &Region, values: &Vec<Value>| {
            let made = made(values).unwrap_or(0);
            joint(values).map_or(0, |ty| self.inserted(*place, ty, made))
        };
        let mut after: usize = parts.iter().map(|(place, parts)| inserted(place, parts)).sum();
        for (values, plan) in plans {
            after += match plan {
                Plan::Made(Op::Insert(_, place, _), operands) => inserted(place, operands.last()?),
                _ => made(values).unwrap_or(0),
            };
        }
        (after + LEAST <= before).then(|| before - after)
    }

    /// The values that nothing needs any more.
    fn dropped(&self, places: &FxHashMap<Value, usize>, chain: &Chain, plans: &Plans) -> FxHashSet<Value> {
        let computed =
            plans.iter().filter(|(_, plan)| !matches!(plan, Plan::Kept)).flat_map(|(values, _)| values);
        let own: FxHashSet<Value> = computed.chain(&chain.results).copied().collect();
        let taken = plans.values().filter_map(|plan| match plan {
            Plan::Made(Op::Region(x, _), operands) if operands.is_empty() => Some(*x),
            _ => None,
        });
        let taken: FxHashSet<Value> = taken.collect();
        let mut own: Vec<(usize, Value)> =
            own.into_iter().filter_map(|x| Some((*places.get(&x)?, x))).collect();
        own.sort_unstable();
        let mut dropped = FxHashSet::default();
        // From the last one on: the users come first.
        for (_, x) in own.into_iter().rev() {
            let is_dropped = |user: &Inst| user.result.is_some_and(|user| dropped.contains(&user));
            if taken.contains(&x) {
                continue;
            }
            if x == chain.end || self.defs.users(x).iter().all(|user| is_dropped(user)) {
                dropped.insert(x);
            }
        }
        dropped
    }

    /// The instructions of an operation.
    pub(super) fn of(&self, inst: &Inst) -> usize {
        match &inst.op {
            Op::Map { operands, .. } => {
                let operands = operands.iter().filter_map(|x| {
                    let inst = self.defs.get(*x)?;
                    let region = if let Op::Region(_, region) = inst.op { Some(region) } else { None };
                    Some((inst.ty, region.filter(|_| !self.is_turned(inst))))
                });
                self.map(inst.ty, operands)
            }
            Op::Insert(_, place, part) => self.defs.get(*part).map_or(0, |part| {
                let made = if matches!(part.op, Op::Map { .. }) { self.of(part) } else { 0 };
                self.inserted(*place, part.ty, made)
            }),
            Op::Region(of, _) if self.is_turned(inst) => self.defs.get(*of).map_or(0, |of| {
                let Type { rows, columns, .. } = of.ty;
                Matrix::whole(rows, columns, bytes(of.ty)).instructions()
            }),
            // Other regions are operands.
            Op::Access { .. } => MESSAGE,
            _ => 0,
        }
    }

    /// Whether an instruction makes columns of a matrix rows.
    fn is_turned(&self, inst: &Inst) -> bool {
        let Op::Region(of, Region { offset: 0, dynamic: None, row_stride: 1, width, column_stride }) =
            inst.op
        else {
            return false;
        };
        let matrix = self.defs.get(of).map(|of| of.ty);
        matrix.is_some_and(|ty| {
            (width, column_stride) == (ty.rows, ty.columns) && ty.count() == inst.ty.count()
        }) && width > 1
            && column_stride > 1
    }

    fn map(&self, own: Type, operands: impl Iterator<Item = (Type, Option<Region>)>) -> usize {
        let operand = |(ty, region): (Type, Option<Region>)| {
            let region = region.map_or(0, |region| self.moved(region, ty, false));
            region.max(self.instructions(ty))
        };
        operands.map(operand).max().unwrap_or(0).max(self.instructions(own))
    }

    /// The instructions that move a part to its place. Those that make it, `made`, may write it there.
    fn inserted(&self, place: Region, ty: Type, made: usize) -> usize {
        self.moved(place, ty, true).saturating_sub(made)
    }

    fn moved(&self, region: Region, ty: Type, is_written: bool) -> usize {
        instructions(region, ty.count(), bytes(ty), self.register, is_written)
    }

    fn instructions(&self, ty: Type) -> usize {
        ty.count().div_ceil(lanes(bytes(ty), self.register))
    }
}

fn bytes(ty: Type) -> usize {
    ty.elem().map_or(1, ElemType::bytes)
}
