//! The statements of a program.

use cm::compiler::elem::ElemType;

use super::generate::{Generator, Register};
use super::program::Type;

/// CM's common type of two operands.
fn promoted(a: ElemType, b: ElemType) -> ElemType {
    use ElemType as E;
    for float in [E::F64, E::F32, E::F16] {
        if a == float || b == float {
            return float;
        }
    }
    match (a, b) {
        (E::U64, _) | (_, E::U64) => E::U64,
        (E::I64, _) | (_, E::I64) => E::I64,
        (E::U32, _) | (_, E::U32) => E::U32,
        _ => E::I32,
    }
}

/// What an element becomes under a unary operator.
fn widened(elem: ElemType) -> ElemType {
    if elem.is_float() || elem.bytes() >= 4 { elem } else { ElemType::I32 }
}

/// A part of a register, as `select` takes it: sizes, strides and first positions.
struct Part {
    rows: usize,
    row_stride: usize,
    columns: usize,
    column_stride: usize,
    row: usize,
    column: usize,
}

impl Part {
    /// The constants and the positions of a `select`.
    fn literal(&self) -> String {
        let Self { rows, row_stride, columns, column_stride, row, column } = self;
        format!("::<{rows}, {row_stride}, {columns}, {column_stride}>({row}, {column})")
    }
}

impl Generator {
    pub(super) fn step(&mut self, depth: usize) {
        if let Some([columns, rows]) = self.local
            && self.random.once_in(4)
        {
            return self.group(columns * rows, depth);
        }
        match self.random.below(40) {
            0..8 => self.binary(),
            8..10 => self.comparison(),
            10 => self.unary(),
            11..14 => self.conversion(),
            14..17 => self.select(),
            17..24 => self.change(),
            24 => self.format(),
            25 => self.iselect(),
            26 => self.replicate(),
            27 => self.groups(),
            28 => self.variable(),
            29 | 30 if depth < 2 => {
                let condition = self.condition();
                let other = self.random.flip();
                self.block(depth, format!("if {condition}"), Default::default(), other);
            }
            31 if depth < 1 => self.repeated(depth),
            32 => {
                let ty = self.ty();
                self.read(ty);
            }
            33 => self.chosen(),
            34 | 35 => self.linear(),
            36 => self.atomic(),
            37..39 => self.sub_group(),
            _ => self.change(),
        }
    }

    /// The right side of an operator: its text and its elements.
    fn operand(&mut self, shape: Type, int: bool) -> (String, ElemType) {
        match self.random.below(5) {
            0 => {
                let elem = self.elem();
                let elem = match elem {
                    ElemType::F16 if !int => return ("3i32".into(), ElemType::I32),
                    elem if int && elem.is_float() => ElemType::I32,
                    elem => elem,
                };
                (self.number(elem), elem)
            }
            1 if !int => {
                let from = self.register();
                (self.scalar(&from), from.ty.elem)
            }
            2 => ("number".into(), ElemType::I32),
            _ if int => {
                let x = self.integers(shape);
                if (x.ty.rows, x.ty.columns) == (shape.rows, shape.columns) {
                    (x.name, x.ty.elem)
                } else {
                    ("count".into(), ElemType::U32)
                }
            }
            _ => {
                let x = self.shaped(shape);
                if (x.ty.rows, x.ty.columns) == (shape.rows, shape.columns) {
                    (x.name, x.ty.elem)
                } else {
                    ("count".into(), ElemType::U32)
                }
            }
        }
    }

    fn scalar(&mut self, from: &Register) -> String {
        let (i, j) = (self.random.below(from.ty.rows), self.random.below(from.ty.columns));
        format!("{}.get({i}, {j})", from.name)
    }

    fn binary(&mut self) {
        let a = self.register();
        let int = !a.ty.elem.is_float();
        let operator = match self.random.below(if int { 12 } else { 5 }) {
            0 => "+",
            1 => "-",
            2 => "*",
            3 => "/",
            4 => "+",
            5 => "%",
            6 => "&",
            7 => "|",
            8 => "^",
            9 => "<<",
            10 => ">>",
            _ => "-",
        };
        let ints = matches!(operator, "%" | "&" | "|" | "^" | "<<" | ">>");
        let (b, elem) = self.operand(a.ty, ints);
        let shift = matches!(operator, "<<" | ">>");
        let common = if shift { widened(a.ty.elem) } else { promoted(a.ty.elem, elem) };
        let number = b.starts_with('(') || b.contains("::");
        let text = if number && !shift && self.random.once_in(3) {
            format!("{b} {operator} {}", a.name)
        } else {
            format!("{} {operator} {b}", a.name)
        };
        self.computed(a.ty.with_elem(common), &text);
    }

    fn comparison(&mut self) {
        let a = self.register();
        let (b, _) = self.operand(a.ty, false);
        let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let ty = a.ty.with_elem(ElemType::U16);
        if ty.bytes() <= 256 {
            self.define(ty, format!("{} {operator} {b}", a.name));
        }
    }

    fn unary(&mut self) {
        let a = self.register();
        let operator = if a.ty.elem.is_float() || self.random.flip() { "-" } else { "!" };
        self.computed(a.ty.with_elem(widened(a.ty.elem)), &format!("{operator}{}", a.name));
    }

    fn conversion(&mut self) {
        let a = self.register();
        let elem = self.elem();
        let ty = a.ty.with_elem(elem);
        if ty.bytes() <= 256 {
            let to = if self.random.once_in(3) { "saturate" } else { "convert" };
            self.define(ty, format!("{}.{to}()", a.name));
        }
    }

    fn part(&mut self, of: Type) -> Part {
        let mut extent = |size: usize| {
            let stride = self.random.within(1..=3);
            let count = self.random.within(1..=size.div_ceil(stride));
            let stride = if count == 1 { 1 } else { stride };
            (count, stride, self.random.below(size - (count - 1) * stride))
        };
        let (rows, row_stride, row) = extent(of.rows);
        let (columns, column_stride, column) = extent(of.columns);
        Part { rows, row_stride, columns, column_stride, row, column }
    }

    /// The constants and the positions of a `select`; a position may be a staged number.
    fn selection(&mut self, part: &Part) -> String {
        let Part { rows, row_stride, columns, column_stride, row, column } = *part;
        let (row, column) = (self.position(row), self.position(column));
        format!("::<{rows}, {row_stride}, {columns}, {column_stride}>({row}, {column})")
    }

    /// A position: a literal, or a staged number, which may be anything.
    fn position(&mut self, literal: usize) -> String {
        let ints = |r: &Register| !r.ty.elem.is_float();
        if self.random.once_in(4)
            && let Some(from) = self.find(ints)
        {
            let scalar = self.scalar(&from);
            return match self.random.below(3) {
                0 => scalar,
                1 => format!("({scalar} & 3)"),
                _ => format!("({scalar} & 1) * {literal}"),
            };
        }
        literal.to_string()
    }

    fn select(&mut self) {
        let a = self.register();
        let part = self.part(a.ty);
        let mut ty = Type { elem: a.ty.elem, rows: part.rows, columns: part.columns };
        let mut text = format!("{}.select{}", a.name, self.selection(&part));
        if self.random.once_in(3) {
            let part = self.part(ty);
            ty = Type { elem: ty.elem, rows: part.rows, columns: part.columns };
            text = format!("{text}.select{}", self.selection(&part));
        }
        self.define(ty, text);
    }

    /// Changes a variable, or a part of it.
    pub(super) fn change(&mut self) {
        let Some(target) = self.find(|r| r.variable) else { return self.variable() };
        let name = target.name;
        let operator = self.random.pick(&["+=", "-=", "*="]);
        match self.random.below(7) {
            0 => {
                let source = self.shaped(target.ty);
                if (source.ty.rows, source.ty.columns) == (target.ty.rows, target.ty.columns) {
                    self.say(format!("{name}.assign({});", source.name));
                }
            }
            1 => {
                let source = self.shaped(target.ty);
                if (source.ty.rows, source.ty.columns) == (target.ty.rows, target.ty.columns) {
                    let mask = self.mask(target.ty);
                    self.say(format!("{name}.merge({}, {mask});", source.name));
                }
            }
            2 => {
                let mask = self.mask(target.ty);
                let (a, b) = (self.number(target.ty.elem), self.shaped(target.ty));
                if (b.ty.rows, b.ty.columns) == (target.ty.rows, target.ty.columns) {
                    self.say(format!("{name}.merge_else({a}, {}, {mask});", b.name));
                }
            }
            3 => {
                let number = self.number(target.ty.elem);
                self.say(format!("{name} {operator} {number};"));
            }
            4 => {
                let (i, j) = (self.random.below(target.ty.rows), self.random.below(target.ty.columns));
                let (i, j) = (self.position(i), self.position(j));
                let number = self.number(target.ty.elem);
                self.say(format!("{name}.get_mut({i}, {j}).assign({number});"));
            }
            _ => {
                // A part of another register that has enough rows and columns, or a number.
                let part = self.part(target.ty);
                let mut place = format!("{name}.select_mut{}", self.selection(&part));
                let mut ty = Type { elem: target.ty.elem, rows: part.rows, columns: part.columns };
                if self.random.once_in(3) {
                    let part = self.part(ty);
                    ty = Type { elem: ty.elem, rows: part.rows, columns: part.columns };
                    // Literals: the first place borrows the variable, which other positions might read.
                    place = format!("{place}.select_mut{}", part.literal());
                }
                let large = |r: &Register| r.ty.rows >= ty.rows && r.ty.columns >= ty.columns;
                let source = match self.find(large) {
                    Some(source) => {
                        let (row, column) = (
                            self.random.below(source.ty.rows - ty.rows + 1),
                            self.random.below(source.ty.columns - ty.columns + 1),
                        );
                        let part = Part {
                            rows: ty.rows,
                            row_stride: 1,
                            columns: ty.columns,
                            column_stride: 1,
                            row,
                            column,
                        };
                        format!("{}.select{}", source.name, self.selection(&part))
                    }
                    None => self.number(ty.elem),
                };
                if self.random.flip() {
                    self.say(format!("{place}.assign({source});"));
                } else {
                    self.say(format!("{place} {operator} {source};"));
                }
            }
        }
    }

    /// A mask for a register of this shape.
    fn mask(&mut self, ty: Type) -> String {
        if ty.count() <= 32 && self.random.once_in(4) {
            return format!("{:#x}u32", self.random.bits() as u32);
        }
        let a = self.shaped(ty);
        if (a.ty.rows, a.ty.columns) != (ty.rows, ty.columns) {
            return "0x5a5a5a5au32".into();
        }
        if !a.ty.elem.is_float() && self.random.once_in(3) {
            return a.name;
        }
        let operator = self.random.pick(&["<", ">=", "==", "!="]);
        let number = self.number(a.ty.elem);
        format!("{} {operator} {number}", a.name)
    }

    fn condition(&mut self) -> String {
        let a = self.register();
        let mask = self.mask(a.ty);
        if mask.ends_with("u32") && mask.starts_with("0x") {
            return "count > 2u32".into();
        }
        let mask = format!("({mask})");
        let method = self.random.pick(&["any", "all"]);
        match self.random.below(4) {
            0 => format!("!{mask}.{method}()"),
            1 => format!("{mask}.{method}() && number < 5i32"),
            2 => format!("{mask}.{method}() || thread == 2u32"),
            _ => format!("{mask}.{method}()"),
        }
    }

    fn repeated(&mut self, depth: usize) {
        let n = self.name('n');
        match self.random.below(3) {
            0 => self.block(depth, format!("for {n} in 0..count"), Default::default(), false),
            1 => {
                let rounds = self.random.within(1..=3);
                self.block(depth, format!("for {n} in 0..{rounds}"), Default::default(), false);
            }
            _ => {
                let condition = self.condition();
                let parts = (format!("let mut {n} = 0u32;"), format!("{n} += 1u32;"));
                self.block(depth, format!("while {n} < 3u32 && ({condition})"), parts, false);
            }
        }
    }

    /// A value that a condition chooses.
    fn chosen(&mut self) {
        let a = self.register();
        let b = self.shaped(a.ty);
        if (a.ty.rows, a.ty.columns) != (b.ty.rows, b.ty.columns) {
            return;
        }
        let condition = self.condition();
        let elem = self.elem();
        let ty = a.ty.with_elem(elem);
        if ty.bytes() <= 256 {
            self.define(
                ty,
                format!("if {condition} {{ {}.convert() }} else {{ {}.saturate() }}", a.name, b.name),
            );
        }
    }

    /// The register without payloads of NaNs, which are not defined.
    fn plain(&mut self, a: Register) -> Register {
        if !a.ty.elem.is_float() {
            return a;
        }
        let name = self.name('f');
        self.say(format!("let mut {name}: {} = Matrix::splat(0u8);", a.ty));
        self.say(format!("{name}.merge({0}, {0} == {0});", a.name));
        Register { name, ..a }
    }

    fn format(&mut self) {
        let a = self.register();
        let elem = self.elem();
        let bytes = a.ty.bytes();
        if !bytes.is_multiple_of(elem.bytes()) {
            return;
        }
        let a = self.plain(a);
        let count = bytes / elem.bytes();
        let divisors: Vec<usize> = (1..=count).filter(|n| count.is_multiple_of(*n)).collect();
        let rows = self.random.pick(&divisors);
        let ty = Type { elem, rows, columns: count / rows };
        self.define(ty, format!("{}.format::<{elem}, {rows}, {}>()", a.name, ty.columns));
    }

    /// A vector as a register of one row.
    pub(super) fn row(&mut self, elem: ElemType, columns: usize, value: &str) {
        let ty = Type { elem, rows: 1, columns };
        if ty.bytes() > 256 {
            return;
        }
        let name = self.name('r');
        self.say(format!("let {name} = {value};"));
        self.say(format!("let mut {name}m: {ty} = Matrix::splat(0u8);"));
        self.say(format!("{name}m.row_mut(0).assign({name});"));
        self.define(ty, format!("{name}m"));
    }

    fn iselect(&mut self) {
        let (a, index) = (self.register(), self.register());
        let index = self.integers(index.ty);
        if index.ty.elem.is_float() {
            return;
        }
        let (row, from) = (self.random.below(index.ty.rows), self.random.below(a.ty.rows));
        let columns = index.ty.columns;
        let numbers = format!("{}.row({row})", index.name);
        let text = if self.random.flip() {
            format!("{}.row({from}).iselect({numbers})", a.name)
        } else {
            format!("{}.iselect(({numbers} >> 1), ({numbers} & 7))", a.name)
        };
        self.row(a.ty.elem, columns, &text);
    }

    fn replicate(&mut self) {
        let a = self.register();
        let count = a.ty.count();
        let times = self.random.within(1..=4);
        if self.random.once_in(3) && times * count <= 128 {
            return self.row(a.ty.elem, times * count, &format!("{}.replicate::<{times}>()", a.name));
        }
        // `times` parts, `step` apart, of `width` elements, `stride` apart.
        let width = self.random.within(1..=count.min(8));
        let stride = self.random.below((count - 1) / width.max(2) + 1);
        let reach = (width - 1) * stride;
        let step = if times == 1 { 0 } else { self.random.below((count - 1 - reach) / (times - 1) + 1) };
        let offset = self.random.below(count - reach - (times - 1) * step);
        let (i, j) = (offset / a.ty.columns, offset % a.ty.columns);
        let constants = format!("{times}, {step}, {width}, {stride}");
        self.row(a.ty.elem, times * width, &format!("{}.replicate::<{constants}>({i}, {j})", a.name));
    }

    fn groups(&mut self) {
        let elem = self.elem();
        let saturated = self.random.pick(&["", "_sat"]);
        let (name, width, int) = self.random.pick(&[("avg", 1, true), ("sad2", 2, true), ("dp4", 4, false)]);
        let fits = |r: &Register| r.ty.columns.is_multiple_of(width) && !(int && r.ty.elem.is_float());
        let Some(a) = self.find(fits) else { return };
        let (b, _) = self.operand(a.ty, int);
        let ty = a.ty.with_elem(elem);
        if ty.bytes() <= 256 {
            self.define(ty, format!("math::{name}{saturated}::<{elem}, _>({}, {b})", a.name));
        }
    }

    fn sub_group(&mut self) {
        use ElemType as E;
        let lanes = self.lanes;
        let elem = self.random.pick(&[E::I32, E::U32, E::I64, E::U64, E::F16, E::F32, E::F64]);
        let Some(a) = self.exactly(elem, lanes) else { return };
        let way = self.random.pick(&["add", "min", "max"]);
        let text = match self.random.below(7) {
            0 => format!("Vector::<{elem}, {lanes}>::splat(sub_group_reduce_{way}({a}))"),
            1 => format!("sub_group_scan_inclusive_{way}({a})"),
            2 => format!("sub_group_scan_exclusive_{way}({a})"),
            3 => {
                let who = self.random.below(lanes);
                format!("Vector::<{elem}, {lanes}>::splat(sub_group_broadcast({a}, {who}))")
            }
            n => {
                let Some(b) = self.exactly(elem, lanes) else { return };
                let Some(index) = self.exactly(E::U32, lanes) else { return };
                let index = self
                    .random
                    .pick(
                        &[format!("{index} & {}u32", lanes - 1), "3".to_owned(), "count".to_owned()]
                            .each_ref(),
                    )
                    .clone();
                match n {
                    4 => format!("sub_group_shuffle({a}, {index})"),
                    5 => {
                        let way = self.random.pick(&["up", "down"]);
                        format!("sub_group_shuffle_{way}({a}, {b}, {index})")
                    }
                    _ => format!("sub_group_shuffle_xor({a}, {index})"),
                }
            }
        };
        self.row(elem, lanes, &text);
    }
}
