//! The instructions of the new kernel, each in the form that suits its operands.

use super::{Form, Inserted, Slice, Widen};
use crate::elem::ElemType;
use crate::ir::{Bits, Inst, Op, Region, Type, Value};
use crate::limits;
use crate::ops::{AccessKind, MapKind};
use crate::spirv::passes::fixed_point::Product;

impl Widen<'_> {
    pub(super) fn inst(&mut self, inst: &Inst) -> Option<()> {
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

    /// The form in which a block is written: the wide form if it already has the pitch of the message.
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
            // Whole rows of the wide form.
            Some((slice, pitch)) => {
                let (row, column) = (region.offset / source.columns, region.offset % source.columns);
                let fits =
                    column + columns <= source.columns && (rows == 1 || region.row_stride == source.columns);
                let offset = slice.offset + row * pitch + column;
                (fits.then_some(Slice { base: slice.base, offset, count: rows * pitch }), pitch)
            }
            // Rows of the dense form, with their columns.
            None => {
                let pitch = source.columns;
                let fits = pitch.is_power_of_two()
                    && region.offset % pitch + columns <= pitch
                    && (rows == 1 || region.row_stride == pitch);
                let base = if fits { Some(self.dense(x)?) } else { None };
                // The elements after a row may be anything.
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
        // Whole rows are replaced.
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
            // An operand that was narrowed may already have this type.
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

    /// An integer product in place of a float product.
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

    /// Whether an operation takes no more instructions on wide rows than on dense ones.
    fn pays(&self, ty: &Type, pitch: usize) -> bool {
        let size = ty.elem().map_or(8, ElemType::bytes);
        // An instruction writes at most two registers; the remainder takes one instruction for each set bit
        // of its count.
        let lanes = self.target.register_bytes() * 2 / size.max(2);
        let dense = ty.count() / lanes + (ty.count() % lanes).count_ones() as usize;
        // On registers of 64 bytes, converting between the forms costs more than some lanes.
        size <= 2 || self.target.register_bytes() == 64 || (ty.rows * pitch).div_ceil(lanes) <= dense
    }

    /// The operation with the dense forms of its operands.
    fn renumbered(&mut self, op: &Op) -> Option<Op> {
        let mut op = op.clone();
        for x in op.operands_mut() {
            *x = self.dense(*x)?;
        }
        Some(op)
    }
}
