//! Oword and register blocks.

use super::address::Base;
use super::message::Message;
use super::port::{Named, Port};
use crate::dispatch::scratch_state;
use crate::generation::Generation;
use crate::isa::{Registers, Trouble};

/// The number of owords of a block, and whether they are the upper half of a register.
fn owords(message: &Message<'_>) -> Result<(usize, bool), Trouble> {
    match message.fields.bits(8, 3) {
        0 => Ok((1, false)),
        1 => Ok((1, true)),
        2 => Ok((2, false)),
        3 => Ok((4, false)),
        4 => Ok((8, false)),
        // Intel's compiler generates blocks of 256 bytes.
        5 => Ok((16, false)),
        size => Err(message.bad(format!("not supported: blocks of size {size}"))),
    }
}

/// Reads a block whose offset is in units of this many bytes.
pub(crate) fn read(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
    unit: u64,
) -> Result<(), Trouble> {
    let (count, high) = owords(message)?;
    let offset = u64::from(message.header(2)?) * unit;
    let base = Base::of(port, message)?;
    for at in (0..count * 16).step_by(4) {
        let out = message.response(registers, at + if high { 16 } else { 0 }, 4)?;
        match base.at(port, offset + at as u64, 4)? {
            Some(span) => _ = span.read(0, out),
            None => out.fill(0),
        }
    }
    Ok(())
}

/// Writes a block.
pub(crate) fn write(port: &mut Port<'_>, message: &Message<'_>, _: &mut Registers) -> Result<(), Trouble> {
    let (count, high) = owords(message)?;
    let offset = u64::from(message.header(2)?) * 16;
    let base = Base::of(port, message)?;
    for at in (0..count * 16).step_by(4) {
        let bytes = message.bytes(at + if high { 16 } else { 0 }, 4)?;
        if let Some(span) = base.at(port, offset + at as u64, 4)? {
            _ = span.write(0, bytes);
        }
    }
    Ok(())
}

/// The address of a block, its length, and the offset of its first byte in its first register.
fn addressed(message: &Message<'_>) -> Result<(u64, usize, usize), Trouble> {
    let address = u64::from(message.header(0)?) | u64::from(message.header(1)?) << 32;
    let ((bytes, high), mask) = match message.fields.bits(11, 2) {
        0 => (owords(message).map(|(count, high)| (count * 16, high))?, 3),
        1 => (owords(message).map(|(count, high)| (count * 16, high))?, 15),
        3 => ((32 << message.fields.bits(8, 3), false), 3),
        _ => return Err(message.bad("not supported: two blocks at once")),
    };
    Ok((address & !mask, bytes, if high { 16 } else { 0 }))
}

/// Reads a block at a 64-bit address.
pub(crate) fn read_address(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let (address, bytes, first) = addressed(message)?;
    let out = message.response(registers, first, bytes)?;
    _ = port.memory(address, bytes)?.read(0, out);
    Ok(())
}

/// Writes a block at a 64-bit address.
pub(crate) fn write_address(
    port: &mut Port<'_>,
    message: &Message<'_>,
    _: &mut Registers,
) -> Result<(), Trouble> {
    let (address, bytes, first) = addressed(message)?;
    let from = message.bytes(first, bytes)?;
    _ = port.memory(address, bytes)?.write(0, from);
    Ok(())
}

/// Reads or writes registers in scratch space.
pub(crate) fn scratch(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let fields = message.fields;
    let count = 1 << fields.bits(12, 2);
    let (space, offset) = (message.header(5)? & !0x3ff, 32 * u64::from(fields.bits(0, 12)));
    let memory = if message.generation >= Generation::XeHpg {
        let base = Base::named(port, message, Named::State(scratch_state(space)))?;
        let part = base.at(port, offset, count * 32)?;
        part.ok_or_else(|| message.bad("a block behind the end of scratch space"))?
    } else {
        let base = port.around.general_state_base();
        port.memory(base.wrapping_add(u64::from(space) + offset), count * 32)?
    };
    if fields.bits(17, 1) == 0 {
        _ = memory.read(0, message.response(registers, 0, count * 32)?);
        return Ok(());
    }
    let bytes = message.bytes(0, count * 32)?;
    // For a block of dwords, disabled channels are not written.
    let masked = fields.bits(16, 1) != 0 && !message.no_mask;
    for (dword, bytes) in bytes.chunks_exact(4).enumerate() {
        let channel = dword % 32 % usize::from(message.width);
        if !masked || message.mask >> channel & 1 != 0 {
            _ = memory.write(dword * 4, bytes);
        }
    }
    Ok(())
}
