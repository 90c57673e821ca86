//! Loads and stores of one to 64 elements at the address of each channel, or at one address.

use super::access::{Access, data_at, respond};
use super::unit::{Kind, Unit};
use crate::dispatch::Prefetch;
use crate::isa::{Registers, Trouble};
use crate::messages::message::Message;
use crate::messages::port::Port;

/// The elements that a channel moves, relative to its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    /// This many elements, each in separate registers.
    Each(usize),
    /// Those of four elements whose bits are set.
    Mask(u32),
    /// This many elements of one channel, contiguous in registers.
    Block(usize),
}

impl Elements {
    fn of(message: &Message<'_>, operation: u32) -> Result<Self, Trouble> {
        if matches!(operation, 0x02 | 0x06 | 0x20) {
            return mask(message).map(Self::Mask);
        }
        let count = [1, 2, 3, 4, 8, 16, 32, 64][message.fields.bits(12, 3) as usize];
        if message.fields.bits(15, 1) == 0 {
            if count > 4 {
                return Err(message.bad(format!("{count} elements of each channel, which are at most 4")));
            }
            return Ok(Self::Each(count));
        }
        if message.width != 1 {
            return Err(message.bad("a block of more than one channel"));
        }
        Ok(Self::Block(count))
    }

    /// The elements of a channel: the position of each in registers, and its index in memory.
    fn places(self) -> impl Iterator<Item = (usize, usize)> {
        let (count, mask) = match self {
            Self::Each(count) | Self::Block(count) => (count, u64::MAX),
            Self::Mask(mask) => (4, mask.into()),
        };
        (0..count).filter(move |element| mask >> element & 1 != 0).enumerate()
    }
}

/// The component mask of a message.
pub(super) fn mask(message: &Message<'_>) -> Result<u32, Trouble> {
    match message.fields.bits(12, 4) {
        0 => Err(message.bad("a message without components")),
        mask => Ok(mask),
    }
}

/// The channels of a message, each with the address of its first element.
struct Vector<'a> {
    access: Access<'a>,
    elements: Elements,
    channels: Vec<(usize, u64)>,
}

impl<'a> Vector<'a> {
    fn of(unit: Unit, port: &mut Port<'a>, message: &Message<'_>, kind: Kind) -> Result<Self, Trouble> {
        let operation = message.fields.bits(0, 6);
        let access = Access::of(unit, port, message, kind)?;
        let elements = Elements::of(message, operation)?;
        let data = access.data;
        let sizes: &[usize] = if matches!(elements, Elements::Block(_)) { &[4, 8] } else { &[1, 2, 4, 8] };
        // Bytes and words of channels are in dwords.
        if !sizes.contains(&data.memory) || data.register < 4 {
            return Err(message.bad("not supported: data of this size"));
        }
        let count = if matches!(elements, Elements::Block(_)) { 1 } else { usize::from(message.width) };
        let mut channels = vec![];
        for channel in message.channels(count) {
            let address = if matches!(operation, 0x01 | 0x05) {
                let (base, pitch) = access.strided(message)?;
                base.wrapping_add_signed(pitch * channel as i64)
            } else {
                access.address(message, channel)?
            };
            channels.push((channel, address));
        }
        Ok(Self { access, elements, channels })
    }

    /// Reports the bytes of a prefetch.
    fn prefetch(&self, port: &Port<'_>, message: &Message<'_>) {
        let (size, surface) = (self.access.data.memory, super::access::entry(message).ok());
        for &(_, first) in &self.channels {
            let report = |address, bytes| port.around.prefetched(Prefetch { surface, address, bytes });
            match self.elements {
                Elements::Block(count) => report(first, count * size),
                elements => {
                    elements.places().for_each(|(_, number)| report(self.address(first, number), size));
                }
            }
        }
    }

    /// The position of an element in registers.
    fn at(&self, place: usize, channel: usize) -> usize {
        let size = self.access.data.register;
        match self.elements {
            Elements::Block(_) => place * size,
            _ => self.access.lanes.at(place, size, channel),
        }
    }

    /// The address of an element in memory.
    fn address(&self, first: u64, number: usize) -> u64 {
        first.wrapping_add((number * self.access.data.memory) as u64)
    }
}

/// Loads elements. Without a destination, it is a prefetch.
pub(super) fn load(
    unit: Unit,
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let vector = Vector::of(unit, port, message, Kind::Load)?;
    if message.fields.response() == 0 {
        vector.prefetch(port, message);
        return Ok(());
    }
    for &(channel, first) in &vector.channels {
        for (place, number) in vector.elements.places() {
            let span = vector.access.element(port, message, vector.address(first, number))?;
            respond(message, registers, vector.at(place, channel), vector.access.data, span)?;
        }
    }
    Ok(())
}

/// Stores elements.
pub(super) fn store(unit: Unit, port: &mut Port<'_>, message: &Message<'_>) -> Result<(), Trouble> {
    let vector = Vector::of(unit, port, message, Kind::Store)?;
    let data = vector.access.data;
    for &(channel, first) in &vector.channels {
        for (place, number) in vector.elements.places() {
            let bytes = message.bytes(data_at(message) + vector.at(place, channel), data.register)?;
            if let Some(span) = vector.access.element(port, message, vector.address(first, number))? {
                _ = span.write(0, &bytes[data.range()]);
            }
        }
    }
    Ok(())
}

/// A bit for each channel whose elements are all in accessible memory. Here, accesses to other memory are
/// faults.
pub(super) fn status(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let vector = Vector::of(Unit::Untyped, port, message, Kind::Load)?;
    if matches!(vector.elements, Elements::Block(_)) || message.fields.bits(29, 2) != 0 {
        return Err(message.bad("not supported: the status of blocks and of surfaces"));
    }
    let mut all = 0_u32;
    for &(channel, first) in &vector.channels {
        for (_, number) in vector.elements.places() {
            vector.access.element(port, message, vector.address(first, number))?;
        }
        all |= 1 << channel;
    }
    message.response(registers, 0, 4)?.copy_from_slice(&all.to_le_bytes());
    Ok(())
}
