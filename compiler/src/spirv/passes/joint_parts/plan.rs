//! What is computed for several parts at once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chain::Chain;
use super::rows::{Order, Rows};
use crate::ir::{Bits, Op, Operands, Region, Type, Value};
use crate::spirv::facts::defs::Defs;
use crate::spirv::passes::expand::Expansion;

/// How many steps back the origins of values are compared.
const DEPTH: usize = 64;

/// How the values of several parts are computed at once.
pub(super) enum Plan {
    /// By an operation on such values.
    Made(Op, Vec<Vec<Value>>),
    /// As these are.
    Same(Vec<Value>),
    /// By no other operation: the value of a single part.
    Kept,
}

/// The plans for the values of several parts.
pub(super) type Plans = FxHashMap<Vec<Value>, Plan>;

/// Looks for what several parts compute in the same way.
pub(super) struct Planner<'a> {
    defs: &'a Defs<'a>,
    /// The places of the results of the block of instructions.
    places: &'a FxHashMap<Value, usize>,
    chain: &'a Chain,
    order: Order,
    plans: Plans,
    /// The values of the plans that belong together.
    added: Vec<Vec<Value>>,
}

/// Where elements come from.
#[derive(PartialEq)]
enum Origin {
    Value(Value),
    Part(Value, Region),
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        defs: &'a Defs<'a>,
        places: &'a FxHashMap<Value, usize>,
        chain: &'a Chain,
        order: Order,
    ) -> Self {
        Self { defs, places, chain, order, plans: Plans::default(), added: vec![] }
    }

    /// Plans these values and their operands; `None` if not all parts compute the same.
    pub(super) fn plan(&mut self, values: &[Value]) -> Option<()> {
        self.added.clear();
        let planned = self.steps(values, DEPTH);
        if planned.is_none() {
            for values in &self.added {
                self.plans.remove(values);
            }
        }
        planned
    }

    pub(super) fn plans(self) -> Plans {
        self.plans
    }

    fn steps(&mut self, values: &[Value], depth: usize) -> Option<()> {
        if self.plans.contains_key(values) {
            return Some(());
        }
        let (made, depth) = match depth.checked_sub(1) {
            Some(depth) => (self.made(values), depth),
            None => (None, 0),
        };
        let plan = if values.len() == 1 { made.unwrap_or(Plan::Kept) } else { made? };
        let operands = match &plan {
            Plan::Made(_, operands) => operands.clone(),
            Plan::Same(values) => vec![values.clone()],
            Plan::Kept => vec![],
        };
        self.plans.insert(values.to_vec(), plan);
        self.added.push(values.to_vec());
        operands.iter().try_for_each(|values| self.steps(values, depth))
    }

    fn made(&self, values: &[Value]) -> Option<Plan> {
        let insts = values.iter().map(|x| self.defs.get(*x)).collect::<Option<Vec<_>>>()?;
        let (first, ty) = (*insts.first()?, insts.first()?.ty);
        if !insts.iter().all(|inst| inst.ty == ty) {
            return None;
        }
        let parts = values.len();
        match &first.op {
            Op::Splat(x) => {
                let same = |op: &Op| matches!(op, Op::Splat(y) if self.is_same(*x, *y));
                insts.iter().all(|inst| same(&inst.op)).then(|| Plan::Made(first.op.clone(), vec![]))
            }
            Op::Constant(Bits::Splat(_)) => {
                insts.iter().all(|inst| inst.op == first.op).then(|| Plan::Made(first.op.clone(), vec![]))
            }
            Op::Map { kind, common, saturate, operands } if self.is_own(values) => {
                let alike = |op: &Op| match op {
                    Op::Map { kind: other, common: of, saturate: limited, .. } => {
                        (other, of, limited) == (kind, common, saturate)
                    }
                    _ => false,
                };
                let of_all = |n: usize| -> Option<Vec<Value>> {
                    insts.iter().map(|inst| inst.op.operands().get(n).copied()).collect()
                };
                let operands = (0..operands.len()).map(of_all).collect::<Option<Vec<_>>>()?;
                let shape = |x: &Value| {
                    self.defs.get(*x).is_some_and(|x| (x.ty.rows, x.ty.columns) == (ty.rows, ty.columns))
                };
                let are_alike =
                    insts.iter().all(|inst| alike(&inst.op)) && operands.iter().flatten().all(shape);
                are_alike.then(|| Plan::Made(first.op.clone(), operands))
            }
            Op::Insert(whole, region, part) if self.is_own(values) => {
                let alike = |op: &Op| matches!(op, Op::Insert(_, own, _) if own == region);
                let of_all = |n: usize| insts.iter().map(|inst| inst.op.operands()[n]).collect();
                let rows = Rows::of(*region, self.defs.get(*part)?.ty)?;
                let region = rows.of_matrices(self.order, parts, ty)?;
                let are_alike = insts.iter().all(|inst| alike(&inst.op));
                are_alike.then(|| Plan::Made(Op::Insert(*whole, region, *part), [0, 1].map(of_all).into()))
            }
            Op::Region(..) => self.parts(values, ty),
            _ => None,
        }
    }

    /// Parts of one register, or of one register for each part.
    fn parts(&self, values: &[Value], ty: Type) -> Option<Plan> {
        let origins: Vec<Origin> = values.iter().map(|x| self.origin(*x)).collect::<Option<_>>()?;
        let whole = |origin: &Origin| match origin {
            Origin::Value(x) => Some(*x),
            Origin::Part(..) => None,
        };
        if let Some(values) = origins.iter().map(whole).collect() {
            return Some(Plan::Same(values));
        }
        let part = |origin: &Origin| match origin {
            Origin::Part(x, region) => Some((*x, *region)),
            Origin::Value(_) => None,
        };
        let parts: Vec<(Value, Region)> = origins.iter().map(part).collect::<Option<_>>()?;
        let (x, region) = *parts.first()?;
        let rows = Rows::of(region, ty)?;
        let (next, other) = parts.get(1).map_or((x, region), |part| *part);
        if x != next {
            let alike = parts.iter().all(|(_, other)| *other == region);
            let region = rows.of_matrices(self.order, parts.len(), self.defs.get(x)?.ty).filter(|_| alike)?;
            return Some(Plan::Made(Op::Region(x, region), vec![parts.iter().map(|(x, _)| *x).collect()]));
        }
        let step = other.offset.checked_sub(region.offset)?;
        let follows = |(n, part): (usize, &(Value, Region))| {
            *part == (x, Region { offset: region.offset + n * step, ..region })
        };
        let follow = parts.iter().enumerate().all(follows);
        let region = rows.of_parts(self.order, parts.len(), step).filter(|_| follow)?;
        Some(Plan::Made(Op::Region(x, region), vec![]))
    }

    /// The register that a region is taken from, before insertions of the chain that replace other elements.
    fn origin(&self, x: Value) -> Option<Origin> {
        let inst = self.defs.get(x)?;
        let Op::Region(mut of, region) = inst.op else { return None };
        if region.dynamic.is_some() || !self.chain.results.contains(&of) {
            return Some(Origin::Part(of, region));
        }
        let places: FxHashSet<usize> = region.positions(inst.ty.count()).collect();
        while self.chain.results.contains(&of) {
            let Op::Insert(whole, to, part) = self.defs.get(of)?.op else { break };
            let own = self.defs.get(part)?.ty;
            if to == region && own == inst.ty {
                return Some(Origin::Value(part));
            }
            // A part of what was inserted.
            if to.positions(own.count()).any(|place| places.contains(&place)) {
                return None;
            }
            of = whole;
        }
        Some(Origin::Part(of, region))
    }

    /// Whether the block of instructions computes these values. Those of others are not computed again.
    fn is_own(&self, values: &[Value]) -> bool {
        values.iter().all(|x| self.places.contains_key(x))
    }

    /// Whether two numbers are equal.
    fn is_same(&self, a: Value, b: Value) -> bool {
        let constant = |x| self.defs.get(x).filter(|inst| matches!(inst.op, Op::Constant(Bits::Splat(_))));
        a == b || constant(a).zip(constant(b)).is_some_and(|(a, b)| (&a.op, a.ty) == (&b.op, b.ty))
    }
}

/// Writes what the plans say.
pub(super) struct Writer<'a> {
    defs: &'a Defs<'a>,
    plans: &'a Plans,
    order: Order,
    written: FxHashMap<&'a [Value], Value>,
    formatted: FxHashMap<(Value, Type), Value>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(defs: &'a Defs<'a>, plans: &'a Plans, order: Order) -> Self {
        Self { defs, plans, order, written: FxHashMap::default(), formatted: FxHashMap::default() }
    }

    /// The values of several parts in one register.
    pub(super) fn joint(&mut self, values: &[Value], insts: &mut Expansion) -> Option<Value> {
        if let Some(written) = self.written.get(values) {
            return Some(*written);
        }
        let (values, plan) = self.plans.get_key_value(values)?;
        let own = self.defs.get(*values.first()?)?.ty;
        let ty = Type { rows: own.rows * values.len(), ..own };
        let written = match plan {
            Plan::Kept => *values.first()?,
            Plan::Same(values) => self.joint(values, insts)?,
            Plan::Made(op, operands) => {
                let made: Vec<Value> =
                    operands.iter().map(|values| self.joint(values, insts)).collect::<Option<_>>()?;
                match (op, &made[..]) {
                    (Op::Region(x, region), []) => self.part((*x, *region), values.len(), ty, insts)?,
                    (Op::Region(_, region), [x]) => insts.emit(Op::Region(*x, *region), ty),
                    (Op::Insert(_, region, _), [whole, part]) => {
                        insts.emit(Op::Insert(*whole, *region, *part), ty)
                    }
                    (Op::Map { kind, common, saturate, .. }, made) => {
                        let (kind, common, saturate) = (*kind, *common, *saturate);
                        insts.emit(Op::Map { kind, common, saturate, operands: Operands::new(made) }, ty)
                    }
                    (op, _) => insts.emit(op.clone(), ty),
                }
            }
        };
        self.written.insert(values, written);
        Some(written)
    }

    /// A part of a register. If possible, it is a column of the register with rows that are as long as a block.
    fn part(
        &mut self,
        (x, region): (Value, Region),
        blocks: usize,
        ty: Type,
        insts: &mut Expansion,
    ) -> Option<Value> {
        let whole = self.defs.get(x)?.ty;
        let columns = region.row_stride;
        let of_blocks = Type { rows: whole.rows * blocks, columns, ..whole };
        let is_column = columns * blocks == whole.columns && region.width == ty.columns;
        if self.order == Order::Below || !is_column {
            return Some(insts.emit(Op::Region(x, region), ty));
        }
        let x = self.formatted(x, of_blocks, insts);
        let is_all = of_blocks == ty && region.is_whole(ty.count());
        Some(if is_all { x } else { insts.emit(Op::Region(x, region), ty) })
    }

    /// A register with other rows and columns.
    pub(super) fn formatted(&mut self, x: Value, ty: Type, insts: &mut Expansion) -> Value {
        *self.formatted.entry((x, ty)).or_insert_with(|| insts.emit(Op::Format(x), ty))
    }
}
