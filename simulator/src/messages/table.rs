//! The messages of data ports by type.

use super::message::Message;
use super::port::Port;
use super::{atomic, block, media, scattered, typed, untyped};
use crate::isa::{Registers, Trouble};

/// Executes a message.
pub(crate) type Execute = for<'a, 'm> fn(&mut Port<'a>, &Message<'m>, &mut Registers) -> Result<(), Trouble>;

/// A message.
pub(crate) struct Row {
    /// The shared function, and the type of the message.
    pub(crate) key: (u32, u32),
    pub(crate) execute: Execute,
}

/// Numbers of shared functions.
const CONSTANT_CACHE: u32 = 0x9;
const PORT_0: u32 = 0xa;
const PORT_1: u32 = 0xc;

const fn row(function: u32, kind: u32, execute: Execute) -> Row {
    Row { key: (function, kind), execute }
}

/// Volume 2d of the manual for Skylake, `MSD_*`, with the names of Intel's disassembler.
static ROWS: &[Row] = &[
    row(CONSTANT_CACHE, 0x00, |port, message, registers| block::read(port, message, registers, 16)),
    row(CONSTANT_CACHE, 0x01, |port, message, registers| block::read(port, message, registers, 1)),
    row(CONSTANT_CACHE, 0x03, scattered::read_dwords),
    row(PORT_0, 0x00, |port, message, registers| block::read(port, message, registers, 16)),
    row(PORT_0, 0x01, |port, message, registers| block::read(port, message, registers, 1)),
    row(PORT_0, 0x03, scattered::read_dwords),
    row(PORT_0, 0x04, scattered::read_bytes),
    row(PORT_0, 0x07, |_, _, _| Ok(())), // memory fence: accesses are complete when the next instruction begins
    row(PORT_0, 0x08, block::write),
    row(PORT_0, 0x0b, scattered::write_dwords),
    row(PORT_0, 0x0c, scattered::write_bytes),
    row(PORT_1, 0x01, |port, message, registers| untyped::read(port, message, registers, false)),
    row(PORT_1, 0x02, |port, message, registers| atomic::execute(port, message, registers, atomic::INTEGER)),
    row(PORT_1, 0x04, media::read),
    row(PORT_1, 0x05, typed::read),
    row(PORT_1, 0x06, typed::atomic),
    row(PORT_1, 0x09, |port, message, _| untyped::write(port, message, false)),
    row(PORT_1, 0x0a, media::write),
    row(PORT_1, 0x0d, typed::write),
    row(PORT_1, 0x10, scattered::read_addresses),
    row(PORT_1, 0x11, |port, message, registers| untyped::read(port, message, registers, true)),
    row(PORT_1, 0x12, |port, message, registers| {
        atomic::execute(port, message, registers, atomic::INTEGER_AT_ADDRESS)
    }),
    row(PORT_1, 0x14, block::read_address),
    row(PORT_1, 0x15, block::write_address),
    row(PORT_1, 0x19, |port, message, _| untyped::write(port, message, true)),
    row(PORT_1, 0x1a, scattered::write_addresses),
    row(PORT_1, 0x1b, |port, message, registers| atomic::execute(port, message, registers, atomic::FLOAT)),
    row(PORT_1, 0x1d, |port, message, registers| {
        atomic::execute(port, message, registers, atomic::FLOAT_AT_ADDRESS)
    }),
];

/// Scratch space blocks use the types of port 0 with this bit set.
static SCRATCH: Row = row(PORT_0, 0x10, block::scratch);

/// The message with this shared function and type.
pub(crate) fn find(function: u32, kind: u32) -> Option<&'static Row> {
    if function == PORT_0 && kind & 0x10 != 0 {
        return Some(&SCRATCH);
    }
    ROWS.iter().find(|row| row.key == (function, kind))
}
