//! Messages of the load/store cache (LSC), from Xe-HPG on.
//!
//! Sources for descriptors, payloads and legal combinations in Intel's open-source compiler:
//! `MessageDecoderLSC.cpp` of IGA, and `TranslateSendLdStLsc.cpp`, `LSC_UNTYPED.md` and `LSC_TYPED.md` of
//! vISA (github.com/intel/intel-graphics-compiler).

mod access;
mod atomic;
mod block2d;
mod caching;
mod typed;
mod unit;
mod vector;

pub(crate) use unit::Unit;

use super::message::Message;
use super::port::Port;
use crate::generation::Generation;
use crate::isa::{Registers, Trouble};

/// Executes a message.
pub(crate) fn execute(
    unit: Unit,
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let operation = message.fields.bits(0, 6);
    match (operation, unit) {
        (0x1f, _) => fence(message),
        (0x02, Unit::Typed) => typed::load(port, message, registers),
        (0x06, Unit::Typed) => typed::store(port, message),
        (0x03, Unit::Typed) => typed::load_block(port, message, registers),
        (0x07, Unit::Typed) => typed::store_block(port, message),
        (0x08..=0x1a, Unit::Typed) => typed::atomic(port, message, registers),
        (0x03, Unit::Untyped) => block2d::load(port, message, registers),
        (0x07, Unit::Untyped) => block2d::store(port, message),
        (0x00..=0x02, Unit::Untyped | Unit::Shared) => vector::load(unit, port, message, registers),
        // Uncompressed stores are ordinary stores, because nothing is compressed.
        (0x04..=0x06 | 0x1c | 0x20, Unit::Untyped | Unit::Shared) => vector::store(unit, port, message),
        (0x08..=0x1a, Unit::Untyped | Unit::Shared) => atomic::execute(unit, port, message, registers),
        (0x1b, Unit::Untyped) => vector::status(port, message, registers),
        _ => Err(message.bad(format!("not supported: operation {operation:#x} of the load/store cache"))),
    }
}

/// A fence has no effect: every access is complete when the next instruction begins.
fn fence(message: &Message<'_>) -> Result<(), Trouble> {
    let (scope, flush) = (message.fields.bits(9, 3), message.fields.bits(12, 3));
    // Intel's compiler sends 6 for Xe-HPG.
    let most = if message.generation == Generation::XeHpg { 6 } else { 5 };
    if scope > 6 || flush > most {
        return Err(message.bad(format!("not supported: a fence of scope {scope} that flushes {flush}")));
    }
    Ok(())
}
