//! The program of a seed.

use cm::compiler::elem::ElemType;

use super::program::{Program, SEEN, Statement, TABLE, Type};
use crate::random::Random;

/// A register that statements can use.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) variable: bool,
}

pub(super) struct Generator {
    pub(super) random: Random,
    pub(super) elems: Vec<ElemType>,
    shapes: Vec<(usize, usize)>,
    pub(super) buffers: [ElemType; 3],
    /// Work items of its sub-groups.
    pub(super) lanes: usize,
    /// Columns and rows of threads in a group, if it runs in groups.
    pub(super) local: Option<[usize; 2]>,
    pub(super) registers: Vec<Register>,
    statements: Vec<Statement>,
    names: usize,
}

/// The program of a seed.
#[must_use]
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(!seed);
    let some = random.within(1..=4);
    let mut elems: Vec<ElemType> = (0..some).map(|_| random.pick(ElemType::ALL)).collect();
    if random.flip() {
        elems.push(random.pick(&[ElemType::U8, ElemType::I16, ElemType::I32]));
    }
    let shapes = (0..random.within(1..=3)).map(|_| shape(&mut random)).collect();
    let read = random.pick(ElemType::ALL);
    let written = random.pick(ElemType::INTEGERS);
    let counters = random.pick(&[ElemType::U32, ElemType::I32]);
    let lanes = random.pick(&[8, 16, 32]);
    // A separate generator, so that kernels without groups do not depend on this choice.
    let mut of_groups = Random::new(seed.rotate_left(32) ^ 0x67_726f_7570);
    let local = of_groups.once_in(3).then(|| of_groups.pick(&[[1, 2], [3, 1], [3, 2]]));
    let mut generator = Generator {
        random,
        elems,
        shapes,
        buffers: [read, written, counters],
        lanes,
        local,
        registers: vec![],
        statements: vec![],
        names: 0,
    };
    for _ in 0..generator.random.within(2..=3) {
        let ty = generator.ty();
        generator.read(ty);
    }
    for _ in 0..generator.random.within(1..=2) {
        generator.variable();
    }
    for _ in 0..generator.random.within(4..=18) {
        generator.step(0);
    }
    let mut seen: Vec<(String, Type)> =
        generator.registers.iter().filter(|r| r.variable).map(|r| (r.name.clone(), r.ty)).collect();
    seen.reverse();
    seen.truncate(SEEN / 2);
    let rest = generator.registers.iter().rev().filter(|r| !r.variable);
    seen.extend(rest.take(SEEN - seen.len()).map(|r| (r.name.clone(), r.ty)));
    Program { seed, buffers: generator.buffers, local, body: generator.statements, seen, kept: 0 }
}

/// A shape of up to 64 columns and 128 elements.
fn shape(random: &mut Random) -> (usize, usize) {
    let columns = match random.below(5) {
        0 => 1 << random.below(6),
        1 => 4 * random.within(1..=16),
        _ => random.within(1..=40),
    };
    let rows = random.pick(&[1, 1, 2, 3, 4, 5, 8]);
    (rows.min((128 / columns).max(1)), columns)
}

impl Generator {
    pub(super) fn elem(&mut self) -> ElemType {
        if self.random.once_in(8) {
            return self.random.pick(ElemType::ALL);
        }
        self.random.pick(&self.elems)
    }

    /// A type of at most 256 bytes.
    pub(super) fn ty(&mut self) -> Type {
        let (rows, columns) = self.random.pick(&self.shapes);
        let elem = self.elem();
        fitting(Type { elem, rows, columns })
    }

    pub(super) fn name(&mut self, prefix: char) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub(super) fn say(&mut self, line: impl Into<String>) {
        self.statements.push(Statement::Do(line.into()));
    }

    /// Gives a value a name.
    pub(super) fn define(&mut self, ty: Type, value: String) -> Register {
        let name = self.name('v');
        let register = Register { name: name.clone(), ty, variable: false };
        self.statements.push(Statement::Let { name, ty, variable: false, value });
        self.registers.push(register.clone());
        register
    }

    /// A value of an operator, which has its type from its operands, as this type.
    pub(super) fn computed(&mut self, own: Type, value: &str) -> Register {
        if self.random.flip() || own.bytes() > 256 {
            let elem = self.elem();
            let to = if self.random.once_in(3) { "saturate" } else { "convert" };
            let ty = own.with_elem(elem);
            if ty.bytes() <= 256 {
                return self.define(ty, format!("({value}).{to}()"));
            }
            let narrow = if elem.is_float() { ElemType::F16 } else { ElemType::U8 };
            return self.define(own.with_elem(narrow), format!("({value}).{to}()"));
        }
        self.define(own, value.to_owned())
    }

    /// A variable.
    pub(super) fn variable(&mut self) {
        let from = self.register();
        let name = self.name('m');
        let register = Register { name: name.clone(), ty: from.ty, variable: true };
        self.statements.push(Statement::Let { name, ty: from.ty, variable: true, value: from.name });
        self.registers.push(register);
    }

    /// A statement with blocks.
    pub(super) fn block(
        &mut self,
        depth: usize,
        head: String,
        (before, last): (String, String),
        other: bool,
    ) {
        let mut inner = || {
            let known = self.registers.len();
            let outer = std::mem::take(&mut self.statements);
            for _ in 0..self.random.within(1..=4) {
                self.step(depth + 1);
                if self.random.flip() {
                    self.change();
                }
            }
            self.registers.truncate(known);
            std::mem::replace(&mut self.statements, outer)
        };
        let body = inner();
        let other = if other { inner() } else { vec![] };
        self.statements.push(Statement::Block { before, head, body, last, other });
    }

    /// A register, new ones more often.
    pub(super) fn register(&mut self) -> Register {
        self.find(|_| true).unwrap_or_else(|| {
            let ty = self.ty();
            self.read(ty)
        })
    }

    pub(super) fn find(&mut self, fits: impl Fn(&Register) -> bool) -> Option<Register> {
        let all: Vec<&Register> = self.registers.iter().rev().filter(|r| fits(r)).collect();
        match all.len() {
            0 => None,
            n if n > 4 && self.random.once_in(3) => Some(all[self.random.below(n)].clone()),
            n => Some(all[self.random.below(n.min(4))].clone()),
        }
    }

    /// A register of this shape.
    pub(super) fn shaped(&mut self, ty: Type) -> Register {
        let shaped = |r: &Register| (r.ty.rows, r.ty.columns) == (ty.rows, ty.columns);
        match self.find(shaped) {
            Some(found) if !self.random.once_in(5) => found,
            _ => self.read(ty),
        }
    }

    /// A register of this shape that holds integers.
    pub(super) fn integers(&mut self, ty: Type) -> Register {
        let found = self.shaped(ty);
        if !found.ty.elem.is_float() {
            return found;
        }
        let ty = fitting(found.ty.with_elem(ElemType::I16));
        self.define(ty, format!("{}.convert()", found.name))
    }

    /// A block of the input, or of the table, or of constants.
    pub(super) fn read(&mut self, ty: Type) -> Register {
        let width = ty.columns * ty.elem.bytes();
        let fits = cm::compiler::limits::media_block(ty.rows, width).is_ok();
        if fits && !self.random.once_in(8) {
            let (x, y) = (
                self.random.pick(&["x", "x + 3u32", "7", "x - 5u32", "y"]),
                self.random.pick(&["y", "y + 2u32", "1", "-3"]),
            );
            return self
                .define(ty, format!("input.read::<{}, {}, {}>({x}, {y})", ty.elem, ty.rows, ty.columns));
        }
        let table = self.buffers[0];
        let bytes = ty.count() * table.bytes();
        if ty.rows == 1 && ty.elem == table && (16..=128).contains(&bytes) {
            let offset = self.random.below(TABLE / 16 - 8) * 16;
            let offset = self
                .random
                .pick(&[format!("{offset}"), format!("(thread + {}u32) * 16u32", offset / 16)].each_ref())
                .clone();
            let name = self.name('v');
            self.say(format!("let {name}r = table.read::<{}>({offset});", ty.columns));
            self.say(format!("let mut {name}m: {ty} = Matrix::splat(0u8);"));
            self.say(format!("{name}m.row_mut(0).assign({name}r);"));
            return self.define(ty, format!("{name}m"));
        }
        let number = self.number(ty.elem);
        self.define(ty, format!("Matrix::splat({number})"))
    }

    /// A number of a type, as Rust writes it.
    pub(super) fn number(&mut self, elem: ElemType) -> String {
        match elem {
            // Rust has no literals of these.
            ElemType::F16 => self.random.pick(&["3u8", "(-7i8)", "0.5f32", "100i16"]).to_owned(),
            ElemType::F32 | ElemType::F64 => {
                let number =
                    self.random.pick(&["0.5", "0.111", "-1.0", "2.0", "255.0", "1e9", "-3.75", "0.0"]);
                format!("({number}{elem})")
            }
            _ => {
                let (low, high) = elem.range().unwrap_or_default();
                let all: [i128; 16] = [0, 1, 2, 3, 4, 7, 8, 15, 31, 100, 127, 255, -1, -5, low, high];
                let number = self.random.pick(&all).clamp(low, high);
                if number == low && number < 0 { format!("{elem}::MIN") } else { format!("({number}{elem})") }
            }
        }
    }
}

/// The type with as many rows as 256 bytes hold.
pub(super) fn fitting(ty: Type) -> Type {
    let rows = ty.rows.min((256 / (ty.columns * ty.elem.bytes())).max(1));
    let columns = ty.columns.min(256 / ty.elem.bytes());
    Type { rows, columns, ..ty }
}
