//! Typed surface messages: texels, converted by the format of the surface.

use super::atomic;
use super::format::Format;
use super::message::Message;
use super::port::Port;
use super::surface::{is_buffer, place_in_slice};
use crate::dispatch::{Surface, SurfaceKind};
use crate::isa::{Registers, Trouble};
use crate::memory::Span;

/// The texels of a surface.
pub(crate) struct Texels<'a> {
    surface: Surface<'a>,
    format: &'static Format,
}

/// A texel in memory.
pub(crate) struct Texel<'a> {
    span: Span<'a>,
    format: &'static Format,
}

impl<'a> Texels<'a> {
    /// `None` for a null surface.
    pub(crate) fn of_surface(surface: Surface<'a>, message: &Message<'_>) -> Result<Option<Self>, Trouble> {
        if surface.kind == SurfaceKind::Null {
            return Ok(None);
        }
        let format = Format::of(surface.format)
            .ok_or_else(|| message.bad(format!("not supported: texels of format {:#x}", surface.format)))?;
        Ok(Some(Self { surface, format }))
    }

    /// The texel at coordinates; `None` outside of the surface.
    pub(crate) fn at(
        &self,
        message: &Message<'_>,
        [u, mut v, mut r]: [u64; 3],
    ) -> Result<Option<Texel<'a>>, Trouble> {
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
            place_in_slice(surface, [u * bytes as u64, v, r])
        };
        let part = usize::try_from(at).ok().and_then(|at| surface.bytes.part(at, bytes));
        let format = self.format;
        part.map(|span| Some(Texel { span, format }))
            .ok_or_else(|| message.bad(format!("texel ({u}, {v}, {r}) lies outside of the surface's memory")))
    }
}

impl<'a> Texel<'a> {
    /// A component.
    pub(crate) fn load(&self, component: usize) -> u32 {
        let mut bytes = [0; 16];
        _ = self.span.read(0, &mut bytes[..self.span.len()]);
        self.format.load(&bytes, component)
    }

    /// Writes components; others keep their values.
    pub(crate) fn store(&self, values: [Option<u32>; 4]) {
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..self.span.len()];
        _ = self.span.read(0, bytes);
        for (component, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                self.format.store(bytes, component, value);
            }
        }
        _ = self.span.write(0, bytes);
    }

    /// The memory of a texel that is a 32-bit integer.
    pub(crate) fn dword(&self, message: &Message<'_>) -> Result<Span<'a>, Trouble> {
        if !self.format.is_integer() || self.format.bytes() != 4 {
            return Err(message.bad("an atomic operation on texels that are no integers of 32 bits"));
        }
        Ok(self.span)
    }
}

/// The texels of a message on Gen9.
struct Sent<'a> {
    texels: Option<Texels<'a>>,
    /// The enabled channels.
    mask: u32,
    /// Registers of coordinates.
    coordinates: usize,
}

impl<'a> Sent<'a> {
    /// `group` is 0 for the lower eight channels of the mask in the header, and 1 for the upper ones. `data`
    /// is the number of registers after the coordinates.
    fn of(port: &mut Port<'a>, message: &Message<'_>, group: u32, data: usize) -> Result<Self, Trouble> {
        let surface = port.surface(message.fields.entry())?;
        let mut mask = message.mask & 0xff;
        if message.header.is_some() {
            mask &= message.header(7)? >> (group * 8) & 0xff;
        }
        let coordinates = message
            .registers()
            .checked_sub(data)
            .ok_or_else(|| message.bad("a payload that is too short"))?;
        Ok(Self { texels: Texels::of_surface(surface, message)?, mask, coordinates })
    }

    /// The texel of a channel; `None` outside of the surface.
    fn texel(&self, message: &Message<'_>, channel: usize) -> Result<Option<Texel<'a>>, Trouble> {
        let Some(texels) = &self.texels else { return Ok(None) };
        let mut coordinates = [0; 3];
        for (n, coordinate) in coordinates.iter_mut().enumerate().take(self.coordinates) {
            *coordinate = message.dword(n, channel)?.into();
        }
        texels.at(message, coordinates)
    }

    /// The enabled channels.
    fn channels(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..8).filter(move |channel| mask >> channel & 1 != 0)
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

/// Reads texels. Outside of the surface, all components are 0.
pub(crate) fn read(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let (components, group) = components(message)?;
    let sent = Sent::of(port, message, group, 0)?;
    for channel in sent.channels() {
        let texel = sent.texel(message, channel)?;
        for (n, component) in components.clone().enumerate() {
            let value = texel.as_ref().map_or(0, |texel| texel.load(component));
            message.respond(registers, n, channel, value)?;
        }
    }
    Ok(())
}

/// Writes texels. Out-of-bounds writes are dropped.
pub(crate) fn write(port: &mut Port<'_>, message: &Message<'_>, _: &mut Registers) -> Result<(), Trouble> {
    let (components, group) = components(message)?;
    let sent = Sent::of(port, message, group, components.clone().count())?;
    for channel in sent.channels() {
        let Some(texel) = sent.texel(message, channel)? else { continue };
        let mut values = [None; 4];
        for (n, component) in components.clone().enumerate() {
            values[component] = Some(message.dword(sent.coordinates + n, channel)?);
        }
        texel.store(values);
    }
    Ok(())
}

/// An atomic operation on texels of one dword. Outside of the surface, nothing is changed and the result is
/// 0.
pub(crate) fn atomic(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let operation = atomic::on_dwords(message, message.fields.bits(8, 4))?;
    let responds = message.fields.bits(13, 1) != 0;
    let sent = Sent::of(port, message, message.fields.bits(12, 1), operation.sources)?;
    for channel in sent.channels() {
        let source = |n: usize| {
            if n < operation.sources { message.dword(sent.coordinates + n, channel) } else { Ok(0) }
        };
        let (a, b) = (source(0)?, source(1)?);
        let mut result = 0;
        if let Some(texel) = sent.texel(message, channel)? {
            let old = texel.dword(message)?.change_dword(0, |old| (operation.apply)(old, a, b));
            let old = old.ok_or_else(|| message.bad("a texel that is not aligned in memory"))?;
            result = if operation.gives_new { (operation.apply)(old, a, b) } else { old };
        }
        if responds {
            message.respond(registers, 0, channel, result)?;
        }
    }
    Ok(())
}
