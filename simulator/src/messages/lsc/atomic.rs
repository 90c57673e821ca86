//! Atomic operations at the address of each channel.

use super::access::{Access, data_at, number};
use super::unit::{Kind, Unit};
use crate::isa::{Registers, Rounding, Trouble, half_from_f64, half_to_f32, narrow};
use crate::memory::Span;
use crate::messages::atomic::{Operation, Width};
use crate::messages::message::Message;
use crate::messages::port::Port;

/// An operation on the old value and up to two sources, all as bits.
#[derive(Clone, Copy)]
pub(super) struct Atomic {
    pub(super) sources: usize,
    meaning: Meaning,
}

#[derive(Clone, Copy)]
enum Meaning {
    /// A load, which changes nothing.
    Load,
    /// The operation of Gen9 with this number.
    Integer(u32),
    Float(Float),
}

#[derive(Clone, Copy)]
enum Float {
    Add,
    Subtract,
    Least,
    Greatest,
    /// The first source is compared, the second one is the new value.
    Exchange,
}

impl Atomic {
    /// The operation that a descriptor names.
    pub(super) fn of(message: &Message<'_>) -> Result<Self, Trouble> {
        let atomic = |sources, meaning| Ok(Self { sources, meaning });
        match message.fields.bits(0, 6) {
            0x08 => atomic(0, Meaning::Integer(5)),
            0x09 => atomic(0, Meaning::Integer(6)),
            0x0a => atomic(0, Meaning::Load),
            0x0b => atomic(1, Meaning::Integer(4)),
            0x0c => atomic(1, Meaning::Integer(7)),
            0x0d => atomic(1, Meaning::Integer(8)),
            0x0e => atomic(1, Meaning::Integer(11)),
            0x0f => atomic(1, Meaning::Integer(10)),
            0x10 => atomic(1, Meaning::Integer(13)),
            0x11 => atomic(1, Meaning::Integer(12)),
            0x12 => atomic(2, Meaning::Integer(14)),
            0x13 => atomic(1, Meaning::Float(Float::Add)),
            0x14 => atomic(1, Meaning::Float(Float::Subtract)),
            0x15 => atomic(1, Meaning::Float(Float::Least)),
            0x16 => atomic(1, Meaning::Float(Float::Greatest)),
            0x17 => atomic(2, Meaning::Float(Float::Exchange)),
            0x18 => atomic(1, Meaning::Integer(1)),
            0x19 => atomic(1, Meaning::Integer(2)),
            0x1a => atomic(1, Meaning::Integer(3)),
            operation => Err(message.bad(format!("not supported: atomic operation {operation:#x}"))),
        }
    }

    /// The new value.
    fn apply(self, bytes: usize, old: u64, a: u64, b: u64) -> u64 {
        match (self.meaning, bytes) {
            (Meaning::Load, _) => old,
            (Meaning::Integer(n), 2) => whole::<u16>(n, old as u16, a as u16, b as u16).into(),
            (Meaning::Integer(n), 4) => whole::<u32>(n, old as u32, a as u32, b as u32).into(),
            (Meaning::Integer(n), _) => whole::<u64>(n, old, a, b),
            (Meaning::Float(float), 2) => {
                let value = |bits: u64| f64::from(half_to_f32(bits as u16));
                float.apply((old, a, b), value, |sum| half_from_f64(sum, Rounding::Nearest).into())
            }
            (Meaning::Float(float), 4) => {
                let value = |bits: u64| f64::from(f32::from_bits(bits as u32));
                float.apply((old, a, b), value, |sum| narrow(sum, Rounding::Nearest).to_bits().into())
            }
            (Meaning::Float(float), _) => float.apply((old, a, b), f64::from_bits, f64::to_bits),
        }
    }

    /// Updates the number in a span. Returns the old value.
    pub(super) fn change(
        self,
        message: &Message<'_>,
        span: Span<'_>,
        a: u64,
        b: u64,
    ) -> Result<u64, Trouble> {
        let old = if span.len() == 8 {
            span.change_qword(0, |old| self.apply(8, old, a, b))
        } else if span.len() == 4 {
            let change = |old: u32| u32::try_from(self.apply(4, old.into(), a, b)).unwrap_or_default();
            span.change_dword(0, change).map(u64::from)
        } else {
            let change = |old: u16| u16::try_from(self.apply(2, old.into(), a, b)).unwrap_or_default();
            span.change_word(0, change).map(u64::from)
        };
        old.ok_or_else(|| message.bad("a number that is not aligned in memory"))
    }
}

/// An operation on integers.
fn whole<T: Width>(number: u32, old: T, a: T, b: T) -> T {
    let operation: Option<&Operation<T>> = T::OPERATIONS.iter().find(|operation| operation.number == number);
    operation.map_or(old, |operation| (operation.apply)(old, a, b))
}

impl Float {
    /// An operation on bits. Sums are rounded once: rounding the sum of two floats of up to 32 bits to a
    /// double first does not change the result.
    fn apply(
        self,
        (old, a, b): (u64, u64, u64),
        value: impl Fn(u64) -> f64,
        bits: impl Fn(f64) -> u64,
    ) -> u64 {
        let (x, y) = (value(old), value(a));
        match self {
            Self::Add => bits(x + y),
            Self::Subtract => bits(x - y),
            Self::Least if y < x || x.is_nan() => a,
            Self::Greatest if y > x || x.is_nan() => a,
            Self::Exchange if x == y => b,
            Self::Least | Self::Greatest | Self::Exchange => old,
        }
    }
}

/// Executes an atomic message.
pub(super) fn execute(
    unit: Unit,
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let atomic = Atomic::of(message)?;
    let access = Access::of(unit, port, message, Kind::Atomic)?;
    let (data, lanes) = (access.data, access.lanes);
    let is_legal = matches!((data.memory, data.register, data.first), (4, 4, 0) | (8, 8, 0) | (2, 4, 0));
    if !is_legal || message.fields.bits(12, 4) != 0 {
        return Err(message.bad("not supported: an atomic operation on data of this size"));
    }
    for channel in message.channels(message.width.into()) {
        let address = access.address(message, channel)?;
        let source = |n: usize| {
            if n >= atomic.sources {
                return Ok(0);
            }
            let at = data_at(message) + lanes.at(n, data.register, channel);
            message.bytes(at, data.memory).map(number)
        };
        let (a, b) = (source(0)?, source(1)?);
        let old = match access.element(port, message, address)? {
            Some(span) => atomic.change(message, span, a, b)?,
            None => 0,
        };
        if message.fields.response() != 0 {
            let out = message.response(registers, lanes.at(0, data.register, channel), data.register)?;
            out.copy_from_slice(&old.to_le_bytes()[..data.register]);
        }
    }
    Ok(())
}
