//! The steps of a kernel: instructions on what the steps before made.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::{Computed, Domain, GroupKind, MapKind, Operand};
use cm::ir::{Axis, Op, ParamKind, Region, ThreadId, Type, Value};

use super::builder::{Builder, INDEX};
use super::style::{Step, exact_kinds};

impl Builder {
    pub(super) fn step(&mut self, depth: usize) {
        match self.style.step(&mut self.random) {
            Step::Constant => {
                let ty = self.ty();
                self.constant(ty);
            }
            Step::Read => {
                let ty = self.ty();
                self.read(ty);
            }
            Step::Scalar => self.scalar(),
            Step::Splat => {
                let ty = self.ty();
                let x = self.of(Type::scalar(ty.elem().unwrap_or(ElemType::U8)));
                self.value(Op::Splat(x), ty);
            }
            Step::Map => self.map(),
            Step::Convert => {
                let (x, ty) = self.register();
                let elem = self.elem();
                self.converted(x, ty.with_elem(elem));
            }
            Step::Region => self.region(),
            Step::Insert => self.insert(),
            Step::Iselect => self.iselect(),
            Step::Format => self.format(),
            Step::Group => self.group(),
            Step::Mask => {
                let bits = self.of(INDEX);
                let ty = self.ty().with_elem(ElemType::U16);
                self.value(Op::UnpackMask(bits), ty);
            }
            Step::Condition => {
                let (a, b) = (self.condition(), self.condition());
                let op = self.random.below(3);
                self.value([Op::Not(a), Op::And(a, b), Op::Or(a, b)][op].clone(), Type::CONDITION);
            }
            Step::Variable => self.variable(),
            Step::Branch if depth < 4 => self.branch(depth),
            Step::Loop if depth < 2 => self.repeated(depth),
            Step::Labelled if depth < 3 => self.labelled(depth),
            Step::Branch | Step::Loop | Step::Labelled => {}
            Step::Buffer => self.buffer(),
            Step::Write => {
                let (x, ty) = self.register();
                self.write_anywhere(x, ty);
            }
        }
    }

    /// A step in a block: what it computes is lost if no variable keeps it.
    pub(super) fn inner(&mut self, depth: usize) {
        self.step(depth);
        if self.random.flip() {
            self.variable();
        }
    }

    fn scalar(&mut self) {
        let uniforms: Vec<(usize, Type)> = self
            .params
            .iter()
            .enumerate()
            .filter_map(|(n, param)| match param.kind {
                ParamKind::Uniform { elem, rows, columns } => Some((n, Type::new(elem, rows, columns))),
                _ => None,
            })
            .collect();
        if !uniforms.is_empty() && self.random.flip() {
            let (param, ty) = self.random.pick(&uniforms);
            self.value(Op::Argument(param), ty);
        } else if self.random.once_in(3) {
            let axis = if self.random.flip() { Axis::X } else { Axis::Y };
            self.value(Op::Thread(ThreadId::Origin(axis)), INDEX);
        } else {
            let (x, ty) = self.register();
            let offset = self.random.below(ty.count());
            let elem = ty.elem().unwrap_or(ElemType::U8);
            self.value(Op::Region(x, Region::contiguous(offset, 1)), Type::scalar(elem));
        }
    }

    pub(super) fn condition(&mut self) -> Value {
        if self.random.once_in(4)
            && let Some((value, _)) = self.find(|ty| ty == Type::CONDITION)
        {
            return value;
        }
        let masks = |ty: Type| ty.elem() == Some(ElemType::U16);
        let (x, _) = match self.random.below(3) {
            0 => self.register(),
            _ => match self.find(masks) {
                Some(found) => found,
                None => {
                    let (x, ty) = self.register();
                    let mask = ty.with_elem(ElemType::U16);
                    let y = self.of(ty);
                    let kinds = [MapKind::Lt, MapKind::Eq, MapKind::Ge];
                    let kind = self.random.pick(&kinds);
                    (self.value(Op::map(kind, ty.elem().unwrap_or(ElemType::U8), &[x, y]), mask), mask)
                }
            },
        };
        let op = if self.random.flip() { Op::Any(x) } else { Op::All(x) };
        self.value(op, Type::CONDITION)
    }

    fn map(&mut self) {
        let kind = if self.random.once_in(5) {
            self.random.pick(&exact_kinds())
        } else {
            self.random.pick(&self.style.kinds)
        };
        let (x, shape) = self.register();
        let saturate = kind.saturates() && self.random.flip();
        self.computed(Computed::Map(kind, saturate), Some(x), shape);
    }

    fn group(&mut self) {
        let kind = self.random.pick(GroupKind::ALL);
        let width = kind.width();
        if let Some((x, shape)) = self.find(|ty| ty.elem().is_some() && ty.count().is_multiple_of(width)) {
            self.computed(Computed::Group(kind), Some(x), shape);
        }
    }

    /// An operation on registers of this shape, by the rules of its kind; on this one if it fits.
    fn computed(&mut self, kind: Computed, x: Option<Value>, shape: Type) {
        let domain = kind.domain();
        let of = shape.elem().filter(|elem| domain.contains(*elem));
        let common = match (of, self.random.below(3)) {
            // CM computes bytes and words as dwords.
            (_, 0)
                if domain.contains(ElemType::I32)
                    && self.style.integers.iter().any(|elem| elem.bytes() < 4) =>
            {
                ElemType::I32
            }
            (Some(elem), 1) => elem,
            _ if domain == Domain::Int => self.integer(),
            _ if matches!(domain, Domain::Elem | Domain::Numeric) => self.elem(),
            _ => {
                let of_domain: Vec<_> =
                    ElemType::ALL.iter().copied().filter(|elem| domain.contains(*elem)).collect();
                self.random.pick(&of_domain)
            }
        };
        let mut operands = vec![];
        let mut first = x;
        for rule in kind.operands() {
            let fits = |elem: ElemType| match rule {
                Operand::Own => elem == common,
                Operand::Mask => !elem.is_float(),
                Operand::Common => common.is_float() || !elem.is_float(),
                Operand::Source => true,
            };
            if let Some(x) = first.filter(|_| shape.elem().is_some_and(fits)) {
                operands.push(x);
                first = None;
                continue;
            }
            let elem = match rule {
                Operand::Own => common,
                Operand::Mask if self.random.flip() => ElemType::U16,
                Operand::Mask => self.integer(),
                Operand::Common if self.random.flip() => common,
                Operand::Common if !common.is_float() => self.integer(),
                Operand::Common | Operand::Source => self.elem(),
            };
            operands.push(self.of(shape.with_elem(elem)));
        }
        // On either side.
        if kind.arity() == 2 && self.random.flip() && kind.operands()[0] == kind.operands()[1] {
            operands.swap(0, 1);
        }
        let ty = shape.with_elem(kind.outcome().elem(common));
        let value = self.value(Op::of(kind, common, &operands), ty);
        // As an assignment does.
        if !kind.class().is_comparison() && self.random.flip() {
            let elem = self.elem();
            self.converted(value, ty.with_elem(elem));
        }
    }

    /// A region of `count` elements in rows of `columns` somewhere in a register, or in rows that it can
    /// have.
    pub(super) fn region_of(&mut self, of: Type, count: usize, columns: usize) -> Region {
        let (region, rows) = self.arbitrary(of, false);
        if region.width * rows == count {
            return region;
        }
        let most = of.count() - count;
        let aligned = columns == of.columns && self.random.flip();
        let offset = if aligned {
            self.random.below(most / columns + 1) * columns
        } else {
            self.random.below(most + 1)
        };
        Region::contiguous(offset, count)
    }

    /// A region, of which no two elements are the same if so wanted, and its rows.
    fn arbitrary(&mut self, of: Type, distinct: bool) -> (Region, usize) {
        let count = of.count();
        let least = usize::from(distinct);
        let (mut region, rows) = match self.random.below(6) {
            // Rows, as `select` of a matrix has them.
            0 | 1 => {
                let stride = self.random.within(1..=2);
                let width = self.random.within(1..=of.columns.div_ceil(stride));
                let column = self.random.below(of.columns - (width - 1) * stride);
                let step = self.random.within(1..=2);
                let rows = self.random.within(1..=of.rows.div_ceil(step));
                let row = self.random.below(of.rows - (rows - 1) * step);
                let (offset, row_stride) = (row * of.columns + column, step * of.columns);
                (Region { offset, dynamic: None, row_stride, width, column_stride: stride }, rows)
            }
            // A column, or a part of it.
            2 => {
                let rows = self.random.within(1..=of.rows);
                let row = self.random.below(of.rows - rows + 1);
                let offset = row * of.columns + self.random.below(of.columns);
                (Region { offset, dynamic: None, row_stride: of.columns, width: 1, column_stride: 1 }, rows)
            }
            // Neighbours.
            3 => {
                let width = self.random.within(1..=count.min(64));
                (Region::contiguous(self.random.below(count - width + 1), width), 1)
            }
            // Anything.
            _ => {
                let width = self.random.within(1..=count.min(32));
                let column_stride = match width {
                    1 => self.random.below(5),
                    _ => self.random.within(least..=((count - 1) / (width - 1)).min(9).max(least)),
                };
                let row = (width - 1) * column_stride;
                let rest = count - 1 - row;
                let least = if distinct { row + 1 } else { 0 };
                let rows =
                    self.random.within(1..=rest.checked_div(least).map_or(6, |more| (more + 1).min(6)));
                let row_stride =
                    if rows == 1 { row + 1 } else { self.random.within(least..=rest / (rows - 1)) };
                let offset = self.random.below(rest - (rows - 1) * row_stride + 1);
                (Region { offset, dynamic: None, row_stride, width, column_stride }, rows)
            }
        };
        let last = region.offset + (rows - 1) * region.row_stride + (region.width - 1) * region.column_stride;
        let most = count - 1 - last + region.offset;
        if self.random.once_in(3) {
            // From anywhere to anywhere.
            region.offset = self.random.below(region.offset + 1);
            region.dynamic = Some(if self.random.flip() {
                self.limited(most - region.offset)
            } else {
                // Whole rows.
                let rows = self.limited((most - region.offset) / of.columns);
                let columns = self.number(ElemType::U32, of.columns as u64);
                self.hidden(Op::map(MapKind::Mul, ElemType::U32, &[rows, columns]), INDEX)
            });
        }
        (region, rows)
    }

    /// A shape for the elements of a region.
    fn arranged(&mut self, elem: ElemType, rows: usize, width: usize) -> Type {
        match self.random.below(6) {
            0 => Type::new(elem, 1, rows * width),
            1 => Type::new(elem, rows * width, 1),
            _ => Type::new(elem, rows, width),
        }
    }

    fn region(&mut self) {
        let (x, ty) = self.register();
        let (region, rows) = self.arbitrary(ty, false);
        let ty = self.arranged(ty.elem().unwrap_or(ElemType::U8), rows, region.width);
        let view = self.value(Op::Region(x, region), ty);
        // A view of a view.
        if self.random.once_in(3) {
            let (region, rows) = self.arbitrary(ty, false);
            let ty = self.arranged(ty.elem().unwrap_or(ElemType::U8), rows, region.width);
            self.value(Op::Region(view, region), ty);
        }
    }

    fn insert(&mut self) {
        let (x, ty) = self.register();
        let (region, rows) = self.arbitrary(ty, true);
        let part = self.arranged(ty.elem().unwrap_or(ElemType::U8), rows, region.width);
        let part = self.of(part);
        self.value(Op::Insert(x, region, part), ty);
    }

    fn iselect(&mut self) {
        let (x, ty) = self.register();
        let columns = self.random.within(1..=32);
        let index = Type::new(ElemType::U32, 1, columns);
        let shaped = |ty: Type| ty.elem().is_some_and(|elem| !elem.is_float()) && ty.rows == 1;
        let (index, columns) = match self.find(shaped) {
            Some((index, of)) if self.random.flip() => {
                let index = self.hidden(Op::convert(index, ElemType::U32), of.with_elem(ElemType::U32));
                (index, of.columns)
            }
            _ => (self.of(index), columns),
        };
        self.value(Op::Iselect(x, index), Type::new(ty.elem().unwrap_or(ElemType::U8), 1, columns));
    }

    fn format(&mut self) {
        let (x, ty) = self.register();
        let elem = self.elem();
        let most = ty.bytes() / elem.bytes();
        if most == 0 {
            return;
        }
        let x = self.plain(x, ty);
        let columns = if self.random.flip() {
            self.random.within(1..=most)
        } else {
            let divisors: Vec<usize> = (1..=most).filter(|n| most.is_multiple_of(*n)).collect();
            self.random.pick(&divisors)
        };
        let rows = if self.random.flip() { most / columns } else { self.random.within(1..=most / columns) };
        self.value(Op::Format(x), Type::new(elem, rows, columns));
    }

    fn variable(&mut self) {
        let old = self.variables.len();
        match self.random.below(4) {
            0 if old > 0 => {
                let (variable, ty) = self.variables[self.random.below(old)];
                self.value(Op::Load(variable), ty);
            }
            1 | 2 if old > 0 => {
                let (variable, ty) = self.variables[self.random.below(old)];
                let x = self.of(ty);
                self.effect(Op::Store(variable, x), ty);
            }
            _ if old < 6 => {
                let (x, ty) = if self.random.once_in(8) {
                    (self.condition(), Type::CONDITION)
                } else {
                    self.register()
                };
                let variable = self.declare(x, ty);
                self.variables.push((variable, ty));
            }
            _ => {}
        }
    }
}
