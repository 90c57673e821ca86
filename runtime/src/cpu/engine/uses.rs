//! Finds the uses and the last use of each register, and the values that can be read in place in another
//! register instead of being copied.

use cm_compiler::elem::ElemType;
use cm_compiler::ir::{Bits, Block, Function, Inst, Op, Operands, Region, Type, Value, Variable};
use cm_compiler::ops::MapKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::program::Run;

/// A register by its name in the IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    Value(Value),
    Variable(Variable),
}

/// How the elements of a value are read in place, row by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    /// Rows of `width` elements, whose starts are `pitch` elements apart.
    Rows { width: usize, pitch: usize },
    /// Elements that are all the same; `width` of them are stored.
    Splat { width: usize },
}

/// The maximum number of stored elements if all are the same: enough to make the cost for each row small.
const SPLAT: usize = 16;

/// The runs of a region of `count` elements, as positions in the register.
pub(super) fn runs(region: &Region, count: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for to in 0..count {
        let from = region.position(to);
        match runs.last_mut() {
            Some(run) if run.from + run.count == from => run.count += 1,
            _ => runs.push(Run { from, to, count: 1 }),
        }
    }
    runs
}

/// The largest divisor of `number` that is at most `most`.
pub(super) fn divisor(number: usize, most: usize) -> usize {
    (1..=most.min(number)).rev().find(|by| number.is_multiple_of(*by)).unwrap_or(1)
}

/// If the result of an instruction has the bits of an operand from a known element on: the operand and the
/// element.
pub(super) fn part_of(inst: &Inst, from: impl Fn(Value) -> Option<Type>) -> Option<(Value, usize)> {
    let bytes = |ty: Type| ty.elem().map(ElemType::bytes);
    match &inst.op {
        Op::Region(x, region) if region.dynamic.is_none() => match runs(region, inst.ty.count())[..] {
            [run] => Some((*x, run.from)),
            _ => None,
        },
        Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
            let (from, to) = (from(operands[0])?.elem()?, inst.ty.elem()?);
            // A conversion between integers of the same size keeps the bits.
            (from.unsigned() == to.unsigned()).then_some((operands[0], 0))
        }
        Op::Format(x) => (bytes(from(*x)?) == bytes(inst.ty)).then_some((*x, 0)),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Last {
    Here(usize),
    EndOf(usize),
}

/// The uses of the registers of a function. Instructions are numbered in text order. The test and the end of
/// a loop have separate numbers.
#[derive(Default)]
pub(super) struct Uses {
    now: usize,
    /// The enclosing loops, outermost first, as indices of `ends`.
    loops: Vec<usize>,
    /// The last number of each loop.
    ends: Vec<usize>,
    /// The number of loops around a definition.
    depths: FxHashMap<Name, usize>,
    /// The last use so far: a number, or the end of a loop.
    last: FxHashMap<Name, Last>,
    types: FxHashMap<Value, Type>,
    /// The operands of element-wise operations.
    maps: Vec<Operands>,
    /// How often element-wise operations use a value; and the values that other instructions use.
    mapped: FxHashMap<Value, usize>,
    others: FxHashSet<Value>,
    /// Values that are parts of others, in order.
    parts: Vec<(Value, Value)>,
    /// Loads and stores, with their instruction numbers.
    loaded: Vec<(Value, Variable, usize)>,
    stored: FxHashMap<Variable, Vec<usize>>,
    /// Views of values that only element-wise operations use, with the first element.
    views: FxHashMap<Value, (usize, View)>,
    /// Loads of variables that do not change while the value is used.
    unchanged: FxHashSet<Value>,
    /// The number of elements in the used views of a value.
    viewed: FxHashMap<Value, usize>,
}

impl Uses {
    pub(super) fn of(function: &Function) -> Self {
        let mut uses = Self::default();
        uses.block(&function.body);
        let (mapped, others) = (&uses.mapped, &uses.others);
        uses.views.retain(|value, (_, view)| {
            // Each row has a cost in every operation.
            let cheap = match *view {
                View::Rows { width, .. } => width >= 4 || mapped.get(value) == Some(&1),
                View::Splat { .. } => true,
            };
            cheap && !others.contains(value)
        });
        uses.widen_splats();
        let mut ends: FxHashMap<Value, usize> = FxHashMap::default();
        for (name, last) in uses.last() {
            if let Name::Value(value) = name {
                ends.insert(value, last);
            }
        }
        for (part, of) in uses.parts.iter().rev() {
            let end = ends[part].max(ends[of]);
            ends.insert(*of, end);
        }
        for &(value, variable, number) in &uses.loaded {
            let stored = uses.stored.get(&variable);
            if !stored.is_some_and(|all| all.iter().any(|&store| store > number && store < ends[&value])) {
                uses.unchanged.insert(value);
            }
        }
        uses
    }

    /// The last use of every register: the number of an instruction.
    pub(super) fn last(&self) -> impl Iterator<Item = (Name, usize)> {
        self.last.iter().map(|(&name, last)| match *last {
            Last::Here(number) => (name, number),
            Last::EndOf(around) => (name, self.ends[around]),
        })
    }

    /// How a value is read in place in another one, and the first element; `None` if it is not.
    pub(super) fn view(&self, value: Value) -> Option<(usize, View)> {
        self.views.get(&value).copied()
    }

    /// Whether a loaded value may be read in place in the variable.
    pub(super) fn is_unchanged(&self, value: Value) -> bool {
        self.unchanged.contains(&value)
    }

    /// The number of elements in all uses of the views of a value.
    pub(super) fn viewed(&self, value: Value) -> usize {
        self.viewed.get(&value).copied().unwrap_or(0)
    }

    /// Stores splats with as many elements as the rows that they are combined with.
    fn widen_splats(&mut self) {
        for operands in &self.maps {
            let rows = |value: &Value| match self.views.get(value) {
                Some((_, View::Rows { width, .. })) => Some(*width),
                _ => None,
            };
            let Some(widest) = operands.iter().filter_map(rows).max() else { continue };
            for value in operands.iter() {
                if let Some((_, View::Splat { width })) = self.views.get_mut(value) {
                    *width = widest.max(*width);
                }
            }
        }
    }

    fn define(&mut self, name: Name) {
        self.depths.insert(name, self.loops.len());
        self.last.insert(name, Last::Here(self.now));
    }

    fn take(&mut self, name: Name) {
        let depth = self.depths.get(&name).copied().unwrap_or(0);
        // A register that is defined before a loop and used in it is also used in the next iteration.
        let last = self.loops.get(depth).map_or(Last::Here(self.now), |&around| Last::EndOf(around));
        self.last.insert(name, last);
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            self.now += 1;
            if let Op::Loop(first, condition, body) = &inst.op {
                let number = self.ends.len();
                self.ends.push(0);
                self.loops.push(number);
                self.block(first);
                self.now += 1;
                self.take(Name::Value(*condition));
                self.others.insert(*condition);
                self.block(body);
                self.loops.pop();
                self.now += 1;
                self.ends[number] = self.now;
                continue;
            }
            self.operands(inst);
            match inst.op {
                Op::Declare(variable, _) => self.define(Name::Variable(variable)),
                Op::Load(variable) => {
                    self.take(Name::Variable(variable));
                    self.loaded.extend(inst.result.map(|result| (result, variable, self.now)));
                }
                Op::Store(variable, _) => {
                    self.take(Name::Variable(variable));
                    self.stored.entry(variable).or_default().push(self.now);
                }
                _ => {}
            }
            if let Some(result) = inst.result {
                self.define(Name::Value(result));
                self.types.insert(result, inst.ty);
                self.result(inst, result);
            }
            inst.op.blocks().for_each(|block| self.block(block));
        }
    }

    fn operands(&mut self, inst: &Inst) {
        for value in inst.op.operands() {
            self.take(Name::Value(value));
        }
        match &inst.op {
            Op::Map { operands, .. } => {
                for &value in operands.iter() {
                    *self.mapped.entry(value).or_default() += 1;
                }
                self.maps.push(*operands);
            }
            op => self.others.extend(op.operands()),
        }
    }

    fn result(&mut self, inst: &Inst, result: Value) {
        let count = inst.ty.count();
        if let Some((of, _)) = part_of(inst, |value| self.types.get(&value).copied()) {
            self.parts.push((result, of));
        }
        match &inst.op {
            Op::Region(x, region) if region.dynamic.is_none() => {
                let runs = runs(region, count);
                if let [first, second, ..] = runs[..]
                    && let Some(pitch) = second.from.checked_sub(first.from)
                    && runs
                        .iter()
                        .enumerate()
                        .all(|(row, run)| run.count == first.count && run.from == first.from + row * pitch)
                {
                    self.parts.push((result, *x));
                    let view = View::Rows { width: first.count, pitch };
                    self.views.insert(result, (first.from, view));
                    *self.viewed.entry(*x).or_default() += count;
                }
            }
            Op::Constant(Bits::Splat(_)) | Op::Splat(_) => {
                let width = divisor(count, SPLAT);
                if width >= 4 && width < count {
                    self.views.insert(result, (0, View::Splat { width }));
                }
            }
            _ => {}
        }
    }
}
