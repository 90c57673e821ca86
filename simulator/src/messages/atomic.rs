//! Atomic operations.

use super::address::Base;
use super::message::Message;
use super::port::Port;
use crate::isa::{Registers, Trouble};

/// The kind of an atomic message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomics {
    is_float: bool,
    /// Whether addresses have 64 bits.
    absolute: bool,
}

pub(crate) const INTEGER: Atomics = Atomics { is_float: false, absolute: false };
pub(crate) const INTEGER_AT_ADDRESS: Atomics = Atomics { is_float: false, absolute: true };
pub(crate) const FLOAT: Atomics = Atomics { is_float: true, absolute: false };
pub(crate) const FLOAT_AT_ADDRESS: Atomics = Atomics { is_float: true, absolute: true };

/// An operation on the old value and up to two sources.
pub(crate) struct Operation<T> {
    pub(crate) number: u32,
    pub(crate) sources: usize,
    pub(crate) apply: fn(T, T, T) -> T,
    /// Whether it returns the new value.
    pub(crate) gives_new: bool,
}

const fn operation<T>(number: u32, sources: usize, apply: fn(T, T, T) -> T) -> Operation<T> {
    Operation { number, sources, apply, gives_new: false }
}

/// The integers of atomic operations.
pub(crate) trait Width: Copy + 'static {
    /// `MDC_AOP`.
    const OPERATIONS: &[Operation<Self>];
}

macro_rules! integers {
    ($($unsigned:ty)*) => { $(
        impl Width for $unsigned {
            const OPERATIONS: &[Operation<Self>] = &[
            operation(1, 1, |old, a, _| old & a),
            operation(2, 1, |old, a, _| old | a),
            operation(3, 1, |old, a, _| old ^ a),
            operation(4, 1, |_, a, _| a),
            operation(5, 0, |old, _, _| old.wrapping_add(1)),
            operation(6, 0, |old, _, _| old.wrapping_sub(1)),
            operation(7, 1, |old, a, _| old.wrapping_add(a)),
            operation(8, 1, |old, a, _| old.wrapping_sub(a)),
            operation(9, 1, |old, a, _| a.wrapping_sub(old)),
            operation(10, 1, |old, a, _| old.cast_signed().max(a.cast_signed()).cast_unsigned()),
            operation(11, 1, |old, a, _| old.cast_signed().min(a.cast_signed()).cast_unsigned()),
            operation(12, 1, |old, a, _| old.max(a)),
            operation(13, 1, |old, a, _| old.min(a)),
            // The first source is compared, the second one is the new value.
            operation(14, 2, |old, a, b| if old == a { b } else { old }),
            Operation { number: 15, sources: 0, apply: |old, _, _| old.wrapping_sub(1), gives_new: true },
            ];
        }
    )* };
}

integers!(u16 u32 u64);

/// `MDC_FOP`.
static FLOATS: [Operation<u32>; 3] = [
    operation(1, 1, |old, a, _| {
        let (x, y) = (f32::from_bits(old), f32::from_bits(a));
        if y > x || x.is_nan() { a } else { old }
    }),
    operation(2, 1, |old, a, _| {
        let (x, y) = (f32::from_bits(old), f32::from_bits(a));
        if y < x || x.is_nan() { a } else { old }
    }),
    operation(3, 2, |old, a, b| if f32::from_bits(old) == f32::from_bits(a) { b } else { old }),
];

/// The operation with a number.
fn find<T>(
    message: &Message<'_>,
    operations: &'static [Operation<T>],
    number: u32,
) -> Result<&'static Operation<T>, Trouble> {
    let found = operations.iter().find(|operation| operation.number == number);
    found.ok_or_else(|| message.bad(format!("not supported: atomic operation {number}")))
}

/// An operation on dwords.
pub(crate) fn on_dwords(message: &Message<'_>, number: u32) -> Result<&'static Operation<u32>, Trouble> {
    find(message, u32::OPERATIONS, number)
}

/// Executes an atomic message.
pub(crate) fn execute(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
    atomics: Atomics,
) -> Result<(), Trouble> {
    let Atomics { is_float, absolute } = atomics;
    let fields = message.fields;
    let channels = if absolute || fields.bits(12, 1) != 0 { 8 } else { 16 };
    let responds = fields.bits(13, 1) != 0;
    if absolute && !is_float && fields.bits(12, 1) != 0 {
        return on_qwords(port, message, registers, responds);
    }
    let operation = if is_float {
        find(message, &FLOATS, fields.bits(8, 3))?
    } else {
        on_dwords(message, fields.bits(8, 4))?
    };
    let base = if absolute { Base::Absolute } else { Base::of(port, message)? };
    let first = channels / if absolute { 4 } else { 8 };
    for channel in message.channels(channels) {
        let address = if absolute { message.qword(0, channel)? } else { message.dword(0, channel)?.into() };
        let source = |n: usize| {
            if n < operation.sources { message.dword(first + n * (channels / 8), channel) } else { Ok(0) }
        };
        let (a, b) = (source(0)?, source(1)?);
        let mut result = 0;
        if let Some(memory) = base.at(port, address & !3, 4)? {
            let old = memory.change_dword(0, |old| (operation.apply)(old, a, b));
            let old = old.ok_or_else(|| message.bad("a dword that is not aligned in memory"))?;
            result = if operation.gives_new { (operation.apply)(old, a, b) } else { old };
        }
        if responds {
            message.respond(registers, 0, channel, result)?;
        }
    }
    Ok(())
}

/// The same for qwords, at 64-bit addresses.
fn on_qwords(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
    responds: bool,
) -> Result<(), Trouble> {
    let operation = find(message, u64::OPERATIONS, message.fields.bits(8, 4))?;
    for channel in message.channels(8) {
        let address = message.qword(0, channel)?;
        let source = |n: usize| if n < operation.sources { message.qword(2 + n * 2, channel) } else { Ok(0) };
        let (a, b) = (source(0)?, source(1)?);
        let memory = port.memory(address & !7, 8)?;
        let old = memory.change_qword(0, |old| (operation.apply)(old, a, b));
        let old = old.ok_or_else(|| message.bad("a qword that is not aligned in memory"))?;
        if responds {
            let result = if operation.gives_new { (operation.apply)(old, a, b) } else { old };
            message.respond_qword(registers, 0, channel, result)?;
        }
    }
    Ok(())
}
