//! The fields that most messages share: addresses, data sizes, and their layout in registers.

use super::caching;
use super::unit::{Kind, Unit};
use crate::generation::Generation;
use crate::isa::{Registers, Trouble};
use crate::memory::Span;
use crate::messages::address::Base;
use crate::messages::message::Message;
use crate::messages::port::{Named, Port};
use crate::messages::surface::{SHARED, STATELESS};

/// An element of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    /// Bytes in memory, and in a register.
    pub(super) memory: usize,
    pub(super) register: usize,
    /// The first byte in the register that is in memory.
    pub(super) first: usize,
}

impl Data {
    /// The size in a descriptor.
    pub(super) fn of(message: &Message<'_>) -> Result<Self, Trouble> {
        let (memory, register, first) = match message.fields.bits(9, 3) {
            0 => (1, 1, 0),
            1 => (2, 2, 0),
            2 => (4, 4, 0),
            3 => (8, 8, 0),
            4 => (1, 4, 0),
            5 => (2, 4, 0),
            6 => (2, 4, 2),
            size => return Err(message.bad(format!("not supported: data of size {size}"))),
        };
        Ok(Self { memory, register, first })
    }

    /// The bytes of the element in a register that are in memory.
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.first..self.first + self.memory
    }
}

/// The meaning of an address type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addressed {
    Flat,
    Bindless,
    SurfaceState,
    Entry,
}

impl Addressed {
    fn of(message: &Message<'_>) -> Self {
        match message.fields.bits(29, 2) {
            0 => Self::Flat,
            1 => Self::Bindless,
            2 => Self::SurfaceState,
            _ => Self::Entry,
        }
    }
}

/// The binding table entry of a message.
pub(super) fn entry(message: &Message<'_>) -> Result<u32, Trouble> {
    match Addressed::of(message) {
        Addressed::Entry => {
            unused(message, 0x00ff_ffff & !if takes_offset(message) { 0xfff << 12 } else { 0 })?;
            Ok(message.fields.extended >> 24)
        }
        Addressed::Flat => Err(message.bad("a message for surfaces without a surface")),
        Addressed::Bindless | Addressed::SurfaceState => {
            Err(message.bad("not supported: surfaces by the offset of their state"))
        }
    }
}

/// Whether the extended descriptor may contain an offset.
fn takes_offset(message: &Message<'_>) -> bool {
    message.generation >= Generation::Xe2 && message.fields.function != 13
}

/// Checks that bits of the extended descriptor are 0.
fn unused(message: &Message<'_>, bits: u32) -> Result<(), Trouble> {
    if message.fields.extended & bits == 0 {
        return Ok(());
    }
    Err(message.bad("not supported: these bits of the extended descriptor"))
}

/// The lowest bits of a number, sign-extended.
fn signed(value: u32, bits: u32) -> i64 {
    i64::from((value << (32 - bits)).cast_signed() >> (32 - bits))
}

/// The offsets of a 2-D block in the extended descriptor, in elements and rows.
pub(super) fn block_offsets(message: &Message<'_>) -> Result<(i64, i64), Trouble> {
    if Addressed::of(message) != Addressed::Flat {
        return Err(message.bad("a 2-D block of memory that names a surface"));
    }
    let extended = message.fields.extended;
    if message.generation < Generation::Xe2 {
        unused(message, u32::MAX)?;
    }
    unused(message, 0xfff)?;
    Ok((signed(extended >> 12, 10), signed(extended >> 22, 10)))
}

/// The layout of the numbers of channels in payloads and responses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// The number of channels that a payload has space for.
    channels: usize,
    /// Bytes of a register.
    register: usize,
}

impl Lanes {
    pub(super) fn of(message: &Message<'_>) -> Self {
        // Payloads have space for at least half of the channels of the unit, even if the instruction has
        // fewer.
        let least = if message.generation <= Generation::XeHpg { 8 } else { 16 };
        Self {
            channels: usize::from(message.width).max(least),
            register: message.generation.register_bytes(),
        }
    }

    /// The bytes of a number of this size for all channels: whole registers.
    pub(super) fn bytes(self, size: usize) -> usize {
        (self.channels * size).next_multiple_of(self.register)
    }

    /// The position of the n-th number of a channel.
    pub(super) fn at(self, n: usize, size: usize, channel: usize) -> usize {
        n * self.bytes(size) + channel * size
    }
}

/// A little-endian number of up to eight bytes.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// The start of the second payload of a message.
pub(super) fn data_at(message: &Message<'_>) -> usize {
    message.fields.length() * message.generation.register_bytes()
}

/// A message with addresses.
pub(super) struct Access<'a> {
    base: Base<'a>,
    /// Bytes of an address.
    address: usize,
    /// The offset that is added to each address.
    offset: i64,
    pub(super) data: Data,
    pub(super) lanes: Lanes,
}

impl<'a> Access<'a> {
    pub(super) fn of(
        unit: Unit,
        port: &mut Port<'a>,
        message: &Message<'_>,
        kind: Kind,
    ) -> Result<Self, Trouble> {
        caching::check(message, unit, kind)?;
        let address = match message.fields.bits(7, 2) {
            1 => 2,
            2 => 4,
            3 => 8,
            _ => return Err(message.bad("a message without a size of addresses")),
        };
        let extended = message.fields.extended;
        let (base, offset) = match (unit, Addressed::of(message)) {
            (_, Addressed::Flat) => {
                unused(message, if takes_offset(message) { 0xfff } else { u32::MAX })?;
                let base = match (unit, address) {
                    (Unit::Shared, 2 | 4) => {
                        let shared = port.shared;
                        let shared =
                            shared.ok_or_else(|| message.bad("a group without shared local memory"))?;
                        Base::Bound(shared.span())
                    }
                    (Unit::Untyped, 8) => Base::Absolute,
                    _ => return Err(message.bad("not supported: flat addresses of this size")),
                };
                (base, signed(extended >> 12, 20))
            }
            // A register contains the offset, a multiple of the size of a state.
            (Unit::Untyped, Addressed::Bindless | Addressed::SurfaceState)
                if message.generation >= Generation::Xe2 =>
            {
                unused(message, 0x3f)?;
                (Base::named(port, message, Named::State(extended))?, message.fields.address_offset.into())
            }
            (Unit::Untyped, _) => {
                let entry = entry(message)?;
                let base = match entry {
                    SHARED => return Err(message.bad("not supported: entry 254 of the binding table")),
                    _ if STATELESS.contains(&entry) => Base::Stateless(port.around.general_state_base()),
                    _ => Base::entry(port, message, entry)?,
                };
                (base, signed(extended >> 12, 12))
            }
            _ => return Err(message.bad("a surface in a message for shared local memory")),
        };
        Ok(Self { base, address, offset, data: Data::of(message)?, lanes: Lanes::of(message) })
    }

    /// The address of a channel.
    pub(super) fn address(&self, message: &Message<'_>, channel: usize) -> Result<u64, Trouble> {
        let at = self.lanes.at(0, self.address, channel);
        Ok(self.plus_offset(number(message.bytes(at, self.address)?)))
    }

    /// The address of a message whose channels are at equal distances, and the distance.
    pub(super) fn strided(&self, message: &Message<'_>) -> Result<(u64, i64), Trouble> {
        let (base, pitch) = (number(message.bytes(0, self.address)?), number(message.bytes(8, 4)?));
        Ok((self.plus_offset(base), signed(pitch as u32, 32)))
    }

    fn plus_offset(&self, address: u64) -> u64 {
        let sum = address.wrapping_add_signed(self.offset);
        if self.address == 8 { sum } else { sum & 0xffff_ffff }
    }

    /// The bytes of an element at an address; `None` if reads give 0 and writes are dropped.
    pub(super) fn element(
        &self,
        port: &mut Port<'a>,
        message: &Message<'_>,
        address: u64,
    ) -> Result<Option<Span<'a>>, Trouble> {
        if !address.is_multiple_of(self.data.memory as u64) {
            let size = self.data.memory;
            return Err(message.bad(format!("address {address:#x} is not aligned to {size} bytes")));
        }
        self.base.at(port, address, self.data.memory)
    }
}

/// Reads an element into the bytes of a response.
pub(super) fn respond(
    message: &Message<'_>,
    registers: &mut Registers,
    at: usize,
    data: Data,
    span: Option<Span<'_>>,
) -> Result<(), Trouble> {
    let out = message.response(registers, at, data.register)?;
    out.fill(0);
    if let Some(span) = span {
        _ = span.read(0, &mut out[data.range()]);
    }
    Ok(())
}
