//! Bytes, dwords and qwords at the address of each channel.

use super::address::Base;
use super::message::Message;
use super::port::Port;
use crate::isa::{Registers, Trouble};

/// The number of channels of a message, which a bit gives.
fn channels(message: &Message<'_>, bit: u32) -> usize {
    if message.fields.bits(bit, 1) != 0 { 16 } else { 8 }
}

/// The offset that is added to each address.
fn plus(message: &Message<'_>) -> Result<u32, Trouble> {
    if message.header.is_some() { message.header(2) } else { Ok(0) }
}

/// Bytes of an element, up to four.
fn element(message: &Message<'_>) -> Result<usize, Trouble> {
    match message.fields.bits(10, 2) {
        size @ 0..=2 => Ok(1 << size),
        _ => Err(message.bad("not supported: elements of eight bytes")),
    }
}

/// Reads one to four bytes for each channel.
pub(crate) fn read_bytes(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let (count, size, plus) = (channels(message, 8), element(message)?, plus(message)?);
    let base = Base::of(port, message)?;
    for channel in message.channels(count) {
        let address = u64::from(message.dword(0, channel)?.wrapping_add(plus));
        let mut value = [0; 4];
        for (at, byte) in (address..).zip(&mut value[..size]) {
            // Each byte may be in bounds or not.
            *byte = base.at(port, at, 1)?.and_then(|span| span.get::<1>(0)).map_or(0, |[byte]| byte);
        }
        message.respond(registers, 0, channel, u32::from_le_bytes(value))?;
    }
    Ok(())
}

/// Writes one to four bytes for each channel.
pub(crate) fn write_bytes(
    port: &mut Port<'_>,
    message: &Message<'_>,
    _: &mut Registers,
) -> Result<(), Trouble> {
    let (count, size, plus) = (channels(message, 8), element(message)?, plus(message)?);
    let base = Base::of(port, message)?;
    for channel in message.channels(count) {
        let address = u64::from(message.dword(0, channel)?.wrapping_add(plus));
        let value = message.dword(count / 8, channel)?.to_le_bytes();
        for (at, byte) in (address..).zip(&value[..size]) {
            if let Some(span) = base.at(port, at, 1)? {
                _ = span.write(0, &[*byte]);
            }
        }
    }
    Ok(())
}

/// Reads a dword for each channel; addresses are in dwords.
pub(crate) fn read_dwords(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let (count, plus) = (channels(message, 8), plus(message)?);
    let base = Base::of(port, message)?;
    for channel in message.channels(count) {
        let address = u64::from(message.dword(0, channel)?.wrapping_add(plus)) * 4;
        let value = base.at(port, address, 4)?.and_then(|span| span.get(0)).unwrap_or_default();
        message.respond(registers, 0, channel, u32::from_le_bytes(value))?;
    }
    Ok(())
}

/// Writes a dword for each channel; addresses are in dwords.
pub(crate) fn write_dwords(
    port: &mut Port<'_>,
    message: &Message<'_>,
    _: &mut Registers,
) -> Result<(), Trouble> {
    let (count, plus) = (channels(message, 8), plus(message)?);
    let base = Base::of(port, message)?;
    for channel in message.channels(count) {
        let address = u64::from(message.dword(0, channel)?.wrapping_add(plus)) * 4;
        let value = message.dword(count / 8, channel)?;
        if let Some(span) = base.at(port, address, 4)? {
            _ = span.write(0, &value.to_le_bytes());
        }
    }
    Ok(())
}

/// The elements of a message with 64-bit addresses: bytes of an element, and how many.
fn elements(message: &Message<'_>) -> Result<(usize, usize), Trouble> {
    let count = 1 << message.fields.bits(10, 2);
    match message.fields.bits(8, 2) {
        0 => Ok((element(message)?, 1)),
        1 => Ok((4, count)),
        2 => Ok((8, count)),
        _ => Err(message.bad("not supported: a status of pages")),
    }
}

/// Reads elements at a 64-bit address for each channel.
pub(crate) fn read_addresses(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let channels = channels(message, 12);
    let (size, count) = elements(message)?;
    for channel in message.channels(channels) {
        let address = message.qword(0, channel)?;
        for n in 0..count {
            let memory = port.memory(address.wrapping_add((size * n) as u64), size)?;
            let mut bytes = [0; 8];
            _ = memory.read(0, &mut bytes[..size]);
            let value = u64::from_le_bytes(bytes);
            if size == 8 {
                message.respond_qword(registers, n * (channels / 4), channel, value)?;
            } else {
                message.respond(registers, n * (channels / 8), channel, value as u32)?;
            }
        }
    }
    Ok(())
}

/// Writes elements at a 64-bit address for each channel.
pub(crate) fn write_addresses(
    port: &mut Port<'_>,
    message: &Message<'_>,
    _: &mut Registers,
) -> Result<(), Trouble> {
    let channels = channels(message, 12);
    let first = channels / 4;
    let (size, count) = elements(message)?;
    for channel in message.channels(channels) {
        let address = message.qword(0, channel)?;
        for n in 0..count {
            let value = if size == 8 {
                message.qword(first + n * (channels / 4), channel)?
            } else {
                message.dword(first + n * (channels / 8), channel)?.into()
            };
            let memory = port.memory(address.wrapping_add((size * n) as u64), size)?;
            _ = memory.write(0, &value.to_le_bytes()[..size]);
        }
    }
    Ok(())
}
