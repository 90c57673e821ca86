//! Accesses to memory. Surfaces are rows of bytes, buffers a single run of them; byte offsets are `u32` and
//! wrap.

use super::argument::{InterpretArg, InterpretBuffer, InterpretSurface, Result};
use super::element;
use super::thread::{At, Thread, from_bytes, to_bytes};
use crate::elem::ElemType;
use crate::ir::{Type, Value};
use crate::limits::BlockForm;
use crate::ops::{
    AccessKind, Address, AtomicHints, AtomicKind, Carries, ChannelMask, Effect, MapKind, Texel,
};

/// The position of an access.
enum Place {
    /// From this byte column and row of a surface on.
    Rows(i32, i32),
    /// From this byte of a buffer on.
    Bytes(u32),
    /// Elements whose first bytes are these; `None` if they are outside.
    Elements(Vec<Option<u32>>),
    /// These channels of the texels at these columns, rows and slices.
    Texels(ChannelMask, Vec<[u32; 3]>),
}

impl<'b> Thread<'_, '_, 'b, '_> {
    /// Performs an access; returns its result, if it has one.
    pub(super) fn access(
        &mut self,
        kind: AccessKind,
        param: usize,
        operands: &[Value],
        ty: Type,
        at: At<'_>,
    ) -> Result<Option<Vec<u64>>> {
        let (spec, elem) = (kind.spec(), at.elem(ty)?);
        let unfit = || at.meaningless(format!("{} operands of `{}`", operands.len(), spec.name));
        let parts = spec.parts(operands).ok_or_else(unfit)?;
        let place = match (spec.address, parts.address) {
            (Address::Block, &[x, y]) => {
                // Through `u32`: an `i32` is kept as the low half of a `u64`.
                Place::Rows(self.first(x, at)? as u32 as i32, self.first(y, at)? as u32 as i32)
            }
            (Address::Bytes { alignment }, &[offset]) => {
                let alignment = alignment.bytes() as u32;
                // Rounded down like in hardware, which ignores the low bits.
                Place::Bytes(self.first(offset, at)? as u32 / alignment * alignment)
            }
            (Address::Elements, &[elements]) => {
                let first = |element: &u64| Some((element * elem.bytes() as u64) as u32);
                Place::Elements(self.get(elements, at)?.bits.iter().map(first).collect())
            }
            (Address::Vectors, &[firsts]) => {
                let size = elem.bytes() as u64;
                let starts: Vec<u64> = self
                    .get(firsts, at)?
                    .bits
                    .iter()
                    .map(|first| {
                        // The first byte wraps. A vector that would wrap ends at the end of the address space.
                        let start = u64::from(*first as u32) * size % ADDRESSES;
                        start.min(ADDRESSES - ty.rows as u64 * size)
                    })
                    .collect();
                let row = |row| starts.iter().map(move |start| Some((start + row as u64 * size) as u32));
                Place::Elements((0..ty.rows).flat_map(row).collect())
            }
            (Address::Texels(_), coordinates @ ([_, _] | [_, _, _])) => {
                let Carries::Texels(channels) = spec.carries else { return Err(unfit()) };
                let mut places = vec![[0; 3]; ty.columns];
                for (n, coordinate) in coordinates.iter().enumerate() {
                    for (place, bits) in places.iter_mut().zip(&self.get(*coordinate, at)?.bits) {
                        place[n] = *bits as u32;
                    }
                }
                Place::Texels(channels, places)
            }
            (Address::Pitched, &[width, height, pitch, x, y]) => {
                let Carries::Block2d(form) = spec.carries else { return Err(unfit()) };
                let number = |x| -> Result<i64> { Ok(i64::from(self.first(x, at)? as u32 as i32)) };
                let picture = [number(width)?, number(height)?, number(pitch)?];
                Place::Elements(block_2d(form, ty, elem.bytes(), picture, [number(x)?, number(y)?]))
            }
            (
                Address::Block
                | Address::Bytes { .. }
                | Address::Elements
                | Address::Vectors
                | Address::Texels(_)
                | Address::Pitched,
                _,
            ) => return Err(unfit()),
        };
        let mut data = vec![];
        for operand in parts.data {
            data.push(self.get(*operand, at)?.bits.clone());
        }
        match (spec.effect, &data[..]) {
            (Effect::Read, _) => self.read(param, &place, ty, at).map(Some),
            (Effect::Write, [block]) => self.write(param, &place, ty, block, at).map(|()| None),
            (Effect::Write, _) => Err(unfit()),
            (Effect::Prefetch, _) => Ok(None),
            (Effect::Update(kind), sources) => self.update(kind, param, &place, ty, sources, at).map(Some),
        }
    }

    fn surface(&mut self, param: usize, at: At<'_>) -> Result<&mut (dyn InterpretSurface + 'b)> {
        match self.places.passed(param) {
            Some(InterpretArg::Surface(surface)) => Ok(&mut **surface),
            _ => Err(at.meaningless("an access to what is not a surface")),
        }
    }

    fn buffer(&mut self, param: usize, at: At<'_>) -> Result<&mut (dyn InterpretBuffer + 'b)> {
        self.places.buffer(param).ok_or_else(|| at.meaningless("an access to what is not a buffer"))
    }

    fn read(&mut self, param: usize, place: &Place, ty: Type, at: At<'_>) -> Result<Vec<u64>> {
        let elem = at.elem(ty)?;
        Ok(match place {
            Place::Rows(x, y) => {
                let surface = self.surface(param, at)?;
                let mut row = vec![0; ty.columns * elem.bytes()];
                let mut bits = Vec::with_capacity(ty.count());
                for r in 0..ty.rows {
                    // Saturated: a block may start at the largest row of `i32`.
                    surface.read_row(*x, y.saturating_add(r as i32), &mut row);
                    bits.extend(from_bytes(elem, &row));
                }
                bits
            }
            Place::Bytes(start) => {
                let mut bytes = vec![0; ty.bytes()];
                self.buffer(param, at)?.read(*start, &mut bytes);
                from_bytes(elem, &bytes)
            }
            Place::Elements(starts) => {
                let buffer = self.buffer(param, at)?;
                starts
                    .iter()
                    .map(|start| start.map_or(0, |start| read_element(buffer, elem, start)))
                    .collect()
            }
            Place::Texels(channels, places) => {
                let surface = self.surface(param, at)?;
                let texels: Vec<_> = places.iter().map(|place| read_texel(surface, *place)).collect();
                channels.channels().flat_map(|n| texels.iter().map(move |texel| texel[n].into())).collect()
            }
        })
    }

    fn write(&mut self, param: usize, place: &Place, ty: Type, block: &[u64], at: At<'_>) -> Result<()> {
        let elem = at.elem(ty)?;
        match place {
            Place::Rows(x, y) => {
                let surface = self.surface(param, at)?;
                for (r, row) in block.chunks(ty.columns.max(1)).enumerate() {
                    surface.write_row(*x, y.saturating_add(r as i32), &to_bytes(elem, row));
                }
            }
            Place::Bytes(start) => self.buffer(param, at)?.write(*start, &to_bytes(elem, block)),
            Place::Elements(starts) => {
                let buffer = self.buffer(param, at)?;
                // In order: of equal element numbers the last one wins.
                for (start, bits) in starts.iter().zip(block) {
                    if let Some(start) = start {
                        write_element(buffer, elem, *start, *bits);
                    }
                }
            }
            Place::Texels(channels, places) => {
                let surface = self.surface(param, at)?;
                for (channel, row) in channels.channels().zip(block.chunks(ty.columns.max(1))) {
                    for (place, bits) in places.iter().zip(row) {
                        write_channel(surface, *place, channel, *bits as u32);
                    }
                }
            }
        }
        Ok(())
    }

    /// One element after the other: two of them may be the same element.
    fn update(
        &mut self,
        kind: AtomicKind,
        param: usize,
        place: &Place,
        ty: Type,
        sources: &[Vec<u64>],
        at: At<'_>,
    ) -> Result<Vec<u64>> {
        let (elem, block) =
            (at.elem(ty)?, || at.meaningless(format!("`{}` of a block", kind.name(AtomicHints::Default))));
        let new = |k: usize, old: u64| {
            let source = |n: usize| sources.get(n).and_then(|bits| bits.get(k)).copied().unwrap_or(0);
            changed(kind, elem, old, source(0), source(1))
        };
        let mut before = vec![];
        match place {
            Place::Elements(starts) => {
                let buffer = self.buffer(param, at)?;
                for (k, start) in starts.iter().enumerate() {
                    let start = start.ok_or_else(block)?;
                    let old = read_element(buffer, elem, start);
                    before.push(old);
                    write_element(buffer, elem, start, new(k, old));
                }
            }
            Place::Texels(channels, places) => {
                let surface = self.surface(param, at)?;
                let channel = channels.channels().next().ok_or_else(block)?;
                for (k, place) in places.iter().enumerate() {
                    let old = read_texel(surface, *place)[channel].into();
                    before.push(old);
                    write_channel(surface, *place, channel, new(k, old) as u32);
                }
            }
            Place::Rows(..) | Place::Bytes(_) => return Err(block()),
        }
        Ok(before)
    }
}

/// Whether all of an element is inside. If a part of it is not, it is outside.
fn is_inside(buffer: &dyn InterpretBuffer, elem: ElemType, start: u32) -> bool {
    start as usize + elem.bytes() <= buffer.size()
}

fn read_element(buffer: &dyn InterpretBuffer, elem: ElemType, start: u32) -> u64 {
    let mut bytes = [0; 8];
    if is_inside(buffer, elem, start) {
        buffer.read(start, &mut bytes[..elem.bytes()]);
    }
    u64::from_le_bytes(bytes)
}

fn write_element(buffer: &mut dyn InterpretBuffer, elem: ElemType, start: u32, bits: u64) {
    if is_inside(buffer, elem, start) {
        buffer.write(start, &to_bytes(elem, &[bits]));
    }
}

/// The byte column and the row of a texel, counted through all slices; `None` outside.
fn inside(texel: Texel, [width, height, depth]: [u32; 3], [u, v, r]: [u32; 3]) -> Option<(i32, i32)> {
    let column = u.checked_mul(texel.bytes() as u32)?;
    if u >= width || v >= height || r >= depth {
        return None;
    }
    let row = r.checked_mul(height)?.checked_add(v)?;
    Some((i32::try_from(column).ok()?, i32::try_from(row).ok()?))
}

/// The four channels of a texel; 0 outside.
fn read_texel(surface: &dyn InterpretSurface, place: [u32; 3]) -> [u32; 4] {
    let (texel, extent) = surface.texels();
    let Some((x, y)) = inside(texel, extent, place) else { return [0; 4] };
    let mut bytes = [0; 4];
    surface.read_row(x, y, &mut bytes[..texel.bytes()]);
    match texel {
        Texel::Byte | Texel::Word | Texel::Dword => [u32::from_le_bytes(bytes), 0, 0, 1],
        Texel::Float => [u32::from_le_bytes(bytes), 0, 0, 1.0_f32.to_bits()],
        Texel::Bytes => bytes.map(u32::from),
    }
}

/// Writes a channel of a texel: integers that it cannot hold become the largest that it can.
fn write_channel(surface: &mut dyn InterpretSurface, place: [u32; 3], channel: usize, dword: u32) {
    let (texel, extent) = surface.texels();
    let Some((x, y)) = inside(texel, extent, place) else { return };
    let byte = [u8::try_from(dword).unwrap_or(u8::MAX)];
    match (texel, channel) {
        (Texel::Byte, 0) => surface.write_row(x, y, &byte),
        (Texel::Word, 0) => {
            surface.write_row(x, y, &u16::try_from(dword).unwrap_or(u16::MAX).to_le_bytes());
        }
        (Texel::Dword | Texel::Float, 0) => surface.write_row(x, y, &dword.to_le_bytes()),
        (Texel::Bytes, _) => surface.write_row(x + channel as i32, y, &byte),
        // Channels that the texel lacks.
        (Texel::Byte | Texel::Word | Texel::Dword | Texel::Float, _) => {}
    }
}

/// The bytes that buffers can be addressed by.
const ADDRESSES: u64 = 1 << 32;

/// The first byte of each element of a 2-D block, `None` outside the picture: bytes of a row, rows, and bytes from row to
/// row. The elements are visited as they lie in memory: block by block, row by row.
fn block_2d(
    form: BlockForm,
    ty: Type,
    size: usize,
    [width, height, pitch]: [i64; 3],
    [x, y]: [i64; 2],
) -> Vec<Option<u32>> {
    let mut starts = vec![None; ty.count()];
    // In VNNI form a dword of registers holds elements that lie below each other in memory.
    let packed = if form.is_packed() { (4 / size).max(1) } else { 1 };
    let registers = ty.rows / form.blocks();
    let [rows, columns] =
        if form.is_transposed() { [ty.columns, ty.rows] } else { [registers * packed, ty.columns / packed] };
    for (block, row, column) in (0..form.blocks())
        .flat_map(|block| (0..rows).map(move |row| (block, row)))
        .flat_map(|(block, row)| (0..columns).map(move |column| (block, row, column)))
    {
        let place = if form.is_transposed() {
            column * ty.columns + row
        } else {
            (block * registers + row / packed) * ty.columns + column * packed + row % packed
        };
        // Blocks begin at whole dwords.
        let byte = (x * size as i64).div_euclid(4) * 4 + ((block * columns + column) * size) as i64;
        let line = y + row as i64;
        if (0..height).contains(&line) && byte >= 0 && byte + size as i64 <= width {
            let start = line.checked_mul(pitch).and_then(|start| start.checked_add(byte));
            starts[place] = start.and_then(|start| u32::try_from(start).ok());
        }
    }
    starts
}

/// The new element of an atomic operation.
fn changed(kind: AtomicKind, elem: ElemType, old: u64, source: u64, compare: u64) -> u64 {
    use AtomicKind as K;
    let binary = |kind, b| element::map(kind, elem, [old, b, 0]);
    let less = |a, b| element::map(MapKind::Lt, elem, [a, b, 0]) == 1;
    let equal = |a, b| element::map(MapKind::Eq, elem, [a, b, 0]) == 1;
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
        K::CmpXchg if equal(old, compare) => source,
        K::CmpXchg => old,
    }
}
