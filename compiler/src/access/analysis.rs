//! Follows affine numbers through a recorded kernel.

use std::collections::{HashMap, HashSet};

use super::Affine;
use super::linear::{Linear, Reach};
use super::outline::{Access, Outline};
use crate::elem::ElemType;
use crate::ir::{Axis, Bits, Block, Function, Inst, Op, Value, Variable};
use crate::ops::{AccessKind, Address, MapKind};

/// What `function` does, without its data.
#[must_use]
pub fn outline(function: &Function) -> Outline {
    let analysis = Analysis::of(function);
    Outline::new(analysis.accesses, analysis.linear, analysis.staged, analysis.instructions)
}

/// Which of these numbers is the first that is known not to be a multiple of 4 in every thread.
#[must_use]
pub fn broken_dword(function: &Function, numbers: impl IntoIterator<Item = Value>) -> Option<usize> {
    let mut numbers = numbers.into_iter().peekable();
    numbers.peek()?;
    let values = Analysis::of(function).values;
    numbers.position(|number| values.get(&number).is_some_and(|known| !known.is_multiple_of(4)))
}

#[derive(Default)]
struct Analysis {
    values: HashMap<Value, Affine>,
    types: HashMap<Value, ElemType>,
    /// What a variable holds, while the outermost block is followed.
    variables: HashMap<Variable, Affine>,
    /// Variables that are stored under a condition or in a loop: not followed.
    changing: HashSet<Variable>,
    accesses: Vec<Access>,
    linear: Vec<Linear>,
    staged: bool,
    instructions: usize,
}

impl Analysis {
    fn of(function: &Function) -> Self {
        let mut analysis = Self::default();
        for inst in &function.body.insts {
            for block in inst.op.blocks().into_iter().flatten() {
                analysis.note_stores(block);
            }
        }
        analysis.block(&function.body);
        analysis
    }

    fn note_stores(&mut self, block: &Block) {
        for inst in &block.insts {
            if let Op::Store(variable, _) = inst.op {
                self.changing.insert(variable);
            }
            for inner in inst.op.blocks().into_iter().flatten() {
                self.note_stores(inner);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            self.instructions += 1;
            self.inst(inst);
            for inner in inst.op.blocks().into_iter().flatten() {
                self.staged = true;
                self.block(inner);
            }
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match &inst.op {
            Op::Declare(variable, init) => {
                let known = init.and_then(|init| self.values.get(&init).copied());
                self.assign(*variable, known);
            }
            Op::Store(variable, value) => {
                let known = self.values.get(value).copied();
                self.assign(*variable, known);
            }
            Op::Access { kind, param, operands } => self.memory(inst, *kind, *param, operands),
            op => {
                let (Some(result), Some(elem)) = (inst.result, inst.ty.elem()) else { return };
                self.types.insert(result, elem);
                if inst.ty.count() == 1
                    && let Some(known) = self.known(op, elem)
                {
                    self.values.insert(result, known);
                }
            }
        }
    }

    fn assign(&mut self, variable: Variable, known: Option<Affine>) {
        match known {
            Some(known) if !self.changing.contains(&variable) => self.variables.insert(variable, known),
            _ => self.variables.remove(&variable),
        };
    }

    /// The number that a 1 x 1 result of this type is, in every thread.
    fn known(&self, op: &Op, elem: ElemType) -> Option<Affine> {
        let converted = |value: &Value, to| self.values.get(value)?.converted(*self.types.get(value)?, to);
        match op {
            Op::Constant(Bits::Splat(bits)) => {
                Affine::constant(i64::try_from(elem.integer(*bits)?).ok()?).of_type(elem)
            }
            Op::Thread(Axis::X) => Some(Affine { x: 1, y: 0, constant: 0 }),
            Op::Thread(Axis::Y) => Some(Affine { x: 0, y: 1, constant: 0 }),
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => {
                converted(&operands[0], elem)
            }
            Op::Load(variable) => self.variables.get(variable).copied(),
            Op::Map { kind, common, operands, .. } => {
                let [a, b] = operands[..] else { return None };
                let (a, b) = (converted(&a, *common)?, converted(&b, *common)?);
                let result = match kind {
                    MapKind::Add => a.add(b),
                    MapKind::Sub => a.add(b.scaled(-1)?),
                    MapKind::Mul => a.mul(b),
                    MapKind::Shl if b.x == 0 && b.y == 0 && (0..32).contains(&b.constant) => {
                        a.scaled(1 << b.constant)
                    }
                    _ => None,
                };
                result?.of_type(elem)
            }
            _ => None,
        }
    }

    /// An access, by its description.
    fn memory(&mut self, inst: &Inst, kind: AccessKind, param: usize, operands: &[Value]) {
        let spec = kind.spec();
        let writes = spec.effect.writes();
        match (spec.address, operands) {
            (Address::Block, [x, y, ..]) => self.access(inst, param, writes, *x, *y),
            (Address::Bytes { alignment }, [offset, ..]) => {
                let reach = match self.values.get(offset) {
                    Some(&start) => Reach::Block { start, bytes: inst.ty.bytes(), alignment },
                    None => Reach::Anywhere,
                };
                self.linear(inst, param, writes, reach);
            }
            _ => self.linear(inst, param, writes, Reach::Anywhere),
        }
    }

    fn linear(&mut self, inst: &Inst, argument: usize, writes: bool, reach: Reach) {
        self.linear.push(Linear { argument, writes, reach, location: inst.location.clone() });
        if let Some(result) = inst.result {
            self.types.extend(inst.ty.elem().map(|elem| (result, elem)));
        }
    }

    fn access(&mut self, inst: &Inst, argument: usize, writes: bool, x: Value, y: Value) {
        let known = |value| self.values.get(&value).copied();
        let elem = inst.ty.elem().map_or(0, ElemType::bytes);
        self.accesses.push(Access {
            argument,
            writes,
            x: known(x),
            y: known(y),
            width: inst.ty.columns * elem,
            rows: inst.ty.rows,
            location: inst.location.clone(),
        });
        if let Some(result) = inst.result {
            self.types.extend(inst.ty.elem().map(|elem| (result, elem)));
        }
    }
}
