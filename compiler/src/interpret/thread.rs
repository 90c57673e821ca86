//! A kernel thread: the execution of each instruction.

use super::argument::{InterpretArg, InterpretError, Object, Result};
use super::element;
use super::group::{Next, Places, State};
use super::product;
use crate::elem::ElemType;
use crate::ir::{BarrierFault, Bits, Grid, Inst, Location, Op, Region, Type, Value};
use crate::limits::{DPAS_DEPTH, MASK_BITS};
use crate::ops::{Computed, Precision, SyncKind};
use crate::printf::Printed;

/// A kernel thread, and its group.
pub(super) struct Thread<'a, 'p, 'b, 'f> {
    pub(super) places: &'a mut Places<'p, 'b>,
    pub(super) grid: Grid,
    pub(super) state: &'a mut State<'f>,
    pub(super) budget: u64,
    pub(super) print: &'a mut dyn FnMut(String),
}

impl<'f> Thread<'_, '_, '_, 'f> {
    pub(super) fn spend(&mut self, location: &Location) -> Result<()> {
        self.state.left = self
            .state
            .left
            .checked_sub(1)
            .ok_or_else(|| InterpretError::Budget { location: location.clone(), budget: self.budget })?;
        Ok(())
    }

    pub(super) fn inst(&mut self, inst: &'f Inst) -> Result<Next<'f>> {
        self.spend(&inst.location)?;
        let at = At(&inst.location);
        match &inst.op {
            Op::Declare(variable, init) => {
                let object = match init {
                    Some(init) => self.get(*init, at)?.clone(),
                    None => undefined(inst.ty),
                };
                self.state.variables.insert(*variable, object);
            }
            Op::Store(variable, x) => {
                let object = self.get(*x, at)?.clone();
                self.state.variables.insert(*variable, object);
            }
            Op::If(condition, then, otherwise) => {
                let taken = if self.condition(*condition, at)? { then } else { otherwise };
                return Ok(Next::Enter(taken));
            }
            Op::Loop(..) => return Ok(Next::Loop(inst)),
            Op::Labelled(label, block) => return Ok(Next::EnterLabelled(*label, block)),
            Op::Break(label) => return Ok(Next::Leave(*label)),
            Op::Sync(kind, operands) => return self.sync(*kind, operands, &inst.location),
            Op::Print { template, values } => {
                let printed = |value: &Value| -> Result<Printed> {
                    let object = self.get(*value, at)?;
                    let (elem, columns) = (at.elem(object.ty)?, object.ty.columns);
                    Ok(Printed { elem, columns, bits: object.bits.clone() })
                };
                let values = values.iter().map(printed).collect::<Result<Vec<_>>>()?;
                (self.print)(template.render(&values));
            }
            op => {
                let object = self.compute(op, inst.ty, at)?;
                if let Some(result) = inst.result {
                    self.state.values.insert(result, object);
                }
            }
        }
        Ok(Next::Goes)
    }

    /// Reaches a barrier, or half of one.
    pub(super) fn sync(&mut self, kind: SyncKind, operands: &[Value], at: &Location) -> Result<Next<'f>> {
        let number = |value: &Value| self.first(*value, At(at)).map(|bits| bits as u32);
        let numbers = operands.iter().map(number).collect::<Result<Vec<_>>>()?;
        let (thread, named) = (self.state.number, &mut self.places.named);
        let waits = match (kind, kind.role(), &numbers[..]) {
            (_, Some(role), &[barrier, producers, consumers]) => {
                let signal = (barrier, [producers, consumers]);
                named.signal(thread, role, signal, at.clone()).map_err(BarrierFault::from)?;
                false
            }
            (SyncKind::WaitNamed, None, &[barrier]) => {
                named.wait(thread, barrier, at.clone()).map_err(BarrierFault::from)?;
                named.holds(thread)
            }
            (_, None, []) => self.state.member.come(kind, at.clone())?,
            _ => return Err(At(at).meaningless(format!("{} operands of `{}`", numbers.len(), kind.name()))),
        };
        Ok(if waits { Next::Wait } else { Next::Goes })
    }

    /// An operation that has a result.
    pub(super) fn compute(&mut self, op: &Op, ty: Type, at: At<'_>) -> Result<Object> {
        let bits = match op {
            Op::Constant(Bits::Splat(x)) => vec![*x; ty.count()],
            Op::Constant(Bits::Each(all)) => all.clone(),
            Op::Argument(param) => match self.places.passed(*param) {
                Some(InterpretArg::Uniform { ty, bytes }) => from_bytes(at.elem(*ty)?, bytes),
                _ => return Err(at.meaningless("an argument that is not a uniform value")),
            },
            Op::Thread(id) => vec![self.grid.id(self.state.origin, *id).into()],
            Op::Splat(x) => vec![self.first(*x, at)?; ty.count()],
            Op::Map { kind, common, saturate, operands } => {
                self.computed(Computed::Map(*kind, *saturate), *common, operands, at)?
            }
            Op::Group { kind, common, operands } => {
                self.computed(Computed::Group(*kind), *common, operands, at)?
            }
            Op::Dpas { b, a, operands } => self.dpas(*b, *a, operands, ty, at)?,
            Op::Region(x, region) => {
                let x = self.get(*x, at)?;
                let positions = self.positions(region, ty.count(), x.bits.len(), at)?;
                positions.into_iter().map(|position| x.bits[position]).collect()
            }
            Op::Insert(x, region, value) => {
                let (x, value) = (self.get(*x, at)?, self.get(*value, at)?);
                let positions = self.positions(region, value.bits.len(), x.bits.len(), at)?;
                let mut bits = x.bits.clone();
                for (position, value) in positions.into_iter().zip(&value.bits) {
                    bits[position] = *value;
                }
                bits
            }
            Op::Iselect(x, index) => {
                let (x, index) = (self.get(*x, at)?, self.get(*index, at)?);
                let last = x.bits.len().saturating_sub(1) as u64;
                index
                    .bits
                    .iter()
                    .filter_map(|index| x.bits.get((*index).min(last) as usize))
                    .copied()
                    .collect()
            }
            Op::Format(x) => {
                let x = self.get(*x, at)?;
                let bytes = to_bytes(at.elem(x.ty)?, &x.bits);
                let bytes = bytes.get(..ty.bytes()).ok_or_else(|| at.meaningless("a format that grows"))?;
                from_bytes(at.elem(ty)?, bytes)
            }
            Op::Reduce { kind, common, operand } => {
                let operand = self.get(*operand, at)?;
                let from = at.elem(operand.ty)?;
                let mut all: Vec<u64> =
                    operand.bits.iter().map(|bits| element::convert(from, *common, *bits)).collect();
                while all.len() > 1 {
                    let rest = all.split_off(all.len().next_power_of_two() / 2);
                    for (left, right) in all.iter_mut().zip(rest) {
                        *left = element::map(*kind, *common, [*left, right, 0]);
                    }
                }
                all
            }
            Op::PackMask(mask) => {
                let bits = self.get(*mask, at)?.bits.iter().take(MASK_BITS).enumerate();
                vec![bits.fold(0, |all, (k, bits)| all | (bits & 1) << k)]
            }
            Op::UnpackMask(mask) => {
                let mask = self.first(*mask, at)?;
                (0..ty.count()).map(|k| if k < MASK_BITS { mask >> k & 1 } else { 0 }).collect()
            }
            Op::Any(x) => {
                let x = self.get(*x, at)?;
                let elem = at.elem(x.ty)?;
                return Ok(Object::condition(x.bits.iter().any(|x| element::is_true(elem, *x))));
            }
            Op::All(x) => {
                let x = self.get(*x, at)?;
                let elem = at.elem(x.ty)?;
                return Ok(Object::condition(x.bits.iter().all(|x| element::is_true(elem, *x))));
            }
            Op::Known(x) => return Ok(Object::condition(*x)),
            Op::Not(x) => return Ok(Object::condition(!self.condition(*x, at)?)),
            Op::And(a, b) => {
                return Ok(Object::condition(self.condition(*a, at)? & self.condition(*b, at)?));
            }
            Op::Or(a, b) => return Ok(Object::condition(self.condition(*a, at)? | self.condition(*b, at)?)),
            Op::Load(variable) => {
                return self
                    .state
                    .variables
                    .get(variable)
                    .cloned()
                    .ok_or_else(|| at.meaningless(format!("`{variable}` is not declared")));
            }
            Op::Access { kind, param, operands } => match self.access(*kind, *param, operands, ty, at)? {
                Some(bits) => bits,
                // Nothing uses the result of an instruction without a result.
                None => return Ok(Object { ty, bits: vec![] }),
            },
            // Not the time, so that every run gives the same result.
            Op::Clock => {
                let time = self.budget - self.state.left;
                vec![time & u64::from(u32::MAX), time >> 32, 0, 0]
            }
            Op::Declare(..)
            | Op::Store(..)
            | Op::Print { .. }
            | Op::Sync(..)
            | Op::If(..)
            | Op::Loop(..)
            | Op::Labelled(..)
            | Op::Break(_) => {
                return Err(at.meaningless("a result of what has none"));
            }
        };
        if bits.len() == ty.count() {
            Ok(Object { ty, bits })
        } else {
            Err(at.meaningless(format!("{} elements of `{ty}`", bits.len())))
        }
    }

    pub(super) fn get(&self, value: Value, at: At<'_>) -> Result<&Object> {
        self.state.values.get(&value).ok_or_else(|| at.meaningless(format!("`{value}` is not defined")))
    }

    /// The sums, each of the products of a row and a column.
    fn dpas(&self, b: Precision, a: Precision, operands: &[Value], ty: Type, at: At<'_>) -> Result<Vec<u64>> {
        let [sums, columns, rows] = operands else { return Err(at.meaningless("other operands of `dpas`")) };
        let bits = |value: &Value| self.get(*value, at).map(|object| &object.bits);
        let (sums, columns, rows) = (bits(sums)?, bits(columns)?, bits(rows)?);
        let dword = |all: &Vec<u64>, n: usize| all.get(n).copied().unwrap_or(0) as u32;
        Ok((0..ty.count())
            .map(|n| {
                let (row, column) = (n / ty.columns, n % ty.columns);
                let pairs = (0..DPAS_DEPTH)
                    .map(|k| (dword(columns, k * ty.columns + column), dword(rows, row * DPAS_DEPTH + k)));
                product::summed(b, a, sums.get(n).copied().unwrap_or(0), pairs)
            })
            .collect())
    }

    /// The elements of an operation of one of the tables.
    pub(super) fn computed(
        &self,
        kind: Computed,
        common: ElemType,
        operands: &[Value],
        at: At<'_>,
    ) -> Result<Vec<u64>> {
        let saturates = match kind {
            Computed::Map(map, true) if !map.saturates() => {
                return Err(at.meaningless(format!("`{}` that saturates", kind.name())));
            }
            Computed::Map(_, saturate) => saturate,
            Computed::Group(_) => false,
        };
        if operands.len() != kind.arity() {
            return Err(at.meaningless(format!("{} operands of `{}`", operands.len(), kind.name())));
        }
        let mut converted = [const { vec![] }; 3];
        for ((operand, rule), converted) in operands.iter().zip(kind.operands()).zip(&mut converted) {
            let object = self.get(*operand, at)?;
            let from = at.elem(object.ty)?;
            let convert = |bits: &u64| element::operand(*rule, saturates, from, common, *bits);
            converted.extend(object.bits.iter().map(convert));
        }
        let (width, given) = (kind.width(), &converted[..operands.len()]);
        let count = given.iter().map(Vec::len).min().unwrap_or(0);
        let mut results = Vec::with_capacity(count);
        for start in (0..count / width).map(|group| group * width) {
            let group = |n: usize| converted[n].get(start..start + width).unwrap_or_default();
            let result = element::computed(kind, common, [group(0), group(1), group(2)]);
            // Every element of a group holds its result.
            results.extend(std::iter::repeat_n(result, width));
        }
        Ok(results)
    }

    /// The only element of a value.
    pub(super) fn first(&self, value: Value, at: At<'_>) -> Result<u64> {
        let first = self.get(value, at)?.bits.first().copied();
        first.ok_or_else(|| at.meaningless(format!("`{value}` has no elements")))
    }

    pub(super) fn condition(&self, value: Value, at: At<'_>) -> Result<bool> {
        Ok(self.first(value, at)? == 1)
    }

    /// The elements of a region of `count` elements in an object of `size`.
    pub(super) fn positions(
        &self,
        region: &Region,
        count: usize,
        size: usize,
        at: At<'_>,
    ) -> Result<Vec<usize>> {
        let dynamic = match region.dynamic {
            Some(value) => self.first(value, at)? as usize,
            None => 0,
        };
        if region.width == 0 {
            return Err(at.meaningless("a region without columns"));
        }
        (0..count)
            .map(|n| {
                // Saturated, so that a huge offset is found outside instead of wrapping to the inside.
                let (r, c) = (n / region.width, n % region.width);
                let position = region
                    .offset
                    .saturating_add(dynamic)
                    .saturating_add(r.saturating_mul(region.row_stride))
                    .saturating_add(c.saturating_mul(region.column_stride));
                if position < size {
                    return Ok(position);
                }
                Err(InterpretError::RegionOutside { location: at.0.clone(), position, count: size })
            })
            .collect()
    }
}

/// An undefined value, on which nothing may depend.
pub(super) fn undefined(ty: Type) -> Object {
    // Not 0, which would hide a dependency on it.
    let bits = ty.elem().map_or(1, |elem| 0xa5a5_a5a5_a5a5_a5a5 & element::mask(elem));
    Object { ty, bits: vec![bits; ty.count()] }
}

pub(super) fn from_bytes(elem: ElemType, bytes: &[u8]) -> Vec<u64> {
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    bytes.chunks(elem.bytes()).map(bits).collect()
}

pub(super) fn to_bytes(elem: ElemType, bits: &[u64]) -> Vec<u8> {
    bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(elem.bytes())).collect()
}

/// The current instruction.
#[derive(Clone, Copy)]
pub(super) struct At<'a>(pub(super) &'a Location);

impl At<'_> {
    pub(super) fn meaningless(self, what: impl Into<String>) -> InterpretError {
        InterpretError::Meaningless { location: self.0.clone(), what: what.into() }
    }

    pub(super) fn elem(self, ty: Type) -> Result<ElemType> {
        ty.elem().ok_or_else(|| self.meaningless("a condition among registers"))
    }
}
