//! Rewrites kernels so that rows start where registers do: rows of 24 as rows of 32.
//!
//! A row of a region that does not fill its rows (`select::<6, 1, 24, 1>` of rows of 32) is taken in two
//! instructions, of 16 and of 8 elements. Together with the 8 columns that follow, whatever they hold, it is
//! one. So a value of R x C elements may have a *wide* form of R x P, whose columns from C on are never
//! looked at: a slice of the register that a region was taken from, and what operators make of such slices.
//! The dense form is made of it where it is asked for.
//!
//! Additions whose upper bits nobody asks for are made in 16 bits, so that they are narrow enough for this.
//! On registers of 64 bytes, bytes are extended before anything is taken from them.
//!
//! Only kernels without control flow are rewritten.

use std::collections::HashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Location, Op, Region, Type, Value, Variable};
use crate::limits;
use crate::ops::{AccessKind, MapKind};

use super::fixed_point::{Product, Products};
use super::narrow;
use super::target::Target;

/// Neighbours in a register of the new kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Slice {
    base: Value,
    offset: usize,
    count: usize,
}

/// A value of the old kernel, in the new one.
#[derive(Clone, Debug)]
struct Form {
    ty: Type,
    dense: Option<Value>,
    /// The wide form, and elements from row to row in it.
    wide: Option<(Slice, usize)>,
    /// What all elements are.
    splat: Option<Op>,
}

/// A replacement of neighbours in a register.
#[derive(Clone, Copy, Debug)]
struct Inserted {
    into: Value,
    offset: usize,
    value: Value,
}

/// A value of the old kernel, or what it is after its bytes were extended; and how many elements of it are
/// asked for, those behind its end included.
type Padding = HashMap<(Value, bool), usize>;

struct Widen<'a> {
    target: Target,
    demand: &'a narrow::Demand,
    products: &'a Products,
    /// What is padded as soon as it is there, so that there are never two copies of it.
    padding: &'a Padding,
    /// What should have been.
    wanted: Padding,
    /// Where registers come from.
    origins: HashMap<Value, (Value, bool)>,
    insts: Vec<Inst>,
    values: u32,
    variables: u32,
    types: HashMap<Value, Type>,
    forms: HashMap<Value, Form>,
    inserted: HashMap<Value, Inserted>,
    /// Neighbours that were taken from another register, and from where.
    views: HashMap<Value, (Value, usize)>,
    slices: HashMap<(Slice, Type), Value>,
    padded: HashMap<Value, Value>,
    converted: HashMap<(Value, ElemType), Value>,
    location: Location,
}

/// The kernel, rewritten for the target; `None` if it is best as it is.
pub(super) fn widen(function: &Function, target: Target) -> Option<Function> {
    // Variables that are never stored hold any value.
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
    // Once to see what is to be padded.
    let (body, wanted) = write(&Padding::new())?;
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
            wanted: Padding::new(),
            origins: HashMap::new(),
            insts: vec![],
            values: 0,
            variables: 0,
            types: HashMap::new(),
            forms: HashMap::new(),
            inserted: HashMap::new(),
            views: HashMap::new(),
            slices: HashMap::new(),
            padded: HashMap::new(),
            converted: HashMap::new(),
            location,
        }
    }

    fn rewrite(mut self, block: &Block) -> Option<(Block, Padding)> {
        let declared = block.insts.iter().filter_map(|inst| match inst.op {
            Op::Declare(variable, _) => Some(variable.0 + 1),
            _ => None,
        });
        self.variables = declared.max().unwrap_or(0);
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

    /// A slice as a value of `ty`, whose columns may be any that fit.
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

    /// A register with anything behind its end.
    fn pad(&mut self, base: Value, ty: Type, count: usize) -> Option<Value> {
        if let Some(&value) = self.padded.get(&base)
            && self.ty(value)?.count() >= count
        {
            return Some(value);
        }
        if let Some(&origin) = self.origins.get(&base) {
            // The second time this register is padded as soon as it is there.
            let wanted = self.wanted.entry(origin).or_default();
            *wanted = (*wanted).max(count);
        }
        let padded = Type { rows: 1, columns: count.next_multiple_of(32), ..ty };
        let any = self.undefined(padded);
        let value = self.emit(Op::Insert(any, Region::contiguous(0, ty.count()), base), padded);
        self.padded.insert(base, value);
        Some(value)
    }

    /// Notes where a register comes from, and pads it if that will be needed.
    fn originates(&mut self, value: Value, origin: (Value, bool)) -> Option<()> {
        self.origins.insert(value, origin);
        if let Some(&count) = self.padding.get(&origin) {
            let ty = self.ty(value)?;
            self.pad(value, ty, count)?;
        }
        Some(())
    }

    /// Where a slice comes from, past replacements of other elements.
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

    /// The wide form of an operand, if it has one of these rows. If only the numbers matter, their type may
    /// be another.
    fn wide(&mut self, value: Value, rows: usize, pitch: usize, numbers: bool) -> Option<Value> {
        let form = self.form(value)?.clone();
        let elem = form.ty.elem()?;
        let ty = Type::new(elem, rows, pitch);
        if let Some((mut slice, own)) = form.wide
            && own == pitch
        {
            // Registers of 64 bytes have no free unaligned regions of bytes; words are cheap. So bytes are
            // extended once, before anything is taken from them.
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

    fn inst(&mut self, inst: &Inst) -> Option<()> {
        let Some(result) = inst.result else {
            let op = match inst.op {
                Op::Access { kind: AccessKind::MediaWrite, param, ref operands } => {
                    let [x, y, block] = operands[..] else { return None };
                    let operands = vec![self.dense(x)?, self.dense(y)?, self.written(block)?];
                    Op::Access { kind: AccessKind::MediaWrite, param, operands }
                }
                ref op => self.renumbered(op)?,
            };
            self.effect(op, inst.ty);
            return Some(());
        };
        if self.products.leave_out(result) {
            return Some(());
        }
        let mut form = Form { ty: inst.ty, dense: None, wide: None, splat: None };
        match &inst.op {
            Op::Constant(Bits::Splat(_)) => form.splat = Some(inst.op.clone()),
            Op::Splat(x) => form.splat = Some(Op::Splat(self.dense(*x)?)),
            Op::Region(x, region) => self.region(&mut form, *x, region)?,
            Op::Insert(x, region, value) => self.insert(&mut form, *x, region, *value)?,
            Op::Map { .. } if let Some(product) = self.products.get(result) => {
                self.product(&mut form, product)?;
            }
            Op::Map { .. } => {
                self.elementwise(&mut form, inst, result)?;
            }
            op => {
                let op = self.renumbered(op)?;
                let value = self.emit(op, inst.ty);
                self.originates(value, (result, false))?;
                form.dense = Some(value);
            }
        }
        self.forms.insert(result, form);
        Some(())
    }

    /// A block as it is written: with the pitch of the message, if it has that already.
    fn written(&mut self, block: Value) -> Option<Value> {
        let form = self.form(block)?;
        let size = form.ty.elem()?.bytes();
        if let Some((slice, pitch)) = form.wide
            && pitch * size == limits::media_pitch(form.ty.columns * size)
        {
            let ty = Type { columns: pitch, ..form.ty };
            return self.slice(slice, ty);
        }
        self.dense(block)
    }

    fn region(&mut self, form: &mut Form, x: Value, region: &Region) -> Option<()> {
        let Form { ty: source, wide, .. } = *self.form(x)?;
        let Type { rows, columns, .. } = form.ty;
        let simple = region.dynamic.is_none()
            && region.column_stride == 1
            && region.width == columns
            && source.count() > 1;
        let (slice, pitch) = match wide {
            _ if !simple => (None, 0),
            // Of the wide form: whole rows one after the other.
            Some((slice, pitch)) => {
                let (row, column) = (region.offset / source.columns, region.offset % source.columns);
                let fits =
                    column + columns <= source.columns && (rows == 1 || region.row_stride == source.columns);
                let offset = slice.offset + row * pitch + column;
                (fits.then_some(Slice { base: slice.base, offset, count: rows * pitch }), pitch)
            }
            // Of rows with their columns, one after the other.
            None => {
                let pitch = source.columns;
                let fits = pitch.is_power_of_two()
                    && region.offset % pitch + columns <= pitch
                    && (rows == 1 || region.row_stride == pitch);
                let base = if fits { Some(self.dense(x)?) } else { None };
                // What lies behind a row is as good as anything.
                let view = base.map(|base| self.views.get(&base).copied().unwrap_or((base, 0)));
                (
                    view.map(|(base, at)| Slice { base, offset: at + region.offset, count: rows * pitch }),
                    pitch,
                )
            }
        };
        if let Some(slice) = slice
            && columns < pitch
            && columns * 2 > pitch
            && source.elem()?.bytes() <= 2
        {
            form.wide = Some((self.source(slice), pitch));
            return Some(());
        }
        let dynamic = match region.dynamic {
            Some(value) => Some(self.dense(value)?),
            None => None,
        };
        let x = self.dense(x)?;
        if simple && (rows == 1 || region.row_stride == columns) {
            let (base, at) = self.views.get(&x).copied().unwrap_or((x, 0));
            let slice = self.source(Slice { base, offset: at + region.offset, count: form.ty.count() });
            let value = self.slice(slice, form.ty)?;
            self.views.insert(value, (slice.base, slice.offset));
            form.dense = Some(value);
            return Some(());
        }
        let value = self.emit(Op::Region(x, Region { dynamic, ..*region }), form.ty);
        form.dense = Some(value);
        Some(())
    }

    fn insert(&mut self, form: &mut Form, x: Value, region: &Region, value: Value) -> Option<()> {
        let ty = form.ty;
        let (old, new) = (self.form(x)?.clone(), self.form(value)?.clone());
        let pitch = old.wide.or(new.wide).map(|(_, pitch)| pitch);
        let columns = ty.columns;
        // Whole rows.
        let rows = region.dynamic.is_none()
            && region.column_stride == 1
            && region.width == columns
            && region.offset.is_multiple_of(columns)
            && new.ty.columns == columns
            && (new.ty.rows == 1 || region.row_stride == columns);
        if let Some(pitch) = pitch
            && rows
            && columns < pitch
            && let Some(part) = self.wide(value, new.ty.rows, pitch, false)
            && let Some(whole) = self.wide(x, ty.rows, pitch, false)
        {
            let offset = region.offset / columns * pitch;
            let count = new.ty.rows * pitch;
            let wide = Type { columns: pitch, ..ty };
            let inserted = self.emit(Op::Insert(whole, Region::contiguous(offset, count), part), wide);
            self.inserted.insert(inserted, Inserted { into: whole, offset, value: part });
            form.wide = Some((Slice { base: inserted, offset: 0, count: wide.count() }, pitch));
            return Some(());
        }
        let op = self.renumbered(&Op::Insert(x, *region, value))?;
        let replaced = self.emit(op.clone(), ty);
        let neighbours = region.is_contiguous(new.ty.count()) && region.dynamic.is_none();
        if let (true, Op::Insert(into, region, value)) = (neighbours, op) {
            self.inserted.insert(replaced, Inserted { into, offset: region.offset, value });
        }
        form.dense = Some(replaced);
        Some(())
    }

    fn elementwise(&mut self, form: &mut Form, inst: &Inst, result: Value) -> Option<()> {
        let mut op = inst.op.clone();
        if let Op::Map { common: elem, .. } = &mut op
            && self.demand.is_narrow(result)
        {
            *elem = ElemType::I16;
            form.ty = form.ty.with_elem(ElemType::I16);
        }
        let operands = op.operands();
        let fits = |x: &Value, pitch| {
            self.form(*x).is_some_and(|f| f.splat.is_some() || f.wide.is_some_and(|(_, own)| own == pitch))
        };
        let pitch = operands
            .iter()
            .find_map(|x| self.form(*x)?.wide)
            .map(|(_, pitch)| pitch)
            .filter(|&pitch| self.pays(&form.ty, pitch) && operands.iter().all(|x| fits(x, pitch)));
        let numbers = match op {
            Op::Map { kind: MapKind::Convert, saturate, .. } => !saturate && form.ty.elem()?.bytes() > 1,
            Op::Map { kind, .. } => kind.converts_operands(),
            _ => false,
        };
        for x in op.operands_mut() {
            *x = match pitch {
                Some(pitch) => self.wide(*x, form.ty.rows, pitch, numbers)?,
                None => self.dense(*x)?,
            };
        }
        let ty = Type { columns: pitch.unwrap_or(form.ty.columns), ..form.ty };
        let value = match op {
            // An operand that was narrowed may have this type already.
            Op::Map { kind: MapKind::Convert, saturate: false, operands, .. }
                if self.ty(operands[0])? == ty =>
            {
                operands[0]
            }
            op => self.emit(op, ty),
        };
        match pitch {
            Some(pitch) => form.wide = Some((Slice { base: value, offset: 0, count: ty.count() }, pitch)),
            None => form.dense = Some(value),
        }
        Some(())
    }

    /// A product of integers in place of one of floats.
    fn product(&mut self, form: &mut Form, product: &Product) -> Option<()> {
        let pitch = self.form(product.x)?.wide.map(|(_, pitch)| pitch);
        let wide = pitch.filter(|pitch| self.pays(&form.ty.with_elem(ElemType::U32), *pitch));
        let x = match wide {
            Some(pitch) => self.wide(product.x, form.ty.rows, pitch, true)?,
            None => self.dense(product.x)?,
        };
        let (last, ty) = product.spelt(x, self.ty(x)?, form.ty, |op, ty| self.emit(op, ty));
        let value = self.emit(last, ty);
        match wide {
            Some(pitch) => form.wide = Some((Slice { base: value, offset: 0, count: ty.count() }, pitch)),
            None => form.dense = Some(value),
        }
        Some(())
    }

    /// Whether an operation on wide rows is not longer than on dense ones.
    fn pays(&self, ty: &Type, pitch: usize) -> bool {
        let size = ty.elem().map_or(8, ElemType::bytes);
        // An instruction writes two registers at most; what is left over takes one for each bit of its
        // number.
        let lanes = self.target.register_bytes() * 2 / size.max(2);
        let dense = ty.count() / lanes + (ty.count() % lanes).count_ones() as usize;
        // On registers of 64 bytes the way from one form to the other costs more than some lanes.
        size <= 2 || self.target.register_bytes() == 64 || (ty.rows * pitch).div_ceil(lanes) <= dense
    }

    /// With the dense forms of its operands.
    fn renumbered(&mut self, op: &Op) -> Option<Op> {
        let mut op = op.clone();
        for x in op.operands_mut() {
            *x = self.dense(*x)?;
        }
        Some(op)
    }
}
