//! How each matrix is held, so that the instructions that read and write parts, and that turn matrices, are the fewest.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cut::{NEVER, Network};
use super::memory::{Memory, Place};
use super::part::{Part, flipped, is_vector, transposition};
use super::shapes::Shapes;
use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Region, Type, Value, Variable};
use crate::limits::REGISTER;
use crate::spirv::facts::defs::Defs;
use crate::spirv::fixed_region::is_picked_step;
use crate::spirv::passes::setting::Setting;
use crate::spirv::region_instructions::{has_gaps, instructions};
use crate::spirv::transposition::Matrix;

/// The fewest instructions that a kernel must become shorter by.
const LEAST: usize = 8;

/// A register or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Name {
    Value(Value),
    Variable(Variable),
}

/// The matrices of a kernel that are held with columns as rows.
pub(super) struct Layouts {
    /// The registers and variables that are, and the vectors that are taken from such matrices.
    turned: FxHashSet<Name>,
    /// The registers that are held in both ways.
    both: FxHashSet<Value>,
    /// Those that are read from buffers with columns as rows, and those that are written so.
    memory: Memory,
}

impl Layouts {
    /// Those of a kernel for a target; `None` if all matrices stay.
    pub(super) fn of(function: &Function, defs: &Defs<'_>, shapes: &Shapes, of: &Setting) -> Option<Self> {
        let numbers = FxHashMap::default();
        let mut costs = Costs {
            defs,
            shapes,
            register: of.form.register_bytes(),
            numbers,
            vectors: FxHashMap::default(),
            own: vec![(0, NEVER)],
        };
        function.body.instructions().for_each(|inst| costs.add(inst));
        costs.own.iter().find(|(kept, turned)| turned < kept)?;
        let mut memory = Memory::of(function, defs, shapes, of.target.has_cache());
        memory.read.retain(|_, place| place.between.iter().all(|x| defs.user(*x).is_some()));
        let mut turns: Vec<Turn> =
            function.body.instructions().filter_map(|inst| costs.turn(inst, &memory)).collect();
        let labels = loop {
            let labels = costs.labels(&turns);
            // Without the places of matrices that are needed in rows as well, others may be the best ways.
            if !memory.drop_used(&mut turns, &labels) {
                break labels;
            }
        };
        if costs.of(&turns, &labels) + LEAST > costs.of(&turns, &vec![false; labels.len()]) {
            return None;
        }
        let turned: FxHashSet<Name> =
            costs.numbers.iter().filter(|(_, number)| labels[**number]).map(|(name, _)| *name).collect();
        let both: FxHashSet<Value> =
            turns.iter().filter(|turn| turn.is_needed(&labels)).map(|turn| turn.of).collect();
        let is_turned = |x: &Value| turned.contains(&Name::Value(*x));
        memory.read.retain(|x, _| both.contains(x) && !is_turned(x));
        memory.written.retain(|x, _| both.contains(x) && is_turned(x));
        Some(Self { turned, both, memory })
    }

    /// Whether a register, or a vector of a register, is taken as it is with columns as rows.
    pub(super) fn is_turned(&self, x: Value) -> bool {
        self.turned.contains(&Name::Value(x))
    }

    /// Whether a variable is held with columns as rows.
    pub(super) fn is_variable_turned(&self, variable: Variable) -> bool {
        self.turned.contains(&Name::Variable(variable))
    }

    /// Whether a register is held in both ways.
    pub(super) fn is_both(&self, x: Value) -> bool {
        self.both.contains(&x)
    }

    /// The matrices that are read and written with columns as rows.
    pub(super) const fn memory(&self) -> &Memory {
        &self.memory
    }
}

/// A register, and the instructions that use it.
struct Turn {
    of: Value,
    /// The number of the register, and those of the users.
    number: usize,
    users: Vec<usize>,
    /// The instructions that turn it: to columns as rows, and to rows.
    costs: [usize; 2],
    /// The same without places in buffers.
    in_registers: [usize; 2],
}

impl Turn {
    /// Whether a user needs the other way.
    fn is_needed(&self, labels: &[bool]) -> bool {
        self.users.iter().any(|user| labels[*user] != labels[self.number])
    }
}

impl Memory {
    /// Drops the places of matrices that other instructions need in rows; whether there are some.
    fn drop_used(&mut self, turns: &mut [Turn], labels: &[bool]) -> bool {
        let mut dropped = false;
        for turn in turns.iter_mut().filter(|turn| turn.is_needed(labels)) {
            let in_rows = turn.users.iter().filter(|user| !labels[**user]).count();
            let is_turned = labels[turn.number];
            let places = if is_turned { &mut self.written } else { &mut self.read };
            let uses = |place: &Place| if is_turned { place.uses } else { 0 };
            if places.get(&turn.of).is_some_and(|place| uses(place) != in_rows) {
                places.remove(&turn.of);
                turn.costs[usize::from(is_turned)] = turn.in_registers[usize::from(is_turned)];
                dropped = true;
            }
        }
        dropped
    }
}

/// What each register costs with rows as rows, and with columns as rows.
struct Costs<'a> {
    defs: &'a Defs<'a>,
    shapes: &'a Shapes,
    /// Bytes of a register.
    register: usize,
    /// The numbers of what has one. What is loaded from a variable has the number of that.
    numbers: FxHashMap<Name, usize>,
    /// The numbers of vectors. Intel's compiler takes the same one once.
    vectors: FxHashMap<(Value, Region), usize>,
    /// By number. The first one is everything else, with rows as rows.
    own: Vec<(usize, usize)>,
}

impl Costs<'_> {
    fn ty(&self, x: Value) -> Option<Type> {
        self.defs.get(x).map(|inst| inst.ty)
    }

    fn is_matrix(&self, x: Value) -> bool {
        self.ty(x).is_some_and(|ty| self.shapes.is_matrix(ty))
    }

    /// Gives the result of an instruction a number.
    fn add(&mut self, inst: &Inst) {
        let next = self.own.len();
        match (&inst.op, inst.result) {
            (Op::Declare(variable, _), _) if self.shapes.is_matrix(inst.ty) => {
                self.numbers.insert(Name::Variable(*variable), next);
                self.own.push((0, 0));
            }
            (Op::Load(variable), Some(result)) if self.shapes.is_matrix(inst.ty) => {
                let number = self.numbers.get(&Name::Variable(*variable)).copied();
                self.numbers.extend(number.map(|number| (Name::Value(result), number)));
            }
            (op, Some(result)) => {
                let is_matrix = self.shapes.is_matrix(inst.ty);
                let number = match op {
                    Op::Region(of, region) if !is_matrix && is_vector(inst.ty) && self.is_matrix(*of) => {
                        *self.vectors.entry((*of, *region)).or_insert(next)
                    }
                    _ if is_matrix => next,
                    _ => return,
                };
                self.numbers.insert(Name::Value(result), number);
                if number == next {
                    self.own.push(self.cost(inst).unwrap_or((0, NEVER)));
                }
            }
            (_, None) => {}
        }
    }

    /// The instructions that write the part of a matrix, or read it, that an instruction writes or reads, in both ways; `None` if
    /// it needs rows as rows.
    fn cost(&self, inst: &Inst) -> Option<(usize, usize)> {
        let own = self.shapes.of(inst.ty);
        let like = |x: &Value| {
            let ty = self.ty(*x).map(|ty| self.shapes.of(ty));
            ty.is_some_and(|ty| (ty.rows, ty.columns) == (own.rows, own.columns))
        };
        match &inst.op {
            Op::Splat(_) | Op::Constant(_) => Some((0, 0)),
            Op::Map { operands, .. } => {
                operands.iter().all(|x| like(x) && self.is_matrix(*x)).then_some((0, 0))
            }
            Op::Insert(whole, region, part) => {
                let ty = self.ty(*part).filter(|_| like(whole))?;
                let (kept, turned) = self.part(*region, ty, own, true)?;
                // Intel's compiler does not divide a copy.
                let is_copied = self.defs.get(*part).is_some_and(|inst| matches!(inst.op, Op::Region(..)));
                let divided = is_copied && has_gaps(*region, ty.count());
                Some((if divided { kept / 2 } else { kept }, turned))
            }
            // The elements of a vector that has rows and columns are in another order.
            Op::Region(of, region) if self.is_matrix(*of) && (!is_vector(inst.ty) || own == inst.ty) => {
                let of = self.shapes.of(self.ty(*of)?);
                self.part(*region, inst.ty, of, false)
            }
            _ => None,
        }
    }

    fn part(&self, region: Region, own: Type, matrix: Type, is_written: bool) -> Option<(usize, usize)> {
        let (part, size) = (Part::of(region, own, matrix)?, own.elem()?.bytes());
        // Such columns of bytes are picked by addresses, several at once.
        if size == 1 && is_picked_step(region.column_stride) {
            return None;
        }
        let cost = |region: Region| {
            let all = instructions(region, own.count(), size, self.register, is_written);
            // On registers of 64 bytes, operands of operations on floats have no gaps, so these are copies.
            let copied = own.elem().is_some_and(ElemType::is_float) && self.register > REGISTER;
            if !is_written && copied && has_gaps(region, own.count()) { 2 * all } else { all }
        };
        Some((cost(region), cost(part.turned(own, matrix))))
    }

    /// The uses of a matrix.
    fn turn(&self, inst: &Inst, memory: &Memory) -> Option<Turn> {
        let of = inst.result.filter(|_| self.shapes.is_matrix(inst.ty))?;
        let number = *self.numbers.get(&Name::Value(of))?;
        let users = self.defs.users(of).iter().map(|user| {
            let name = match (&user.op, user.result) {
                (Op::Declare(variable, _) | Op::Store(variable, _), _) => Some(Name::Variable(*variable)),
                // The elements of a vector, in their order.
                (Op::Insert(_, _, part), _) if *part == of && is_vector(inst.ty) => None,
                (Op::Map { .. } | Op::Insert(..) | Op::Region(..), result) => result.map(Name::Value),
                _ => None,
            };
            name.and_then(|name| self.numbers.get(&name)).copied().unwrap_or(0)
        });
        let matrix = self.shapes.of(inst.ty);
        let in_registers = match inst.op {
            Op::Splat(_) | Op::Constant(_) => [0, 0],
            _ => [matrix, flipped(matrix)].map(|matrix| self.turning(matrix)),
        };
        let place = [memory.read.get(&of), memory.written.get(&of)];
        let costs =
            [0, 1].map(|way| place[way].map_or(in_registers[way], |place| place.instructions(matrix)));
        Some(Turn { of, number, users: users.collect(), costs, in_registers })
    }

    /// The instructions that turn a matrix, and a quarter more: it needs registers.
    fn turning(&self, matrix: Type) -> usize {
        let Type { rows, columns, .. } = matrix;
        let size = matrix.elem().map_or(0, ElemType::bytes);
        let turning = match rows.is_power_of_two() && columns.is_power_of_two() {
            true => Matrix::whole(rows, columns, size).instructions(),
            false => instructions(transposition(matrix), matrix.count(), size, self.register, false),
        };
        turning * 5 / 4
    }

    /// The best way for each number: whether columns are rows.
    fn labels(&self, turns: &[Turn]) -> Vec<bool> {
        let mut network = Network::new();
        let nodes: Vec<usize> = self.own.iter().map(|(kept, turned)| network.node(*kept, *turned)).collect();
        for turn in turns {
            let users: Vec<usize> = turn.users.iter().map(|user| nodes[*user]).collect();
            network.differ(nodes[turn.number], &users, turn.costs);
        }
        let labels = network.labels();
        nodes.into_iter().map(|node| labels[node]).collect()
    }

    /// The instructions with these ways.
    fn of(&self, turns: &[Turn], labels: &[bool]) -> usize {
        let own =
            self.own.iter().zip(labels).map(|((kept, turned), label)| if *label { turned } else { kept });
        let turned = turns.iter().filter(|turn| turn.is_needed(labels));
        own.sum::<usize>() + turned.map(|turn| turn.costs[usize::from(labels[turn.number])]).sum::<usize>()
    }
}
