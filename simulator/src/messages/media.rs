//! Media blocks: rectangles of the bytes of a surface.

use super::message::Message;
use super::port::Port;
use super::surface::{is_buffer, place};
use crate::dispatch::{Surface, SurfaceKind, Tiling};
use crate::isa::{Registers, Trouble};

/// A block, in bytes and rows.
pub(crate) struct Rectangle {
    x: i64,
    y: i64,
    width: usize,
    height: usize,
    /// Bytes from one row of the block to the next, in registers.
    pitch: usize,
}

impl Rectangle {
    fn of(message: &Message<'_>) -> Result<Self, Trouble> {
        if message.fields.bits(8, 3) != 0 {
            return Err(message.bad("not supported: a media block that overrides the stride of lines"));
        }
        let size = message.header(2)?;
        if size & 0xffc0_ffc0 != 0 {
            return Err(message.bad("not supported: the mode of the media block's header"));
        }
        let (width, height) = ((size & 0x3f) as usize + 1, (size >> 16 & 0x3f) as usize + 1);
        let (x, y) = (message.header(0)?.cast_signed(), message.header(1)?.cast_signed());
        Ok(Self::at(x.into(), y.into(), width, height))
    }

    pub(crate) fn at(x: i64, y: i64, width: usize, height: usize) -> Self {
        Self { x, y, width, height, pitch: width.next_power_of_two().max(4) }
    }

    /// Bytes from one row of the block to the next, in registers.
    pub(crate) fn pitch(&self) -> usize {
        self.pitch
    }

    /// Bytes in registers.
    fn bytes(&self) -> usize {
        self.pitch * (self.height - 1) + self.width
    }
}

/// Bytes of a row of a surface.
fn row(surface: &Surface<'_>) -> i64 {
    // The driver gives dwords of a row; without a driver, the texels are those of the surface.
    let unit = if surface.state == [0; 16] { surface.texel.max(1) } else { 4 };
    i64::from(surface.width) * i64::from(unit)
}

#[cold]
fn outside(message: &Message<'_>, x: i64, y: i64) -> Trouble {
    message.bad(format!("byte {x} of row {y} lies outside of the surface's memory"))
}

/// Reads a media block.
pub(crate) fn read(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let surface = port.surface(message.fields.entry())?;
    Rectangle::of(message)?.read(message, &surface, registers)
}

/// Writes a media block.
pub(crate) fn write(port: &mut Port<'_>, message: &Message<'_>, _: &mut Registers) -> Result<(), Trouble> {
    let surface = port.surface(message.fields.entry())?;
    Rectangle::of(message)?.write(message, &surface, 0)
}

impl Rectangle {
    /// Reads the rectangle. Outside of the surface, the elements at its edge are repeated.
    pub(crate) fn read(
        &self,
        message: &Message<'_>,
        surface: &Surface<'_>,
        registers: &mut Registers,
    ) -> Result<(), Trouble> {
        self.check(message, surface)?;
        if surface.kind == SurfaceKind::Null {
            message.response(registers, 0, self.bytes())?.fill(0);
            return Ok(());
        }
        let (bytes, rows, texel) = (row(surface), i64::from(surface.height), i64::from(surface.texel.max(1)));
        let out = message.response(registers, 0, self.bytes())?;
        let inside = self.x >= 0 && self.x + self.width as i64 <= bytes;
        for (n, out) in out.chunks_mut(self.pitch).enumerate() {
            let y = (self.y + n as i64).min(rows - 1).max(0);
            let width = out.len().min(self.width);
            let out = &mut out[..width];
            if inside && surface.tiling == Tiling::Linear {
                if !surface.bytes.read(place(surface, self.x as u64, y as u64) as usize, out) {
                    return Err(outside(message, self.x, y));
                }
                continue;
            }
            for (x, out) in (self.x..).zip(out) {
                let x = if x < 0 {
                    x.rem_euclid(texel)
                } else if x >= bytes {
                    (bytes - texel + (x - bytes) % texel).max(0)
                } else {
                    x
                };
                let byte = surface.bytes.get::<1>(place(surface, x as u64, y as u64) as usize);
                [*out] = byte.ok_or_else(|| outside(message, x, y))?;
            }
        }
        Ok(())
    }

    /// Writes the rectangle from a byte of the payload on. Out-of-bounds writes are dropped.
    pub(crate) fn write(
        &self,
        message: &Message<'_>,
        surface: &Surface<'_>,
        from: usize,
    ) -> Result<(), Trouble> {
        self.check(message, surface)?;
        let from = message.bytes(from, self.bytes())?;
        if surface.kind == SurfaceKind::Null {
            return Ok(());
        }
        let (bytes, rows) = (row(surface), i64::from(surface.height));
        for (y, from) in (self.y..).zip(from.chunks(self.pitch)) {
            if y < 0 || y >= rows {
                continue;
            }
            let from = &from[..from.len().min(self.width)];
            let first = (-self.x).clamp(0, from.len() as i64) as usize;
            let last = (bytes - self.x).clamp(first as i64, from.len() as i64) as usize;
            let start = self.x + first as i64;
            let from = &from[first..last];
            if from.is_empty() {
                continue;
            }
            if surface.tiling == Tiling::Linear {
                if !surface.bytes.write(place(surface, start as u64, y as u64) as usize, from) {
                    return Err(outside(message, start, y));
                }
                continue;
            }
            for (x, byte) in (start..).zip(from) {
                if !surface.bytes.write(place(surface, x as u64, y as u64) as usize, &[*byte]) {
                    return Err(outside(message, x, y));
                }
            }
        }
        Ok(())
    }

    fn check(&self, message: &Message<'_>, surface: &Surface<'_>) -> Result<(), Trouble> {
        if is_buffer(surface) { Err(message.bad("a block of texels in a buffer")) } else { Ok(()) }
    }
}
