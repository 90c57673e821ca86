//! Buffers: bytes in a row, a number of bytes being a `u32` that wraps.

use super::{At, InterpretArg, InterpretBuffer, Result, Thread, element, from_bytes, to_bytes};
use crate::elem::ElemType;
use crate::ir::{Alignment, Type, Value};
use crate::ops::{AtomicKind, MapKind};

impl<'b> Thread<'_, 'b> {
    fn buffer(&mut self, param: usize, at: At<'_>) -> Result<&mut (dyn InterpretBuffer + 'b)> {
        match self.args.get_mut(param) {
            Some(InterpretArg::Buffer(buffer)) => Ok(&mut **buffer),
            _ => Err(at.unverified("an access to what is not a buffer")),
        }
    }

    /// The first byte of a block.
    fn block_start(&self, alignment: Alignment, offset: Value, at: At<'_>) -> Result<u32> {
        let offset = self.first(offset, at)? as u32;
        Ok(offset / alignment.bytes() as u32 * alignment.bytes() as u32)
    }

    pub(super) fn read_block(
        &mut self,
        param: usize,
        alignment: Alignment,
        offset: Value,
        ty: Type,
        at: At<'_>,
    ) -> Result<Vec<u64>> {
        let (start, elem) = (self.block_start(alignment, offset, at)?, at.elem(ty)?);
        let mut bytes = vec![0; ty.bytes()];
        let buffer = self.buffer(param, at)?;
        buffer.read(start, &mut bytes);
        Ok(from_bytes(elem, &bytes))
    }

    pub(super) fn write_block(
        &mut self,
        param: usize,
        offset: Value,
        block: Value,
        at: At<'_>,
    ) -> Result<()> {
        let start = self.block_start(Alignment::Oword, offset, at)?;
        let block = self.get(block, at)?.clone();
        let bytes = to_bytes(at.elem(block.ty)?, &block.bits);
        let buffer = self.buffer(param, at)?;
        buffer.write(start, &bytes);
        Ok(())
    }

    /// The first bytes of elements.
    fn starts(&self, elements: Value, elem: ElemType, at: At<'_>) -> Result<Vec<u32>> {
        let elements = &self.get(elements, at)?.bits;
        Ok(elements.iter().map(|element| (element * elem.bytes() as u64) as u32).collect())
    }

    pub(super) fn gather(&mut self, param: usize, elements: Value, ty: Type, at: At<'_>) -> Result<Vec<u64>> {
        let elem = at.elem(ty)?;
        let starts = self.starts(elements, elem, at)?;
        let buffer = self.buffer(param, at)?;
        Ok(starts.into_iter().map(|start| read_element(buffer, elem, start)).collect())
    }

    pub(super) fn scatter(&mut self, param: usize, elements: Value, values: Value, at: At<'_>) -> Result<()> {
        let values = self.get(values, at)?.clone();
        let elem = at.elem(values.ty)?;
        let starts = self.starts(elements, elem, at)?;
        let buffer = self.buffer(param, at)?;
        for (start, bits) in starts.into_iter().zip(values.bits) {
            buffer.write(start, &to_bytes(elem, &[bits]));
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        kind: AtomicKind,
        param: usize,
        elements: Value,
        sources: [Option<Value>; 2],
        ty: Type,
        at: At<'_>,
    ) -> Result<Vec<u64>> {
        let elem = at.elem(ty)?;
        let starts = self.starts(elements, elem, at)?;
        let mut bits = [vec![0; starts.len()], vec![0; starts.len()]];
        for (bits, source) in bits.iter_mut().zip(sources) {
            if let Some(source) = source {
                bits.clone_from(&self.get(source, at)?.bits);
            }
        }
        let buffer = self.buffer(param, at)?;
        let mut before = Vec::with_capacity(starts.len());
        for ((start, source), compare) in starts.into_iter().zip(&bits[0]).zip(&bits[1]) {
            let old = read_element(buffer, elem, start);
            buffer.write(start, &to_bytes(elem, &[changed(kind, elem, old, *source, *compare)]));
            before.push(old);
        }
        Ok(before)
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
