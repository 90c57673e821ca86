//! Texels at coordinates, and rectangles of the bytes of a surface.

use super::access::{Data, Lanes, data_at, entry, number};
use super::atomic::Atomic;
use super::caching;
use super::unit::{Kind, Unit};
use super::vector::mask;
use crate::generation::Generation;
use crate::isa::{Registers, Trouble};
use crate::messages::media::Rectangle;
use crate::messages::message::Message;
use crate::messages::port::Port;
use crate::messages::typed::{Texel, Texels};

/// The surface of a message, and the positions of coordinates and data.
struct Typed<'a> {
    texels: Option<Texels<'a>>,
    lanes: Lanes,
    /// The number of coordinates.
    coordinates: usize,
}

/// Bytes of a coordinate and of a component.
const DWORD: usize = 4;

impl<'a> Typed<'a> {
    fn of(port: &mut Port<'a>, message: &Message<'_>, kind: Kind) -> Result<Self, Trouble> {
        caching::check(message, Unit::Typed, kind)?;
        if message.fields.bits(7, 2) != 2 || Data::of(message)?.range() != (0..DWORD) {
            return Err(message.bad("not supported: typed messages whose numbers are no dwords"));
        }
        let most = if message.generation <= Generation::XeHpg { 8 } else { 16 };
        if message.width > most {
            return Err(message.bad(format!("a typed message of more than {most} channels")));
        }
        let lanes = Lanes::of(message);
        let coordinates = data_at(message) / lanes.bytes(DWORD);
        if coordinates == 0 || coordinates > 3 {
            return Err(message.bad(format!("not supported: texels at {coordinates} coordinates")));
        }
        let texels = Texels::of_surface(port.surface(entry(message)?)?, message)?;
        Ok(Self { texels, lanes, coordinates })
    }

    /// The texel of a channel; `None` outside of the surface.
    fn texel(&self, message: &Message<'_>, channel: usize) -> Result<Option<Texel<'a>>, Trouble> {
        let Some(texels) = &self.texels else { return Ok(None) };
        let mut coordinates = [0; 3];
        for (n, coordinate) in coordinates[..self.coordinates].iter_mut().enumerate() {
            *coordinate = number(message.bytes(self.lanes.at(n, DWORD, channel), DWORD)?);
        }
        texels.at(message, coordinates)
    }

    /// A dword of the second payload.
    fn data(&self, message: &Message<'_>, n: usize, channel: usize) -> Result<u32, Trouble> {
        let at = data_at(message) + self.lanes.at(n, DWORD, channel);
        Ok(number(message.bytes(at, DWORD)?) as u32)
    }

    fn respond(
        &self,
        message: &Message<'_>,
        registers: &mut Registers,
        (n, channel): (usize, usize),
        value: u32,
    ) -> Result<(), Trouble> {
        let out = message.response(registers, self.lanes.at(n, DWORD, channel), DWORD)?;
        out.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }
}

/// The components of a mask.
fn components(message: &Message<'_>) -> Result<impl Iterator<Item = usize> + Clone, Trouble> {
    let mask = mask(message)?;
    Ok((0..4).filter(move |component| mask >> component & 1 != 0))
}

/// Loads components of texels; 0 outside of the surface.
pub(super) fn load(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let typed = Typed::of(port, message, Kind::Load)?;
    let components = components(message)?;
    if message.fields.response() == 0 {
        return Ok(());
    }
    for channel in message.channels(message.width.into()) {
        let texel = typed.texel(message, channel)?;
        for (n, component) in components.clone().enumerate() {
            let value = texel.as_ref().map_or(0, |texel| texel.load(component));
            typed.respond(message, registers, (n, channel), value)?;
        }
    }
    Ok(())
}

/// Stores components of texels. Out-of-bounds writes are dropped.
pub(super) fn store(port: &mut Port<'_>, message: &Message<'_>) -> Result<(), Trouble> {
    let typed = Typed::of(port, message, Kind::Store)?;
    let components = components(message)?;
    for channel in message.channels(message.width.into()) {
        let Some(texel) = typed.texel(message, channel)? else { continue };
        let mut values = [None; 4];
        for (n, component) in components.clone().enumerate() {
            values[component] = Some(typed.data(message, n, channel)?);
        }
        texel.store(values);
    }
    Ok(())
}

/// An atomic operation on texels of one dword. Outside of the surface, nothing is changed and the result is
/// 0.
pub(super) fn atomic(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let atomic = Atomic::of(message)?;
    let typed = Typed::of(port, message, Kind::Atomic)?;
    for channel in message.channels(message.width.into()) {
        let source = |n: usize| {
            if n < atomic.sources { typed.data(message, n, channel).map(u64::from) } else { Ok(0) }
        };
        let (a, b) = (source(0)?, source(1)?);
        let old = match typed.texel(message, channel)? {
            Some(texel) => atomic.change(message, texel.dword(message)?, a, b)? as u32,
            None => 0,
        };
        if message.fields.response() != 0 {
            typed.respond(message, registers, (0, channel), old)?;
        }
    }
    Ok(())
}

/// The rectangle of a block message, which has one channel.
fn rectangle(message: &Message<'_>, kind: Kind) -> Result<Rectangle, Trouble> {
    caching::check(message, Unit::Typed, kind)?;
    if message.generation < Generation::Xe2 {
        return Err(message.bad("2-D blocks of surfaces, which this generation does not have"));
    }
    if message.width != 1 {
        return Err(message.bad("a 2-D block of more than one channel"));
    }
    let dword = |at: usize| Ok(number(message.bytes(at * DWORD, DWORD)?) as u32);
    let (x, y, size) = (dword(5)?, dword(6)?, dword(7)?);
    let (width, height) = ((size & 0xff) as usize + 1, (size >> 8 & 0xff) as usize + 1);
    let block = Rectangle::at(i64::from(x.cast_signed()), i64::from(y.cast_signed()), width, height);
    if width > 64 || block.pitch() * height > 256 {
        return Err(message.bad(format!("a 2-D block of {width} bytes by {height} rows")));
    }
    Ok(block)
}

/// Loads a rectangle of the bytes of a surface. Beyond an edge, it repeats the texels at the edge, as media
/// blocks do; Intel's compiler uses these messages for media blocks.
pub(super) fn load_block(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let block = rectangle(message, Kind::Load)?;
    if message.fields.response() == 0 || message.mask & 1 == 0 {
        return Ok(());
    }
    let surface = port.surface(entry(message)?)?;
    block.read(message, &surface, registers)
}

/// Stores a rectangle of the bytes of a surface. Out-of-bounds writes are dropped.
pub(super) fn store_block(port: &mut Port<'_>, message: &Message<'_>) -> Result<(), Trouble> {
    let block = rectangle(message, Kind::Store)?;
    if message.mask & 1 == 0 {
        return Ok(());
    }
    let surface = port.surface(entry(message)?)?;
    block.write(message, &surface, data_at(message))
}
