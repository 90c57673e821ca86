//! Untyped surface messages: up to four dwords at the address of each channel.

use super::address::Base;
use super::message::Message;
use super::port::Port;
use crate::isa::{Registers, Trouble};

/// The number of channels, and which of the four dwords are moved.
fn shape(message: &Message<'_>) -> Result<(usize, impl Iterator<Item = u64> + Clone + use<>), Trouble> {
    let channels = match message.fields.bits(12, 2) {
        1 => 16,
        2 => 8,
        _ => return Err(message.bad("not supported: untyped messages of mode SIMD4x2")),
    };
    let off = message.fields.bits(8, 4);
    Ok((channels, (0..4).filter(move |dword| off >> dword & 1 == 0)))
}

fn address(message: &Message<'_>, channel: usize, absolute: bool) -> Result<u64, Trouble> {
    if absolute { message.qword(0, channel) } else { message.dword(0, channel).map(u64::from) }
}

/// Reads the dwords.
pub(crate) fn read(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
    absolute: bool,
) -> Result<(), Trouble> {
    let (channels, dwords) = shape(message)?;
    let base = if absolute { Base::Absolute } else { Base::of(port, message)? };
    for channel in message.channels(channels) {
        let address = address(message, channel, absolute)?;
        for (n, dword) in dwords.clone().enumerate() {
            let at = address.wrapping_add(dword * 4) & !3;
            let value = base.at(port, at, 4)?.and_then(|span| span.get(0)).unwrap_or_default();
            message.respond(registers, n * (channels / 8), channel, u32::from_le_bytes(value))?;
        }
    }
    Ok(())
}

/// Writes the dwords.
pub(crate) fn write(port: &mut Port<'_>, message: &Message<'_>, absolute: bool) -> Result<(), Trouble> {
    let (channels, dwords) = shape(message)?;
    let base = if absolute { Base::Absolute } else { Base::of(port, message)? };
    let first = channels / if absolute { 4 } else { 8 };
    for channel in message.channels(channels) {
        let address = address(message, channel, absolute)?;
        for (n, dword) in dwords.clone().enumerate() {
            let value = message.dword(first + n * (channels / 8), channel)?;
            let at = address.wrapping_add(dword * 4) & !3;
            if let Some(span) = base.at(port, at, 4)? {
                _ = span.write(0, &value.to_le_bytes());
            }
        }
    }
    Ok(())
}
