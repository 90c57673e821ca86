//! Rewrites kernels so that rows start at register boundaries: rows of 24 become rows of 32.
//!
//! A region whose rows are shorter than those of the register (`select::<6, 1, 24, 1>` of rows of 32) is read
//! by two instructions for each row, of 16 and of 8 elements. Together with the next 8 columns, whatever they
//! contain, one instruction is enough. So a value of R x C elements may have a *wide* form of R x P elements,
//! in which the columns from C on are never used: a slice of the register that a region was taken from, or
//! the result of an operation on such slices. The dense form is made from the wide one where it is needed.
//!
//! Additions whose upper bits are not used are done in 16 bits, so that they are narrow enough for this. On
//! registers of 64 bytes, bytes are extended before anything is taken from them.
//!
//! Only kernels without control flow are rewritten.

mod instructions;

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Location, Op, Region, Type, Value, Variable};

use super::fixed_point::Products;
use super::narrow;
use crate::spirv::target::Target;

/// Contiguous elements of a register of the new kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Slice {
    base: Value,
    offset: usize,
    count: usize,
}

/// The form of a value of the old kernel in the new one.
#[derive(Clone, Debug)]
struct Form {
    ty: Type,
    dense: Option<Value>,
    /// The wide form, and the elements from the start of a row to the next.
    wide: Option<(Slice, usize)>,
    /// The number that all elements are equal to.
    splat: Option<Op>,
}

/// A replacement of contiguous elements in a register.
#[derive(Clone, Copy, Debug)]
struct Inserted {
    into: Value,
    offset: usize,
    value: Value,
}

/// For a value of the old kernel, or for its extended bytes: how many elements are read, including those
/// after its end.
type Padding = FxHashMap<(Value, bool), usize>;

struct Widen<'a> {
    target: Target,
    demand: &'a narrow::Demand,
    products: &'a Products,
    /// The registers to pad as soon as they are made, so that there are never two copies of them.
    padding: &'a Padding,
    /// The registers that should have been padded.
    wanted: Padding,
    /// The value of the old kernel that a register comes from.
    origins: FxHashMap<Value, (Value, bool)>,
    insts: Vec<Inst>,
    values: u32,
    variables: u32,
    types: FxHashMap<Value, Type>,
    forms: FxHashMap<Value, Form>,
    inserted: FxHashMap<Value, Inserted>,
    /// Contiguous elements that were taken from another register, and their source.
    views: FxHashMap<Value, (Value, usize)>,
    slices: FxHashMap<(Slice, Type), Value>,
    padded: FxHashMap<Value, Value>,
    converted: FxHashMap<(Value, ElemType), Value>,
    location: Location,
}

/// The kernel, rewritten for the target; `None` if it is best unchanged.
pub(crate) fn widen(function: &Function, target: Target) -> Option<Function> {
    // A variable that is never stored may have any value.
    let stored = |i: &Inst| matches!(i.op, Op::Store(..) | Op::Declare(_, Some(_)));
    let straight = function.body.insts.iter().all(|i| !i.op.is_control_flow() && !stored(i));
    let location = function.body.insts.first()?.location.clone();
    let empty = function.body.insts.iter().any(|i| i.ty.count() == 0);
    if !straight || empty {
        return None;
    }
    let (demand, products) = (narrow::Demand::of(&function.body), Products::of(function));
    let write = |padding: &Padding| {
        let (target, demand, products, location) = (target, &demand, &products, location.clone());
        Widen::new(target, demand, products, padding, location).rewrite(&function.body)
    };
    // The first pass finds what must be padded.
    let (body, wanted) = write(&Padding::default())?;
    let body = if wanted.is_empty() { body } else { write(&wanted)?.0 };
    Some(Function { body, ..function.clone() })
}

impl<'a> Widen<'a> {
    fn new(
        target: Target,
        demand: &'a narrow::Demand,
        products: &'a Products,
        padding: &'a Padding,
        location: Location,
    ) -> Self {
        Self {
            target,
            demand,
            products,
            padding,
            wanted: Padding::default(),
            origins: FxHashMap::default(),
            insts: vec![],
            values: 0,
            variables: 0,
            types: FxHashMap::default(),
            forms: FxHashMap::default(),
            inserted: FxHashMap::default(),
            views: FxHashMap::default(),
            slices: FxHashMap::default(),
            padded: FxHashMap::default(),
            converted: FxHashMap::default(),
            location,
        }
    }

    fn rewrite(mut self, block: &Block) -> Option<(Block, Padding)> {
        self.variables = block.next_variable();
        for inst in &block.insts {
            self.location = inst.location.clone();
            self.inst(inst)?;
        }
        Some((Block { insts: self.insts }, self.wanted))
    }
}

impl Widen<'_> {
    fn emit(&mut self, op: Op, ty: Type) -> Value {
        let value = Value(self.values);
        self.values += 1;
        self.types.insert(value, ty);
        self.insts.push(Inst { op, result: Some(value), ty, location: self.location.clone() });
        value
    }

    fn effect(&mut self, op: Op, ty: Type) {
        self.insts.push(Inst { op, result: None, ty, location: self.location.clone() });
    }

    fn ty(&self, value: Value) -> Option<Type> {
        self.types.get(&value).copied()
    }

    fn undefined(&mut self, ty: Type) -> Value {
        let variable = Variable(self.variables);
        self.variables += 1;
        self.effect(Op::Declare(variable, None), ty);
        self.emit(Op::Load(variable), ty)
    }

    /// A slice as a value of `ty`, which may have any columns that fit.
    fn slice(&mut self, slice: Slice, ty: Type) -> Option<Value> {
        let base = self.ty(slice.base)?;
        if slice.offset == 0 && slice.count == base.count() {
            return Some(slice.base);
        }
        if let Some(&value) = self.slices.get(&(slice, ty)) {
            return Some(value);
        }
        let end = slice.offset + slice.count;
        let source = if end <= base.count() && !self.padded.contains_key(&slice.base) {
            slice.base
        } else {
            self.pad(slice.base, base, end)?
        };
        let value = self.emit(Op::Region(source, Region::contiguous(slice.offset, slice.count)), ty);
        self.slices.insert((slice, ty), value);
        Some(value)
    }

    /// A register with unspecified elements after its end.
    fn pad(&mut self, base: Value, ty: Type, count: usize) -> Option<Value> {
        if let Some(&value) = self.padded.get(&base)
            && self.ty(value)?.count() >= count
        {
            return Some(value);
        }
        if let Some(&origin) = self.origins.get(&base) {
            // In the second pass, this register is padded as soon as it is made.
            let wanted = self.wanted.entry(origin).or_default();
            *wanted = (*wanted).max(count);
        }
        let padded = Type { rows: 1, columns: count.next_multiple_of(32), ..ty };
        let any = self.undefined(padded);
        let value = self.emit(Op::Insert(any, Region::contiguous(0, ty.count()), base), padded);
        self.padded.insert(base, value);
        Some(value)
    }

    /// Records where a register comes from, and pads it if that is needed.
    fn originates(&mut self, value: Value, origin: (Value, bool)) -> Option<()> {
        self.origins.insert(value, origin);
        if let Some(&count) = self.padding.get(&origin) {
            let ty = self.ty(value)?;
            self.pad(value, ty, count)?;
        }
        Some(())
    }

    /// The source of a slice, ignoring replacements of other elements.
    fn source(&self, mut slice: Slice) -> Slice {
        while let Some(inserted) = self.inserted.get(&slice.base) {
            let Some(ty) = self.ty(inserted.value) else { break };
            let end = inserted.offset + ty.count();
            if slice.offset >= end || slice.offset + slice.count <= inserted.offset {
                slice.base = inserted.into;
            } else if slice.offset >= inserted.offset && slice.offset + slice.count <= end {
                slice = Slice { base: inserted.value, offset: slice.offset - inserted.offset, ..slice };
            } else {
                break;
            }
        }
        slice
    }

    fn form(&self, value: Value) -> Option<&Form> {
        self.forms.get(&value)
    }

    /// The wide form of an operand with these rows, if it has one. If `numbers`, only the values of the
    /// elements matter, so their type may differ.
    fn wide(&mut self, value: Value, rows: usize, pitch: usize, numbers: bool) -> Option<Value> {
        let form = self.form(value)?.clone();
        let elem = form.ty.elem()?;
        let ty = Type::new(elem, rows, pitch);
        if let Some((mut slice, own)) = form.wide
            && own == pitch
        {
            // Registers of 64 bytes cannot read unaligned regions of bytes for free, but words are cheap. So
            // bytes are extended once, before anything is taken from them.
            if self.target.register_bytes() == 64 && elem.bytes() == 1 && numbers {
                slice.base = self.convert(slice.base, ElemType::I16)?;
                return self.slice(slice, ty.with_elem(ElemType::I16));
            }
            return self.slice(slice, ty);
        }
        form.splat.map(|op| self.emit(op, ty))
    }

    fn convert(&mut self, base: Value, to: ElemType) -> Option<Value> {
        if let Some(&value) = self.converted.get(&(base, to)) {
            return Some(value);
        }
        let ty = self.ty(base)?.with_elem(to);
        let value = self.emit(Op::convert(base, to), ty);
        self.converted.insert((base, to), value);
        if let Some(&(origin, false)) = self.origins.get(&base) {
            self.originates(value, (origin, true))?;
        }
        Some(value)
    }

    fn dense(&mut self, value: Value) -> Option<Value> {
        let form = self.form(value)?.clone();
        if let Some(value) = form.dense {
            return Some(value);
        }
        let dense = match (form.wide, form.splat) {
            (_, Some(op)) => self.emit(op, form.ty),
            (Some((slice, pitch)), None) => {
                let base = self.ty(slice.base)?;
                let columns = form.ty.columns;
                let end = slice.offset + (form.ty.rows - 1) * pitch + columns;
                let source = if end <= base.count() { slice.base } else { self.pad(slice.base, base, end)? };
                let region = Region {
                    offset: slice.offset,
                    dynamic: None,
                    row_stride: pitch,
                    width: columns,
                    column_stride: 1,
                };
                self.emit(Op::Region(source, region), form.ty)
            }
            (None, None) => return None,
        };
        self.forms.get_mut(&value)?.dense = Some(dense);
        Some(dense)
    }
}
