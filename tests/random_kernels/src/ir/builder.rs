//! A kernel while it is being made: its instructions, and the values that the next one can use.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::MapKind;
use cm::ir::{Bits, Block, Inst, Label, Location, Op, Param, Type, Value, Variable};

use super::style::Style;
use crate::random::Random;

/// A scalar that offsets and element numbers are made of.
pub(super) const INDEX: Type = Type::scalar(ElemType::U32);

pub(super) struct Builder {
    pub(super) random: Random,
    pub(super) style: Style,
    pub(super) params: Vec<Param>,
    pub(super) values: Vec<(Value, Type)>,
    pub(super) variables: Vec<(Variable, Type)>,
    /// Of the labelled blocks around.
    pub(super) labels: Vec<Label>,
    /// The first row of the output that holds nothing yet.
    pub(super) row: usize,
    insts: Vec<Inst>,
    next_value: u32,
    next_variable: u32,
    next_label: u32,
}

impl Builder {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let style = Style::new(&mut random);
        Self {
            random,
            style,
            params: vec![],
            values: vec![],
            variables: vec![],
            labels: vec![],
            row: 0,
            insts: vec![],
            next_value: 0,
            next_variable: 0,
            next_label: 0,
        }
    }

    pub(super) fn effect(&mut self, op: Op, ty: Type) {
        let location = Location { file: "random.rs".into(), line: 1, column: 1 };
        self.insts.push(Inst { op, result: None, ty, location });
    }

    /// An instruction whose result the next steps do not choose by themselves.
    pub(super) fn hidden(&mut self, op: Op, ty: Type) -> Value {
        self.effect(op, ty);
        let value = Value(self.next_value);
        self.next_value += 1;
        if let Some(inst) = self.insts.last_mut() {
            inst.result = Some(value);
        }
        value
    }

    pub(super) fn value(&mut self, op: Op, ty: Type) -> Value {
        let value = self.hidden(op, ty);
        self.values.push((value, ty));
        value
    }

    /// A block with a scope of its own.
    pub(super) fn block(&mut self, build: impl FnOnce(&mut Self)) -> Block {
        let (values, variables) = (self.values.len(), self.variables.len());
        let outer = std::mem::take(&mut self.insts);
        build(self);
        self.values.truncate(values);
        self.variables.truncate(variables);
        Block { insts: std::mem::replace(&mut self.insts, outer) }
    }

    /// Two blocks of which the second one sees the values of the first one.
    pub(super) fn blocks(
        &mut self,
        first: impl FnOnce(&mut Self) -> Value,
        second: impl FnOnce(&mut Self),
    ) -> (Block, Value, Block) {
        let mut head = None;
        let body = self.block(|this| {
            let condition = first(this);
            head = Some((Block { insts: std::mem::take(&mut this.insts) }, condition));
            second(this);
        });
        let (head, condition) = head.expect("the block is built");
        (head, condition, body)
    }

    pub(super) fn declare(&mut self, init: Value, ty: Type) -> Variable {
        let variable = Variable(self.next_variable);
        self.next_variable += 1;
        self.effect(Op::Declare(variable, Some(init)), ty);
        variable
    }

    pub(super) fn label(&mut self) -> Label {
        let label = Label(self.next_label);
        self.next_label += 1;
        label
    }

    /// A scalar constant.
    pub(super) fn number(&mut self, elem: ElemType, bits: u64) -> Value {
        let bits = bits & (u64::MAX >> (64 - elem.bytes() * 8));
        self.hidden(Op::Constant(Bits::Splat(bits)), Type::scalar(elem))
    }

    pub(super) fn elem(&mut self) -> ElemType {
        if self.random.once_in(8) {
            return self.random.pick(ElemType::ALL);
        }
        self.random.pick(&self.style.elems)
    }

    pub(super) fn integer(&mut self) -> ElemType {
        if self.random.once_in(8) {
            return self.random.pick(ElemType::INTEGERS);
        }
        self.random.pick(&self.style.integers)
    }

    pub(super) fn shape(&mut self) -> (usize, usize) {
        self.random.pick(&self.style.shapes)
    }

    pub(super) fn ty(&mut self) -> Type {
        let (rows, columns) = self.shape();
        let elem = self.elem();
        // A register of 8-byte elements takes half the register file soon.
        let rows = rows.min((512 / (columns * elem.bytes())).max(1));
        Type::new(elem, rows, columns)
    }

    /// Bits of an element: mostly those at which something changes.
    pub(super) fn bits(&mut self, elem: ElemType) -> u64 {
        let mask = u64::MAX >> (64 - elem.bytes() * 8);
        let random = self.random.bits();
        if elem.is_float() {
            let number = match self.random.below(8) {
                0 => random as u8 as f64,
                1 => random as i16 as f64 / 4.0,
                2 => 2f64.powi((random % 140) as i32 - 70),
                3 => return random & mask,
                _ => self.random.pick(&[
                    0.0,
                    -0.0,
                    0.5,
                    1.0,
                    -1.0,
                    1.5,
                    2.0,
                    -3.0,
                    0.111,
                    255.0,
                    256.0,
                    65504.0,
                    65536.0,
                    1e9,
                    4294967296.0,
                    9.3e18,
                    -2147483648.0,
                    1e-5,
                    1e-40,
                    f64::INFINITY,
                    f64::NAN,
                ]),
            };
            return cm::interpret::element::convert(ElemType::F64, elem, number.to_bits());
        }
        let bits = match self.random.below(4) {
            0 => random,
            1 => random & 15,
            2 => 1 << (random & 63),
            _ => self.random.pick(&[
                0,
                0,
                1,
                1,
                2,
                3,
                7,
                8,
                16,
                31,
                32,
                63,
                64,
                100,
                127,
                128,
                255,
                256,
                0x7fff,
                0x8000,
                0xffff,
                0x7fff_ffff,
                0x8000_0000,
                0xffff_ffff,
                u64::MAX / 2,
                u64::MAX,
                u64::MAX - 1,
            ]),
        };
        bits & mask
    }

    pub(super) fn constant(&mut self, ty: Type) -> Value {
        let elem = ty.elem().unwrap_or(ElemType::U8);
        let bits = if self.random.once_in(3) {
            Bits::Each((0..ty.count()).map(|_| self.bits(elem)).collect())
        } else {
            Bits::Splat(self.bits(elem))
        };
        self.value(Op::Constant(bits), ty)
    }

    /// A value that fits, new ones more often.
    pub(super) fn find(&mut self, fits: impl Fn(Type) -> bool) -> Option<(Value, Type)> {
        let all: Vec<_> = self.values.iter().rev().filter(|(_, ty)| fits(*ty)).copied().collect();
        match all.len() {
            0 => None,
            n if n > 4 && self.random.once_in(3) => Some(all[self.random.below(n)]),
            n => Some(all[self.random.below(n.min(4))]),
        }
    }

    /// A register.
    pub(super) fn register(&mut self) -> (Value, Type) {
        if let Some(found) = self.find(|ty| ty.elem().is_some()) {
            return found;
        }
        let ty = self.ty();
        (self.read(ty), ty)
    }

    /// A value of this type: an old one, a converted one, or a new one.
    pub(super) fn of(&mut self, ty: Type) -> Value {
        let Some(elem) = ty.elem() else { return self.condition() };
        let shaped =
            |other: Type| other.elem().is_some() && (other.rows, other.columns) == (ty.rows, ty.columns);
        match self.random.below(8) {
            0..4 => {
                if let Some((value, _)) = self.find(|other| other == ty) {
                    return value;
                }
            }
            4 => {
                let holds = |other: Type| other.elem() == Some(elem) && other.count() > ty.count();
                if let Some((value, of)) = self.find(holds) {
                    let region = self.region_of(of, ty.count(), ty.columns);
                    return self.value(Op::Region(value, region), ty);
                }
            }
            5 => {
                let scalar = self.find(|other| other == Type::scalar(elem));
                if let Some((scalar, _)) = scalar {
                    return self.value(Op::Splat(scalar), ty);
                }
            }
            _ => {}
        }
        if let Some((value, other)) = self.find(shaped)
            && !self.random.once_in(4)
        {
            return if other == ty { value } else { self.converted(value, ty) };
        }
        if self.random.flip() { self.constant(ty) } else { self.read(ty) }
    }

    /// A value as another type, by Rust's `as` more often than saturated.
    pub(super) fn converted(&mut self, value: Value, ty: Type) -> Value {
        let elem = ty.elem().unwrap_or(ElemType::U8);
        let op = if self.random.once_in(4) { Op::saturate(value, elem) } else { Op::convert(value, elem) };
        self.value(op, ty)
    }

    /// The value without the payloads of its NaNs, which are not defined: before its bits are looked at.
    pub(super) fn plain(&mut self, value: Value, ty: Type) -> Value {
        let Some(elem) = ty.elem().filter(|elem| elem.is_float()) else { return value };
        let mask = self.hidden(Op::map(MapKind::Eq, elem, &[value, value]), ty.with_elem(ElemType::U16));
        let other = self.hidden(Op::Constant(Bits::Splat(0)), ty);
        self.hidden(Op::map(MapKind::Merge, elem, &[mask, value, other]), ty)
    }

    /// A `u32` that is at most `last`.
    pub(super) fn limited(&mut self, last: usize) -> Value {
        let x = self.of(INDEX);
        let last = self.number(ElemType::U32, last as u64);
        self.hidden(Op::map(MapKind::Min, ElemType::U32, &[x, last]), INDEX)
    }
}
