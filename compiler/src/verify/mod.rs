//! Checks a recorded kernel: scopes, types, shapes, regions, surfaces, buffers.
//!
//! A function that passes has a defined meaning. An execution must check only the computed part of offsets.

mod access;
mod error;
mod scope;

use std::borrow::Cow;

use error::Result;
pub use error::{BrokenRule, VerifyError};
use scope::Scope;

use crate::elem::ElemType;
use crate::ir::{
    Bits, Block, Function, Inst, Kind, Location, Op, Param, ParamKind, Region, Type, Value, View,
};
use crate::limits::{self, DPAS_DEPTH, MAX_DEPTH, Violation};
use crate::ops::{Computed, MapKind, Operand, Precision, SyncKind};
use crate::printf::{Layout, Template};

/// Strides of regions are below this, which is more than any object has elements: lowerings compute with them.
const STRIDES: usize = 1 << 16;

/// Checks a function.
///
/// ```
/// use cm::{text::parse, verify::verify};
/// let f = parse("file 0 \"k.rs\" kernel k() { %1: u8 = convert %0 @0:7:9 }")?;
/// assert_eq!(verify(&f).unwrap_err().to_string(), "kernel `k`, k.rs:7:9: `%0` is used before it is defined");
/// # Ok::<(), cm::text::ParseError>(())
/// ```
///
/// # Errors
/// The first instruction that breaks a rule.
pub fn verify(function: &Function) -> std::result::Result<(), VerifyError> {
    let error = |location: Option<&Location>, rule| VerifyError {
        function: function.name.clone(),
        location: location.cloned(),
        rule: Box::new(rule),
    };
    let file = function.register_file;
    limits::register_file(file).map_err(|violation| error(None, violation.into()))?;
    for param in &function.params {
        match param.kind {
            ParamKind::Uniform { elem, rows, columns } => shape(Type::new(elem, rows, columns), file),
            ParamKind::Shared { elements, .. } => limits::shared_elements(elements).map_err(Into::into),
            ParamKind::Surface { .. } | ParamKind::Surface3d { .. } | ParamKind::Buffer { .. } => Ok(()),
            ParamKind::View { view, writable } => shown(&function.params, view, writable),
        }
        .map_err(|rule| error(None, rule))?;
    }
    limits::shared(function.shared_bytes()).map_err(|violation| error(None, violation.into()))?;
    let named_barriers = function.named_barriers;
    if named_barriers > 0 {
        limits::named_barriers(named_barriers, function.has_group_barriers())
            .map_err(|violation| error(None, violation.into()))?;
    }
    let (params, scope) = (&function.params, Scope::default());
    let mut verifier = Verifier { params, named_barriers, file, scope, at: None };
    verifier.block(&function.body, 0).map_err(|rule| error(verifier.at, rule))?;
    match function.mixed_accesses() {
        Some(inst) => Err(error(Some(&inst.location), Violation::TypedAndBlocks.into())),
        None => Ok(()),
    }
}

struct Verifier<'a> {
    params: &'a [Param],
    named_barriers: usize,
    /// Bytes of the register file.
    file: usize,
    scope: Scope,
    /// The current instruction.
    at: Option<&'a Location>,
}

/// Checks that a view shows a surface, which the kernel may write if it may write the view.
fn shown(params: &[Param], View { of, .. }: View, writable: bool) -> Result<()> {
    match params.get(of).map(|param| param.kind) {
        None => Err(BrokenRule::NoParameter { param: of, count: params.len() }),
        Some(ParamKind::Surface { writable: all }) if all || !writable => Ok(()),
        Some(ParamKind::Surface { .. }) => Err(BrokenRule::NotWritable { param: of }),
        Some(_) => Err(BrokenRule::NotASurface { param: of }),
    }
}

/// A register file has room for as many bytes as the largest register has elements.
fn shape(ty: Type, file: usize) -> Result<()> {
    match ty.rows.checked_mul(ty.columns) {
        Some(count) if (1..=file).contains(&count) => Ok(limits::value(ty.bytes())?),
        _ => Err(BrokenRule::Shape { rows: ty.rows, columns: ty.columns, most: file }),
    }
}

/// The type must be this one.
fn same(found: Type, expected: Type) -> Result<()> {
    if found == expected { Ok(()) } else { Err(mistyped(found, format!("`{expected}`"))) }
}

fn mistyped(found: Type, expected: impl Into<Cow<'static, str>>) -> BrokenRule {
    BrokenRule::Type { expected: expected.into(), found }
}

/// The element type of the instruction's own type.
fn numbers(found: Type) -> Result<ElemType> {
    found.elem().ok_or_else(|| mistyped(found, "a register"))
}

impl<'a> Verifier<'a> {
    fn block(&mut self, block: &'a Block, depth: usize) -> Result<()> {
        let mark = self.scope.mark();
        self.insts(block, depth)?;
        self.scope.leave(mark);
        Ok(())
    }

    fn insts(&mut self, block: &'a Block, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(BrokenRule::Nesting);
        }
        let mut reached = true;
        for inst in &block.insts {
            self.at = Some(&inst.location);
            if !reached {
                return Err(BrokenRule::Unreachable);
            }
            self.inst(inst, depth)?;
            reached = !inst.op.breaks_out();
        }
        Ok(())
    }

    fn inst(&mut self, inst: &'a Inst, depth: usize) -> Result<()> {
        // First, because later checks multiply rows by columns.
        shape(inst.ty, self.file)?;
        let op = inst.op.name();
        match inst.result {
            None if inst.op.has_result() => return Err(BrokenRule::MissingResult { op }),
            Some(_) if !inst.op.has_result() => return Err(BrokenRule::UnexpectedResult { op }),
            _ => {}
        }
        self.op(&inst.op, inst.ty)?;
        // Before the result is defined, because neither the instruction nor its blocks may use it.
        self.blocks(inst, depth)?;
        match inst.result {
            Some(result) => self.scope.define(result, inst.ty),
            None => Ok(()),
        }
    }

    /// The type of an operand.
    fn operand(&self, value: Value) -> Result<Type> {
        self.scope.value(value)
    }

    /// An operand that must be of this type.
    fn expect(&self, value: Value, ty: Type) -> Result<()> {
        let found = self.operand(value)?;
        if found == ty { Ok(()) } else { Err(unfit(value, found, format!("`{ty}`"))) }
    }

    /// An operand that must be a register; its element type.
    fn register(&self, value: Value) -> Result<(Type, ElemType)> {
        let ty = self.operand(value)?;
        Ok((ty, ty.elem().ok_or_else(|| unfit(value, ty, "a register"))?))
    }

    /// An operand that must be a register of the shape of `like`; its element type.
    fn shaped(&self, value: Value, like: Type) -> Result<ElemType> {
        let (ty, elem) = self.register(value)?;
        if (ty.rows, ty.columns) == (like.rows, like.columns) {
            return Ok(elem);
        }
        Err(unfit(value, ty, format!("a register of {} x {} elements", like.rows, like.columns)))
    }

    /// The blocks of an instruction that has blocks. Separate from `op`, so that there is no frame of `op` on the stack
    /// for each level.
    fn blocks(&mut self, inst: &'a Inst, depth: usize) -> Result<()> {
        match &inst.op {
            Op::If(condition, then, otherwise) => {
                same(inst.ty, Type::CONDITION)?;
                self.expect(*condition, Type::CONDITION)?;
                self.block(then, depth + 1)?;
                self.block(otherwise, depth + 1)
            }
            Op::Loop(first, condition, body) => {
                same(inst.ty, Type::CONDITION)?;
                if first.breaks_out() {
                    return Err(BrokenRule::ConditionUnreachable);
                }
                let mark = self.scope.mark();
                // Not `block`: values of the first block are live in the second.
                self.insts(first, depth + 1)?;
                self.at = Some(&inst.location);
                self.expect(*condition, Type::CONDITION)?;
                self.insts(body, depth + 1)?;
                self.scope.leave(mark);
                Ok(())
            }
            Op::Labelled(label, block) => {
                same(inst.ty, Type::CONDITION)?;
                self.scope.enter_labelled(*label)?;
                self.block(block, depth + 1)?;
                self.scope.leave_labelled();
                Ok(())
            }
            Op::Break(label) => {
                same(inst.ty, Type::CONDITION)?;
                self.scope.labelled(*label)
            }
            _ => Ok(()),
        }
    }

    fn op(&mut self, op: &'a Op, ty: Type) -> Result<()> {
        match op {
            Op::Constant(bits) => constant(bits, ty),
            Op::Argument(param) => self.argument(*param, ty),
            Op::Thread(_) => same(ty, Type::scalar(ElemType::U32)),
            Op::Splat(x) => self.expect(*x, Type::scalar(numbers(ty)?)),
            Op::Map { kind, common, saturate, operands } => {
                self.computed(Computed::Map(*kind, *saturate), *common, operands, ty)
            }
            Op::Group { kind, common, operands } => {
                self.computed(Computed::Group(*kind), *common, operands, ty)
            }
            Op::Dpas { b, a, operands } => self.dpas(*b, *a, operands, ty),
            Op::Reduce { kind, common, operand } => self.reduction(*kind, *common, *operand, ty),
            Op::Region(x, region) => {
                let (source, elem) = self.register(*x)?;
                if ty.elem() != Some(elem) {
                    return Err(mistyped(ty, format!("a register of `{elem}`")));
                }
                self.region_inside(region, ty, source)
            }
            Op::Insert(x, region, value) => {
                numbers(ty)?;
                self.expect(*x, ty)?;
                let (part, elem) = self.register(*value)?;
                if ty.elem() != Some(elem) {
                    return Err(unfit(*value, part, format!("a register of `{}`", numbers(ty)?)));
                }
                self.region_inside(region, part, ty)?;
                if region.overlaps(part.count()) { Err(BrokenRule::RegionOverlaps) } else { Ok(()) }
            }
            Op::Iselect(x, index) => {
                let (_, elem) = self.register(*x)?;
                self.expect(*index, ty.with_elem(ElemType::U32))?;
                same(ty, ty.with_elem(elem))
            }
            Op::Format(x) => {
                let (source, _) = self.register(*x)?;
                numbers(ty)?;
                if ty.bytes() > source.bytes() {
                    return Err(BrokenRule::FormatSize { source_bytes: source.bytes(), bytes: ty.bytes() });
                }
                Ok(())
            }
            Op::UnpackMask(bits) => {
                self.expect(*bits, Type::scalar(ElemType::U32))?;
                same(ty, ty.with_elem(ElemType::U16))
            }
            Op::PackMask(mask) => {
                let (_, elem) = self.register(*mask)?;
                if elem.is_float() {
                    return Err(BrokenRule::Element { op: op.name(), elem });
                }
                same(ty, Type::scalar(ElemType::U32))
            }
            Op::Any(x) | Op::All(x) => {
                self.register(*x)?;
                same(ty, Type::CONDITION)
            }
            Op::Known(_) => same(ty, Type::CONDITION),
            Op::Not(x) => {
                self.expect(*x, Type::CONDITION)?;
                same(ty, Type::CONDITION)
            }
            Op::And(a, b) | Op::Or(a, b) => {
                self.expect(*a, Type::CONDITION)?;
                self.expect(*b, Type::CONDITION)?;
                same(ty, Type::CONDITION)
            }
            Op::Declare(variable, init) => {
                if ty.kind == Kind::Condition {
                    same(ty, Type::CONDITION)?;
                }
                if let Some(init) = init {
                    self.expect(*init, ty)?;
                }
                self.scope.declare(*variable, ty)
            }
            Op::Load(variable) => same(ty, self.scope.variable(*variable)?),
            Op::Store(variable, x) => {
                same(ty, self.scope.variable(*variable)?)?;
                self.expect(*x, ty)
            }
            Op::Access { kind, param, operands } => self.access(*kind, *param, operands, ty),
            Op::Clock => same(ty, Type::new(ElemType::U32, 1, 4)),
            Op::Sync(kind, operands) => self.sync(*kind, operands, ty),
            Op::Print { template, values } => {
                same(ty, Type::CONDITION)?;
                self.print(template, values)
            }
            // See `blocks`.
            Op::If(..) | Op::Loop(..) | Op::Labelled(..) | Op::Break(_) => Ok(()),
        }
    }

    /// A barrier: the numbers that it takes.
    fn sync(&self, kind: SyncKind, operands: &[Value], ty: Type) -> Result<()> {
        let (op, expected) = (kind.name(), kind.operands().len());
        same(ty, Type::CONDITION)?;
        if operands.len() != expected {
            return Err(BrokenRule::Operands { op, expected, found: operands.len() });
        }
        if kind.is_named() && self.named_barriers == 0 {
            return Err(BrokenRule::NoNamedBarriers { op });
        }
        operands.iter().try_for_each(|operand| self.expect(*operand, Type::scalar(ElemType::U32)))
    }

    fn param(&self, param: usize) -> Result<ParamKind> {
        let count = self.params.len();
        self.params.get(param).map(|param| param.kind).ok_or(BrokenRule::NoParameter { param, count })
    }

    fn argument(&self, param: usize, ty: Type) -> Result<()> {
        match self.param(param)? {
            ParamKind::Uniform { elem, rows, columns } => same(ty, Type::new(elem, rows, columns)),
            ParamKind::Surface { .. }
            | ParamKind::Surface3d { .. }
            | ParamKind::View { .. }
            | ParamKind::Buffer { .. }
            | ParamKind::Shared { .. } => Err(BrokenRule::NotAUniform { param }),
        }
    }

    /// An operation of one of the tables, by the rules of its kind.
    fn computed(&self, kind: Computed, common: ElemType, operands: &[Value], ty: Type) -> Result<()> {
        let (name, rules) = (kind.name(), kind.operands());
        numbers(ty)?;
        if let Computed::Map(map, true) = kind
            && !map.saturates()
        {
            return Err(BrokenRule::Saturate { op: name });
        }
        if !kind.domain().contains(common) {
            return Err(BrokenRule::Element { op: name, elem: common });
        }
        if operands.len() != rules.len() {
            return Err(BrokenRule::Operands { op: name, expected: rules.len(), found: operands.len() });
        }
        for (&operand, rule) in operands.iter().zip(rules) {
            match rule {
                Operand::Source => {
                    self.shaped(operand, ty)?;
                }
                Operand::Own => self.expect(operand, ty.with_elem(common))?,
                Operand::Common => {
                    let elem = self.shaped(operand, ty)?;
                    // No promotion turns a float into an integer.
                    if elem.is_float() && !common.is_float() {
                        return Err(BrokenRule::Common { op: name, common, operand: elem });
                    }
                }
                Operand::Mask => {
                    let elem = self.shaped(operand, ty)?;
                    if elem.is_float() {
                        return Err(BrokenRule::Element { op: name, elem });
                    }
                }
            }
        }
        limits::groups(ty.count(), kind.width())?;
        same(ty, ty.with_elem(kind.outcome().elem(common)))
    }

    /// Checks that each placeholder of a text has a value.
    fn print(&self, template: &Template, values: &[Value]) -> Result<()> {
        let holes = template.holes().count();
        if holes != values.len() {
            return Err(BrokenRule::Holes { holes, values: values.len() });
        }
        for (hole, value) in template.holes().zip(values) {
            let (ty, elem) = self.register(*value)?;
            let fits = match hole.layout {
                Layout::Number => ty.count() == 1,
                Layout::Row => ty.rows == 1,
                Layout::Rows => true,
            };
            if !fits || !hole.style.takes(elem) {
                return Err(BrokenRule::Hole { hole: hole.to_string(), ty });
            }
        }
        Ok(())
    }

    /// Sums of products of factors of columns and rows.
    fn dpas(&self, b: Precision, a: Precision, operands: &[Value], ty: Type) -> Result<()> {
        let [sums, columns, rows] = operands else { return Err(BrokenRule::Factors { b, a }) };
        if !b.goes_with(a) {
            return Err(BrokenRule::Factors { b, a });
        }
        limits::dpas(ty.rows, ty.columns)?;
        same(ty, ty.with_elem(b.accumulator()))?;
        self.expect(*sums, ty)?;
        self.expect(*columns, Type::new(ElemType::U32, DPAS_DEPTH, ty.columns))?;
        self.expect(*rows, Type::new(ElemType::U32, ty.rows, DPAS_DEPTH))
    }

    /// A reduction of the elements of a register.
    fn reduction(&self, kind: MapKind, common: ElemType, operand: Value, ty: Type) -> Result<()> {
        let op = kind.name();
        if !kind.reduces() {
            return Err(BrokenRule::Reduces { op });
        }
        if !kind.domain().contains(common) {
            return Err(BrokenRule::Element { op, elem: common });
        }
        let (_, elem) = self.register(operand)?;
        // Like an operation with two operands.
        if elem.is_float() && !common.is_float() {
            return Err(BrokenRule::Common { op, common, operand: elem });
        }
        same(ty, Type::scalar(common))
    }

    /// A region of the elements of `part` inside `whole`.
    fn region_inside(&self, region: &Region, part: Type, whole: Type) -> Result<()> {
        if let Some(dynamic) = region.dynamic {
            self.expect(dynamic, Type::scalar(ElemType::U32))?;
        }
        let (count, width) = (part.count(), region.width);
        if width == 0 || !count.is_multiple_of(width) {
            return Err(BrokenRule::RegionWidth { width, count });
        }
        // Also those that a region of one row or column does not use.
        let strides = [region.row_stride, region.column_stride];
        if let Some(stride) = strides.into_iter().find(|stride| *stride >= STRIDES) {
            return Err(BrokenRule::RegionStride { stride });
        }
        // Offsets can be any `usize`.
        let last = region.offset as u128
            + (count / width - 1) as u128 * region.row_stride as u128
            + (width - 1) as u128 * region.column_stride as u128;
        if last < whole.count() as u128 {
            return Ok(());
        }
        Err(BrokenRule::RegionOutside { last, count: whole.count() })
    }
}

fn unfit(value: Value, found: Type, expected: impl Into<Cow<'static, str>>) -> BrokenRule {
    BrokenRule::Operand { value, expected: expected.into(), found }
}

fn constant(bits: &Bits, ty: Type) -> Result<()> {
    let elem = numbers(ty)?;
    let all = match bits {
        Bits::Splat(x) => std::slice::from_ref(x),
        Bits::Each(all) if all.len() == ty.count() => all,
        Bits::Each(all) => {
            return Err(BrokenRule::ConstantLength { expected: ty.count(), found: all.len() });
        }
    };
    match all.iter().find(|bits| elem.bytes() < 8 && **bits >> (elem.bytes() * 8) != 0) {
        Some(&bits) => Err(BrokenRule::ConstantBits { elem, bits }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
