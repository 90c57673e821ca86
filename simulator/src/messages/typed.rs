//! Typed surface messages: texels, converted by the surface's format.

use super::atomic;
use super::format::Format;
use super::message::Message;
use super::port::Port;
use super::surface::{is_buffer, place};
use crate::dispatch::{Surface, SurfaceKind};
use crate::isa::{Registers, Trouble};
use crate::memory::Span;

/// A message's texels.
struct Texels<'a> {
    surface: Surface<'a>,
    format: &'static Format,
    /// Channels that are on.
    mask: u32,
    /// Registers of coordinates.
    coordinates: usize,
}

impl<'a> Texels<'a> {
    /// `group` is 0 for the lower eight channels of the header's mask, 1 for the upper ones; `data` are the registers
    /// behind the coordinates.
    fn of(
        port: &mut Port<'a>,
        message: &Message<'_>,
        group: u32,
        data: usize,
    ) -> Result<Option<Self>, Trouble> {
        let surface = port.surface(message.fields.entry())?;
        let mut mask = message.mask & 0xff;
        if message.header.is_some() {
            mask &= message.header(7)? >> (group * 8) & 0xff;
        }
        let coordinates = message
            .registers()
            .checked_sub(data)
            .ok_or_else(|| message.bad("a payload that is too short"))?;
        if surface.kind == SurfaceKind::Null {
            return Ok(None);
        }
        let format = Format::of(surface.format)
            .ok_or_else(|| message.bad(format!("not supported: texels of format {:#x}", surface.format)))?;
        Ok(Some(Self { surface, format, mask, coordinates }))
    }

    /// A channel's texel. `None` outside of the surface.
    fn texel(&self, message: &Message<'_>, channel: usize) -> Result<Option<Span<'a>>, Trouble> {
        let coordinate = |n: usize| {
            if n < self.coordinates { message.dword(n, channel).map(u64::from) } else { Ok(0) }
        };
        let (u, mut v, mut r) = (coordinate(0)?, coordinate(1)?, coordinate(2)?);
        let surface = &self.surface;
        let bytes = self.format.bytes() as usize;
        let at = if is_buffer(surface) {
            if u >= u64::from(surface.width) {
                return Ok(None);
            }
            u * u64::from(surface.pitch)
        } else {
            if surface.kind == SurfaceKind::D1 {
                (v, r) = (0, v);
            }
            let outside = u >= u64::from(surface.width)
                || v >= u64::from(surface.height.max(1))
                || r >= u64::from(surface.depth.max(1));
            if outside {
                return Ok(None);
            }
            place(surface, u * bytes as u64, v + r * u64::from(surface.slice_rows))
        };
        let part = usize::try_from(at).ok().and_then(|at| surface.bytes.part(at, bytes));
        part.map(Some)
            .ok_or_else(|| message.bad(format!("texel ({u}, {v}, {r}) lies outside of the surface's memory")))
    }
}

/// The components that a message moves, and its group of channels.
fn components(message: &Message<'_>) -> Result<(impl Iterator<Item = usize> + Clone + use<>, u32), Trouble> {
    let group = match message.fields.bits(12, 2) {
        1 => 0,
        2 => 1,
        _ => return Err(message.bad("not supported: typed messages of mode SIMD4x2")),
    };
    let off = message.fields.bits(8, 4);
    Ok(((0..4).filter(move |component| off >> component & 1 == 0), group))
}

fn channels(mask: u32) -> impl Iterator<Item = usize> {
    (0..8).filter(move |channel| mask >> channel & 1 != 0)
}

/// Reads texels. Outside of the surface all components are 0.
pub(crate) fn read(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let (components, group) = components(message)?;
    let texels = Texels::of(port, message, group, 0)?;
    for channel in channels(texels.as_ref().map_or(message.mask & 0xff, |texels| texels.mask)) {
        let mut bytes = [0; 16];
        let mut inside = None;
        if let Some(texels) = &texels
            && let Some(span) = texels.texel(message, channel)?
        {
            _ = span.read(0, &mut bytes[..span.len()]);
            inside = Some(texels.format);
        }
        for (n, component) in components.clone().enumerate() {
            let value = inside.map_or(0, |format| format.load(&bytes, component));
            message.respond(registers, n, channel, value)?;
        }
    }
    Ok(())
}

/// Writes texels. What lies outside of the surface is dropped.
pub(crate) fn write(port: &mut Port<'_>, message: &Message<'_>, _: &mut Registers) -> Result<(), Trouble> {
    let (components, group) = components(message)?;
    let Some(texels) = Texels::of(port, message, group, components.clone().count())? else { return Ok(()) };
    for channel in channels(texels.mask) {
        let Some(span) = texels.texel(message, channel)? else { continue };
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..span.len()];
        // Components that the message does not have stay.
        _ = span.read(0, bytes);
        for (n, component) in components.clone().enumerate() {
            texels.format.store(bytes, component, message.dword(texels.coordinates + n, channel)?);
        }
        _ = span.write(0, bytes);
    }
    Ok(())
}

/// An atomic operation on texels of one dword. Outside of the surface nothing is changed and the result is 0.
pub(crate) fn atomic(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let operation = atomic::on_dwords(message, message.fields.bits(8, 4))?;
    let responds = message.fields.bits(13, 1) != 0;
    let Some(texels) = Texels::of(port, message, message.fields.bits(12, 1), operation.sources)? else {
        return Ok(());
    };
    if !texels.format.is_integer() || texels.format.bytes() != 4 {
        return Err(message.bad("an atomic operation on texels that are no integers of 32 bits"));
    }
    for channel in channels(texels.mask) {
        let source = |n: usize| {
            if n < operation.sources { message.dword(texels.coordinates + n, channel) } else { Ok(0) }
        };
        let (a, b) = (source(0)?, source(1)?);
        let mut result = 0;
        if let Some(texel) = texels.texel(message, channel)? {
            let old = texel.change_dword(0, |old| (operation.apply)(old, a, b));
            let old = old.ok_or_else(|| message.bad("a texel that is not aligned in memory"))?;
            result = if operation.gives_new { (operation.apply)(old, a, b) } else { old };
        }
        if responds {
            message.respond(registers, 0, channel, result)?;
        }
    }
    Ok(())
}
