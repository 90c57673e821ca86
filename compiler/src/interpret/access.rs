//! Accesses to memory. Surfaces are rows of bytes, buffers a single run of them; byte offsets are `u32` and
//! wrap.

use super::{At, InterpretArg, InterpretBuffer, Result, Thread, element, from_bytes, to_bytes};
use crate::elem::ElemType;
use crate::ir::{Type, Value};
use crate::ops::{AccessKind, Address, AtomicKind, MapKind};

impl<'b> Thread<'_, 'b> {
    /// An access; what it gives, if it gives something.
    pub(super) fn access(
        &mut self,
        kind: AccessKind,
        param: usize,
        operands: &[Value],
        ty: Type,
        at: At<'_>,
    ) -> Result<Option<Vec<u64>>> {
        let spec = kind.spec();
        if operands.len() != spec.operands() {
            return Err(at.unverified(format!("{} operands of `{}`", operands.len(), spec.name)));
        }
        let (address, data) = operands.split_at(spec.address.operands());
        match spec.address {
            Address::Block if spec.effect.writes() => {
                self.write_rows(param, [address[0], address[1]], data[0], at).map(|()| None)
            }
            Address::Block => self.read_rows(param, [address[0], address[1]], ty, at).map(Some),
            Address::Bytes { alignment } => {
                let alignment = alignment as u32;
                // Rounded down, as the hardware does, which has no bits for the rest.
                let start = self.first(address[0], at)? as u32 / alignment * alignment;
                if spec.effect.writes() {
                    self.write_bytes(param, start, data[0], at).map(|()| None)
                } else {
                    self.read_bytes(param, start, ty, at).map(Some)
                }
            }
            Address::Elements => {
                let elem = at.elem(ty)?;
                let starts = self.starts(address[0], elem, at)?;
                let mut sources = vec![];
                for source in data {
                    sources.push(self.get(*source, at)?.bits.clone());
                }
                let buffer = self.buffer(param, at)?;
                let mut before = vec![];
                // One after the other: the last of equal numbers stays, and an atomic operation sees those
                // before it.
                for (k, start) in starts.into_iter().enumerate() {
                    let old = read_element(buffer, elem, start);
                    before.push(old);
                    let source = |n: usize| sources.get(n).and_then(|bits| bits.get(k)).copied().unwrap_or(0);
                    let new = match kind {
                        AccessKind::Scatter => source(0),
                        AccessKind::Atomic(kind) => changed(kind, elem, old, source(0), source(1)),
                        AccessKind::Gather => continue,
                        AccessKind::MediaRead
                        | AccessKind::MediaWrite
                        | AccessKind::OwordRead
                        | AccessKind::OwordReadDwaligned
                        | AccessKind::OwordWrite => return Err(at.unverified("elements of a block")),
                    };
                    buffer.write(start, &to_bytes(elem, &[new]));
                }
                Ok(spec.effect.has_result().then_some(before))
            }
        }
    }

    fn buffer(&mut self, param: usize, at: At<'_>) -> Result<&mut (dyn InterpretBuffer + 'b)> {
        match self.args.get_mut(param) {
            Some(InterpretArg::Buffer(buffer)) => Ok(&mut **buffer),
            _ => Err(at.unverified("an access to what is not a buffer")),
        }
    }

    fn read_bytes(&mut self, param: usize, start: u32, ty: Type, at: At<'_>) -> Result<Vec<u64>> {
        let elem = at.elem(ty)?;
        let mut bytes = vec![0; ty.bytes()];
        self.buffer(param, at)?.read(start, &mut bytes);
        Ok(from_bytes(elem, &bytes))
    }

    fn write_bytes(&mut self, param: usize, start: u32, block: Value, at: At<'_>) -> Result<()> {
        let block = self.get(block, at)?;
        let bytes = to_bytes(at.elem(block.ty)?, &block.bits);
        self.buffer(param, at)?.write(start, &bytes);
        Ok(())
    }

    /// The first bytes of elements.
    fn starts(&self, elements: Value, elem: ElemType, at: At<'_>) -> Result<Vec<u32>> {
        let elements = &self.get(elements, at)?.bits;
        Ok(elements.iter().map(|element| (element * elem.bytes() as u64) as u32).collect())
    }

    fn coordinates(&self, [x, y]: [Value; 2], at: At<'_>) -> Result<[i32; 2]> {
        // By way of `u32`: an `i32` is kept as the low half of a `u64`.
        Ok([self.first(x, at)? as u32 as i32, self.first(y, at)? as u32 as i32])
    }

    fn read_rows(&mut self, param: usize, coordinates: [Value; 2], ty: Type, at: At<'_>) -> Result<Vec<u64>> {
        let [x, y] = self.coordinates(coordinates, at)?;
        let elem = at.elem(ty)?;
        let Some(InterpretArg::Surface(surface)) = self.args.get(param) else {
            return Err(at.unverified("a read of what is not a surface"));
        };
        let mut row = vec![0; ty.columns * elem.bytes()];
        let mut bits = Vec::with_capacity(ty.count());
        for r in 0..ty.rows {
            // Saturated: a block may start at the last row that `i32` can name.
            surface.read_row(x, y.saturating_add(r as i32), &mut row);
            bits.extend(from_bytes(elem, &row));
        }
        Ok(bits)
    }

    fn write_rows(&mut self, param: usize, coordinates: [Value; 2], block: Value, at: At<'_>) -> Result<()> {
        let [x, y] = self.coordinates(coordinates, at)?;
        let block = self.get(block, at)?.clone();
        let elem = at.elem(block.ty)?;
        let Some(InterpretArg::Surface(surface)) = self.args.get_mut(param) else {
            return Err(at.unverified("a write of what is not a surface"));
        };
        for (r, row) in block.bits.chunks(block.ty.columns.max(1)).enumerate() {
            surface.write_row(x, y.saturating_add(r as i32), &to_bytes(elem, row));
        }
        Ok(())
    }
}

fn read_element(buffer: &dyn InterpretBuffer, elem: ElemType, start: u32) -> u64 {
    let mut bytes = [0; 8];
    buffer.read(start, &mut bytes[..elem.bytes()]);
    u64::from_le_bytes(bytes)
}

/// What an atomic operation makes of an element.
fn changed(kind: AtomicKind, elem: ElemType, old: u64, source: u64, compare: u64) -> u64 {
    use AtomicKind as K;
    let binary = |kind, b| element::map(kind, elem, [old, b, 0]);
    let less = |a, b| element::map(MapKind::Lt, elem, [a, b, 0]) == 1;
    match kind {
        K::Add => binary(MapKind::Add, source),
        K::Sub => binary(MapKind::Sub, source),
        K::Inc => binary(MapKind::Add, 1),
        K::Dec => binary(MapKind::Sub, 1),
        K::Min if less(source, old) => source,
        K::Max if less(old, source) => source,
        K::Min | K::Max => old,
        K::And => old & source,
        K::Or => old | source,
        K::Xor => old ^ source,
        K::Xchg => source,
        K::CmpXchg if old == compare => source,
        K::CmpXchg => old,
    }
}
