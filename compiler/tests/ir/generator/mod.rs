//! Valid functions from a row of numbers. Fewer and smaller numbers give smaller functions.

mod accesses;
mod control_flow;

use cm_compiler::elem::ElemType;
use cm_compiler::ir::ParamKind;
use cm_compiler::ir::{
    Bits, Block, Function, Inst, Label, Location, Op, Operands, Param, Region, ThreadId, Type, Value,
    Variable,
};
use cm_compiler::limits::DPAS_DEPTH;
use cm_compiler::ops::{
    Carries, Computed, Domain, Effect, GroupKind, MapKind, MemoryKind, Operand, Precision, SyncKind,
    SyncOperand,
};
use cm_compiler::printf::{Align, Hole, Layout, Style, Template};

/// The parameter that is the first surface of texels; the kernel may write the second one.
const FIRST_TEXELS: usize = 2;
/// The parameter that is the first 3-D surface; the kernel may write the second one.
const FIRST_SLICES: usize = 4;
/// Buffers, of which the kernel may write all but the first.
const BUFFERS: [ElemType; 4] = [ElemType::U16, ElemType::U32, ElemType::F16, ElemType::I32];
/// The parameter that is the first of them.
const FIRST_BUFFER: usize = 6;

/// A function that the verifier accepts and that ends.
pub(crate) fn function(choices: Vec<u32>) -> Function {
    let mut params = vec![
        Param { name: "input".into(), kind: ParamKind::Surface { writable: false } },
        Param { name: "output".into(), kind: ParamKind::Surface { writable: true } },
        Param { name: "texels".into(), kind: ParamKind::Surface { writable: false } },
        Param { name: "drawn".into(), kind: ParamKind::Surface { writable: true } },
        Param { name: "slices".into(), kind: ParamKind::Surface3d { writable: false } },
        Param { name: "stacked".into(), kind: ParamKind::Surface3d { writable: true } },
    ];
    for (n, elem) in BUFFERS.into_iter().enumerate() {
        params.push(Param { name: format!("b{n}"), kind: ParamKind::Buffer { elem, writable: n > 0 } });
    }
    let mut builder = Builder { choices: choices.into_iter(), ..Builder::default() };
    for n in 0..builder.below(4) {
        let ty = builder.ty();
        let kind = ParamKind::Uniform { elem: ty.elem().unwrap(), rows: ty.rows, columns: ty.columns };
        params.push(Param { name: format!("u{n}"), kind });
    }
    builder.params = params;
    let steps = builder.below(40);
    let body = builder.block_with(|b| {
        (0..steps).for_each(|_| b.step(0));
        // Something of what was computed is always seen.
        (0..3).for_each(|_| b.access(|spec| spec.carries == Carries::MediaBlock && spec.effect.writes()));
        b.access(|spec| spec.memory == MemoryKind::Buffer && spec.effect.writes());
    });
    Function { named_barriers: builder.named_barriers, ..Function::new("random", builder.params, body) }
}

#[derive(Default)]
struct Builder {
    choices: std::vec::IntoIter<u32>,
    params: Vec<Param>,
    insts: Vec<Inst>,
    values: Vec<(Value, Type)>,
    variables: Vec<(Variable, Type)>,
    /// Those of the blocks that are open.
    labels: Vec<Label>,
    next_label: u32,
    named_barriers: usize,
    next_value: u32,
    next_variable: u32,
}

impl Builder {
    /// A number below `n`; 0 when there are no more choices.
    fn below(&mut self, n: usize) -> usize {
        self.choices.next().unwrap_or(0) as usize % n
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    fn effect(&mut self, op: Op, ty: Type) {
        let location = Location {
            file: ["src/kernel.rs", "src/helpers.rs"][self.insts.len() % 2].into(),
            line: self.next_value + 1,
            column: 5,
        };
        self.insts.push(Inst { op, result: None, ty, location });
    }

    fn value(&mut self, op: Op, ty: Type) -> Value {
        self.effect(op, ty);
        let value = Value(self.next_value);
        self.next_value += 1;
        self.insts.last_mut().unwrap().result = Some(value);
        self.values.push((value, ty));
        value
    }

    fn block(&mut self, depth: usize, most: usize) -> Block {
        let steps = self.below(most);
        self.block_with(|b| (0..steps).for_each(|_| b.step(depth)))
    }

    /// A block with a scope of its own.
    fn block_with(&mut self, build: impl FnOnce(&mut Self)) -> Block {
        let (values, variables) = (self.values.len(), self.variables.len());
        let outer = std::mem::take(&mut self.insts);
        build(self);
        self.values.truncate(values);
        self.variables.truncate(variables);
        Block { insts: std::mem::replace(&mut self.insts, outer) }
    }

    fn elem(&mut self) -> ElemType {
        ElemType::ALL[self.below(ElemType::ALL.len())]
    }

    fn int(&mut self) -> ElemType {
        ElemType::INTEGERS[self.below(ElemType::INTEGERS.len())]
    }

    fn ty(&mut self) -> Type {
        let elem = self.elem();
        let shapes = [(1, 1), (1, 4), (2, 8), (1, 16), (4, 4), (3, 5), (8, 1), (2, 32), (1, 3)];
        let (rows, columns) = shapes[self.below(shapes.len())];
        Type::new(elem, rows, columns)
    }

    fn bits(&mut self, elem: ElemType) -> u64 {
        let mask = u64::MAX >> (64 - elem.bytes() * 8);
        let bits = (self.below(1 << 32) as u64) << 32 | self.below(1 << 32) as u64;
        let infinity = match elem {
            ElemType::F16 => 0x7c00,
            ElemType::F32 => 0x7f80_0000,
            _ => 0x7ff0_0000_0000_0000,
        };
        match self.below(6) {
            0 => 0,
            1 => bits & 0xf & mask,
            2 => mask,
            3 => mask / 2 + 1,
            4 => infinity & mask,
            _ => bits & mask,
        }
    }

    fn constant(&mut self, ty: Type) -> Value {
        let elem = ty.elem().unwrap();
        let bits = if self.flip() {
            Bits::Each((0..ty.count()).map(|_| self.bits(elem)).collect())
        } else {
            Bits::Splat(self.bits(elem))
        };
        self.value(Op::Constant(bits), ty)
    }

    /// A value that fits, if there is one.
    fn find(&mut self, fits: impl Fn(Type) -> bool) -> Option<(Value, Type)> {
        let all: Vec<_> = self.values.iter().rev().filter(|(_, ty)| fits(*ty)).copied().collect();
        if all.is_empty() { None } else { Some(all[self.below(all.len())]) }
    }

    fn register(&mut self) -> (Value, Type) {
        if let Some(found) = self.find(|ty| ty.elem().is_some()) {
            return found;
        }
        let ty = self.ty();
        (self.constant(ty), ty)
    }

    /// A value of this type: an old one, a converted one, or a constant.
    fn of(&mut self, ty: Type) -> Value {
        let same = self.find(|other| other == ty);
        let similar = self.find(|other| {
            other.elem().is_some() && (other.rows, other.columns) == (ty.rows, ty.columns) && other != ty
        });
        match (self.below(3), same, similar) {
            (0, Some((value, _)), _) => value,
            (1, _, Some((value, _))) => self.value(Op::convert(value, ty.elem().unwrap()), ty),
            _ => self.constant(ty),
        }
    }

    fn condition(&mut self) -> Value {
        match (self.below(4), self.find(|ty| ty == Type::CONDITION)) {
            (0, Some((value, _))) => value,
            (1, _) => {
                let known = self.flip();
                self.value(Op::Known(known), Type::CONDITION)
            }
            (n, _) => {
                let (x, _) = self.register();
                self.value(if n == 2 { Op::Any(x) } else { Op::All(x) }, Type::CONDITION)
            }
        }
    }

    fn step(&mut self, depth: usize) {
        // Nothing follows what leaves the block.
        if self.insts.last().is_some_and(|last| last.op.breaks_out()) {
            return;
        }
        match self.below(32) {
            0 | 1 => {
                let ty = self.ty();
                self.constant(ty);
            }
            2 => self.surface(Effect::Read),
            3 => self.argument(),
            4 => {
                let id = ThreadId::ALL[self.below(ThreadId::ALL.len())];
                self.value(Op::Thread(id), Type::scalar(ElemType::U32));
            }
            5 => {
                let ty = self.ty();
                let x = self.of(Type::scalar(ty.elem().unwrap()));
                self.value(Op::Splat(x), ty);
            }
            6..=10 => self.map(),
            11 => self.region(),
            12 => self.insert(),
            13 => {
                let (x, ty) = self.register();
                let columns = 1 + self.below(20);
                let index = self.of(Type::new(ElemType::U32, 1, columns));
                self.value(Op::Iselect(x, index), Type::new(ty.elem().unwrap(), 1, columns));
            }
            14 => self.format(),
            15 => self.group(),
            30 => self.dpas(),
            16 => {
                let bits = self.of(Type::scalar(ElemType::U32));
                let ty = self.ty().with_elem(ElemType::U16);
                self.value(Op::UnpackMask(bits), ty);
            }
            17 => {
                let (a, b) = (self.condition(), self.condition());
                let op = [Op::Not(a), Op::And(a, b), Op::Or(a, b)].into_iter().nth(self.below(3));
                self.value(op.unwrap(), Type::CONDITION);
            }
            18 => self.variable(),
            19 => self.surface(Effect::Write),
            20 if depth < 3 => {
                let condition = self.condition();
                let then = self.block(depth + 1, 8);
                let otherwise = self.block(depth + 1, 8);
                self.effect(Op::If(condition, then, otherwise), Type::CONDITION);
            }
            21 if depth < 3 => self.counted_loop(depth),
            22..=24 => self.access(|_| true),
            25 if depth < 3 => self.labelled(depth),
            26 => self.leave(depth),
            27 => self.reduction(),
            28 => {
                let mask = self.int();
                let ty = self.ty().with_elem(mask);
                let mask = self.of(ty);
                self.value(Op::PackMask(mask), Type::scalar(ElemType::U32));
            }
            29 if self.flip() => {
                self.value(Op::Clock, Type::new(ElemType::U32, 1, 4));
            }
            29 => self.print(),
            31 => self.sync(),
            _ => {}
        }
    }

    /// Signals and waits, as a thread may that is a group by itself.
    fn sync(&mut self) {
        let kinds = match self.below(3) {
            0 => &[SyncKind::Fence, SyncKind::Barrier, SyncKind::Wait, SyncKind::Signal][..],
            1 => &[SyncKind::SignalBoth, SyncKind::WaitNamed],
            _ => &[SyncKind::SignalProducer, SyncKind::SignalConsumer, SyncKind::WaitNamed],
        };
        let [barrier, one] = [self.below(3) as u64, 1]
            .map(|number| self.value(Op::Constant(Bits::Splat(number)), Type::scalar(ElemType::U32)));
        for kind in kinds {
            let operands: Vec<Value> = kind
                .operands()
                .iter()
                .map(|operand| if *operand == SyncOperand::Barrier { barrier } else { one })
                .collect();
            self.effect(Op::Sync(*kind, Operands::new(&operands)), Type::CONDITION);
            if kind.is_named() {
                self.named_barriers = 3;
            }
        }
    }

    /// Prints some values, each in a style that takes its elements.
    fn print(&mut self) {
        let (mut template, mut values) = (Template::default(), vec![]);
        for _ in 0..self.below(3) {
            let (x, ty) = self.register();
            let layouts = [Layout::Rows, Layout::Row, Layout::Number];
            let fitting = if ty.count() == 1 { 3 } else { 1 + usize::from(ty.rows == 1) };
            let layout = layouts[self.below(fitting)];
            let style = Style::ALL[self.below(Style::ALL.len())];
            let style = if style.takes(ty.elem().unwrap()) { style } else { Style::Debug };
            template.push_str("\"{} = \n");
            template.push(Hole {
                align: self.flip().then_some(Align::Center),
                alternate: self.flip(),
                width: self.below(9) as u16,
                ..Hole::new(layout, style)
            });
            values.push(x);
        }
        self.effect(Op::Print { template, values }, Type::CONDITION);
    }

    fn argument(&mut self) {
        let param = self.below(self.params.len());
        if let ParamKind::Uniform { elem, rows, columns } = self.params[param].kind {
            self.value(Op::Argument(param), Type::new(elem, rows, columns));
        }
    }

    /// Any row of the table of element-wise operations, by its rules.
    fn map(&mut self) {
        let kind = MapKind::ALL[self.below(MapKind::ALL.len())];
        let (_, shape) = self.register();
        let saturate = kind.saturates() && self.flip();
        self.computed(Computed::Map(kind, saturate), shape);
    }

    /// A register as one number.
    fn reduction(&mut self) {
        let kinds: Vec<MapKind> = MapKind::ALL.iter().copied().filter(|kind| kind.reduces()).collect();
        let kind = kinds[self.below(kinds.len())];
        let (_, shape) = self.register();
        let common = if kind.domain() == Domain::Int { self.int() } else { self.elem() };
        let elem = if common.is_float() { self.elem() } else { self.int() };
        let operand = self.of(shape.with_elem(elem));
        self.value(Op::Reduce { kind, common, operand }, Type::scalar(common));
    }

    /// Any row of the table of operations on groups, by its rules.
    fn group(&mut self) {
        let kind = GroupKind::ALL[self.below(GroupKind::ALL.len())];
        let whole = |ty: Type| ty.elem().is_some() && ty.count().is_multiple_of(kind.width());
        let shape = self.find(whole).map_or(Type::new(ElemType::U8, 2, 8), |(_, ty)| ty);
        self.computed(Computed::Group(kind), shape);
    }

    /// A product of matrices.
    fn dpas(&mut self) {
        let b = Precision::ALL[self.below(Precision::ALL.len())];
        let with: Vec<Precision> = Precision::ALL.iter().copied().filter(|a| b.goes_with(*a)).collect();
        let a = with[self.below(with.len())];
        let ty = Type::new(b.accumulator(), 1 + self.below(8), [8, 16][self.below(2)]);
        let types = [
            ty,
            Type::new(ElemType::U32, DPAS_DEPTH, ty.columns),
            Type::new(ElemType::U32, ty.rows, DPAS_DEPTH),
        ];
        let operands = Operands::new(&types.map(|ty| self.of(ty)));
        self.value(Op::Dpas { b, a, operands }, ty);
    }

    /// An operation on registers of this shape, by the rules of its kind.
    fn computed(&mut self, kind: Computed, shape: Type) {
        let common = match kind.domain() {
            Domain::Elem | Domain::Numeric => self.elem(),
            Domain::Int => self.int(),
            Domain::Dword => [ElemType::U32, ElemType::I32][self.below(2)],
            Domain::Single => [ElemType::F16, ElemType::F32][self.below(2)],
        };
        let mut operands = vec![];
        for rule in kind.operands() {
            let elem = match rule {
                Operand::Own => common,
                Operand::Mask => self.int(),
                Operand::Common if !common.is_float() => self.int(),
                Operand::Common | Operand::Source => self.elem(),
            };
            operands.push(self.of(shape.with_elem(elem)));
        }
        self.value(Op::of(kind, common, &operands), shape.with_elem(kind.outcome().elem(common)));
    }

    /// A region of at most `count` elements, of which no two are the same if so wanted, and its rows.
    fn random_region(&mut self, count: usize, distinct: bool) -> (Region, usize) {
        let least = usize::from(distinct);
        let width = 1 + self.below(count.min(32));
        let column_stride = if width == 1 {
            self.below(5)
        } else {
            least + self.below((count - 1) / (width - 1) + 1 - least)
        };
        let row = (width - 1) * column_stride;
        let rest = count - 1 - row;
        let least = if distinct { row + 1 } else { 0 };
        let most_rows = rest.checked_div(least).map_or(4, |more| (more + 1).min(4));
        let rows = 1 + self.below(most_rows);
        let row_stride =
            if rows == 1 { self.below(100) } else { least + self.below(rest / (rows - 1) + 1 - least) };
        let most = rest - (rows - 1) * row_stride;
        let offset = self.below(most + 1);
        let mut dynamic = None;
        if self.flip() {
            let u32s = Type::scalar(ElemType::U32);
            let x = self.of(u32s);
            let last = self.value(Op::Constant(Bits::Splat((most - offset) as u64)), u32s);
            dynamic = Some(self.value(Op::map(MapKind::Min, ElemType::U32, &[x, last]), u32s));
        }
        (Region { offset, dynamic, row_stride, width, column_stride }, rows)
    }

    /// A shape for the elements of a region.
    fn arranged(&mut self, elem: ElemType, rows: usize, width: usize) -> Type {
        match self.below(3) {
            0 => Type::new(elem, rows, width),
            1 => Type::new(elem, 1, rows * width),
            _ => Type::new(elem, rows * width, 1),
        }
    }

    fn region(&mut self) {
        let (x, ty) = self.register();
        let (region, rows) = self.random_region(ty.count(), false);
        let ty = self.arranged(ty.elem().unwrap(), rows, region.width);
        self.value(Op::Region(x, region), ty);
    }

    fn insert(&mut self) {
        let (x, ty) = self.register();
        let (region, rows) = self.random_region(ty.count(), true);
        let part = self.arranged(ty.elem().unwrap(), rows, region.width);
        let part = self.of(part);
        self.value(Op::Insert(x, region, part), ty);
    }

    fn format(&mut self) {
        let (x, ty) = self.register();
        let elem = self.elem();
        let most = ty.bytes() / elem.bytes();
        if most > 0 {
            let columns = 1 + self.below(most);
            let rows = 1 + self.below(most / columns);
            self.value(Op::Format(x), Type::new(elem, rows, columns));
        }
    }

    fn variable(&mut self) {
        let old = if self.variables.is_empty() || self.below(3) == 0 {
            None
        } else {
            let n = self.below(self.variables.len());
            Some(self.variables[n])
        };
        match (old, self.flip()) {
            (Some((variable, ty)), true) => {
                self.value(Op::Load(variable), ty);
            }
            (Some((variable, ty)), false) => {
                let x = if ty == Type::CONDITION { self.condition() } else { self.of(ty) };
                self.effect(Op::Store(variable, x), ty);
            }
            (None, true) => {
                let x = self.condition();
                self.declare(Some(x), Type::CONDITION);
            }
            (None, false) => {
                let (x, ty) = self.register();
                let init = if self.flip() { Some(x) } else { None };
                self.declare(init, ty);
            }
        }
    }

    fn declare(&mut self, init: Option<Value>, ty: Type) -> Variable {
        let variable = Variable(self.next_variable);
        self.next_variable += 1;
        self.effect(Op::Declare(variable, init), ty);
        self.variables.push((variable, ty));
        variable
    }
}
