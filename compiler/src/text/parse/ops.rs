//! Parses operations.

use super::{Parser, Result, elements};
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Op, Operands, Region, ThreadId, Type, Value};
use crate::ops::{AccessKind, Computed, MapKind, Precision, SyncKind};

impl Parser {
    /// An operation without its blocks, and the type of the instruction: the one given, else the one after
    /// it.
    pub(super) fn op(&mut self, ty: Option<Type>) -> Result<(Op, Type)> {
        if let Some(computed) = self.computed(ty)? {
            return Ok(computed);
        }
        let name = self.atom("an operation", |text| Some(text.to_owned()))?;
        let op = match name.as_str() {
            "constant" => return self.constant(ty),
            "var" => return self.declare(ty),
            "argument" => Op::Argument(self.param_index()?),
            "thread" => Op::Thread(self.atom("a number of a thread such as `x`", ThreadId::from_name)?),
            "splat" => Op::Splat(self.value()?),
            "region" => Op::Region(self.value()?, self.region()?),
            "insert" => Op::Insert(self.value()?, self.region()?, self.next_value()?),
            "iselect" => self.two().map(|(x, index)| Op::Iselect(x, index))?,
            "format" => Op::Format(self.value()?),
            "unpack_mask" => Op::UnpackMask(self.value()?),
            "pack_mask" => Op::PackMask(self.value()?),
            "reduce" => {
                let (kind, common) = self.atom("an operation that reduces and its type", |text| {
                    let (name, elem) = text.split_once('.')?;
                    Some((MapKind::from_name(name)?, elements::elem_type(elem)?))
                })?;
                Op::Reduce { kind, common, operand: self.value()? }
            }
            "dpas" => {
                let (b, a) = self.atom("the factors of columns and rows, such as `u8.s8`", |text| {
                    let (b, a) = text.split_once('.')?;
                    Some((Precision::from_name(b)?, Precision::from_name(a)?))
                })?;
                let operands = [self.value()?, self.next_value()?, self.next_value()?];
                Op::Dpas { b, a, operands: Operands::new(&operands) }
            }
            "any" => Op::Any(self.value()?),
            "all" => Op::All(self.value()?),
            "known" => Op::Known(self.atom("`true` or `false`", |text| text.parse().ok())?),
            "not" => Op::Not(self.value()?),
            "and" => self.two().map(|(a, b)| Op::And(a, b))?,
            "or" => self.two().map(|(a, b)| Op::Or(a, b))?,
            "load" => Op::Load(self.variable()?),
            "store" => Op::Store(self.variable()?, self.next_value()?),
            "clock" => Op::Clock,
            "print" => {
                let text = self.quoted("a text that is printed, in quotes")?;
                let template = text.parse().map_err(|_| {
                    self.at -= 1;
                    self.error("a text with holes such as `{}`, `{row:?}` and `{rows:?}`")
                })?;
                let mut values = Vec::new();
                while self.take(',') {
                    values.push(self.value()?);
                }
                return Ok((Op::Print { template, values }, self.implied_type(ty)?));
            }
            "if" => {
                let condition = self.value()?;
                return Ok((Op::If(condition, Block::default(), Block::default()), self.implied_type(ty)?));
            }
            "loop" => {
                let ty = self.implied_type(ty)?;
                return Ok((Op::Loop(Block::default(), Value(0), Block::default()), ty));
            }
            "labelled" => {
                let label = self.label()?;
                return Ok((Op::Labelled(label, Block::default()), self.implied_type(ty)?));
            }
            "break" => {
                let label = self.label()?;
                return Ok((Op::Break(label), self.implied_type(ty)?));
            }
            name => match (AccessKind::from_name(name), SyncKind::from_name(name)) {
                (Some(kind), _) => self.access(kind)?,
                (None, Some(kind)) => return Ok((self.sync(kind)?, self.implied_type(ty)?)),
                (None, None) => {
                    // Back to the name, which the error is to show.
                    self.at -= 1;
                    return Err(self.error("an operation"));
                }
            },
        };
        let ty = self.type_after(ty)?;
        Ok((op, ty))
    }

    /// The operands of a barrier.
    fn sync(&mut self, kind: SyncKind) -> Result<Op> {
        let mut operands = vec![];
        for _ in kind.operands() {
            operands.push(if operands.is_empty() { self.value()? } else { self.next_value()? });
        }
        Ok(Op::Sync(kind, Operands::new(&operands)))
    }

    /// The parameter and the operands of an access.
    fn access(&mut self, kind: AccessKind) -> Result<Op> {
        let (param, mut operands) = (self.param_index()?, vec![self.value()?]);
        for _ in 1..kind.spec().operands() {
            operands.push(self.next_value()?);
        }
        Ok(Op::Access { kind, param, operands })
    }

    /// An operation on elements or groups of them: `add.i32 %0, %1` or, where operands are not converted,
    /// `neg %0`.
    fn computed(&mut self, ty: Option<Type>) -> Result<Option<(Op, Type)>> {
        let Some(super::Token::Atom(text)) = self.peek() else { return Ok(None) };
        let (name, elem) = match text.split_once('.') {
            Some((name, elem)) => (name, Some(elem)),
            None => (&**text, None),
        };
        let Some(kind) = Computed::from_name(name).filter(|kind| kind.is_typed() == elem.is_some()) else {
            return if elem.is_some() { Err(self.error("an operation")) } else { Ok(None) };
        };
        let named = match elem {
            Some(elem) => Some(elements::elem_type(elem).ok_or_else(|| self.error("an operation"))?),
            None => None,
        };
        self.at += 1;
        let mut operands = vec![self.value()?];
        for _ in 1..kind.arity() {
            operands.push(self.next_value()?);
        }
        let ty = self.type_after(ty)?;
        // A condition is refused by the verifier, whatever stands here.
        let common = named.or(ty.elem()).unwrap_or(ElemType::U16);
        Ok(Some((Op::of(kind, common, &operands), ty)))
    }

    fn type_after(&mut self, ty: Option<Type>) -> Result<Type> {
        match ty {
            Some(ty) => Ok(ty),
            None => {
                self.mark(':')?;
                self.ty()
            }
        }
    }

    /// The type of control flow: it need not be written.
    fn implied_type(&mut self, ty: Option<Type>) -> Result<Type> {
        match ty {
            Some(ty) => Ok(ty),
            None if self.take(':') => self.ty(),
            None => Ok(Type::CONDITION),
        }
    }

    /// `, %1`
    fn next_value(&mut self) -> Result<Value> {
        self.mark(',')?;
        self.value()
    }

    fn two(&mut self) -> Result<(Value, Value)> {
        Ok((self.value()?, self.next_value()?))
    }

    fn region(&mut self) -> Result<Region> {
        self.mark('[')?;
        let offset = self.number("an offset")?;
        let dynamic = if self.take('+') { Some(self.value()?) } else { None };
        self.mark(';')?;
        let row_stride = self.number("a row stride")?;
        self.mark(',')?;
        let width = self.number("a width")?;
        self.mark(',')?;
        let column_stride = self.number("a column stride")?;
        self.mark(']')?;
        Ok(Region { offset, dynamic, row_stride, width, column_stride })
    }

    /// The elements can only be read when their type is known, which may stand behind them.
    fn constant(&mut self, ty: Option<Type>) -> Result<(Op, Type)> {
        let start = self.at;
        let ty = match ty {
            Some(ty) => ty,
            None => {
                while self.peek().is_some() && !self.is_mark(':') {
                    self.at += 1;
                }
                self.mark(':')?;
                self.ty()?
            }
        };
        let end = std::mem::replace(&mut self.at, start);
        let bits = if self.take('[') {
            let mut all = Vec::new();
            while !self.take(']') {
                if !all.is_empty() {
                    self.mark(',')?;
                }
                all.push(self.element(ty)?);
            }
            Bits::Each(all)
        } else {
            Bits::Splat(self.element(ty)?)
        };
        if end != start {
            self.mark(':')?;
            self.at = end;
        }
        Ok((Op::Constant(bits), ty))
    }

    fn element(&mut self, ty: Type) -> Result<u64> {
        self.atom(format!("an element of `{ty}`"), |text| elements::bits(ty.kind, text))
    }

    fn declare(&mut self, ty: Option<Type>) -> Result<(Op, Type)> {
        let variable = self.variable()?;
        let ty = self.type_after(ty)?;
        let init = if self.take('=') { Some(self.value()?) } else { None };
        Ok((Op::Declare(variable, init), ty))
    }
}
