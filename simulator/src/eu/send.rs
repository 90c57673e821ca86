//! Sends messages: reads their payloads from registers, and finds the function that executes them.

use std::ops::Range;

use super::barrier::Signal;
use crate::generation::{Generation, Machine};
use crate::isa::{Descriptor, Detail, File, Instruction, Operand, Place, Registers, Trouble};
use crate::messages::{self, FUNCTIONS, Fields, Message, Port, lsc};
use crate::sampler;

/// How the thread continues after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    On,
    Ended,
    /// It signals a barrier.
    Barrier(Signal),
}

/// The register bytes of a message: those that it reads, and those that its response writes.
pub(crate) type Ranges<'r> = (&'r [Range<usize>], Range<usize>);

/// Sends the message of an instruction for the enabled channels.
pub(crate) fn send(
    port: &mut Port<'_>,
    registers: &mut Registers,
    (instruction, machine): (&Instruction, Machine),
    mask: u32,
    checked: &mut dyn FnMut(Ranges<'_>) -> Result<(), Trouble>,
) -> Result<Sent, Trouble> {
    let value = |descriptor| match descriptor {
        Descriptor::Immediate(value) => value,
        Descriptor::Address(element) => registers.get(File::Address.start() + usize::from(element) * 4),
    };
    let (generation, bytes) = (machine.generation, machine.register_bytes());
    let (descriptor, extended) = (value(instruction.descriptor), value(instruction.extended));
    let fields = match instruction.detail {
        Detail::Receiver(function) => Fields::of_xe(descriptor, extended, function, instruction),
        _ => Fields::of_gen9(descriptor, extended),
    };
    let unit = lsc::Unit::of(fields.function, generation);
    let ends = instruction.end_of_thread || generation == Generation::Gen9 && fields.ends_thread();
    let forced = ends || instruction.no_mask;
    if mask == 0 && (!forced || instruction.predicate.is_some()) {
        return Ok(Sent::On);
    }
    let bad = |why: &str| Trouble::Message {
        why: why.into(),
        descriptor: fields.descriptor,
        extended: fields.extended,
    };
    let first = |operand: &Operand, length: usize| -> Result<Option<usize>, Trouble> {
        let register = match operand.place {
            Place::Null | Place::Absent => return Ok(None),
            Place::Direct(File::General) => i32::from(operand.start.0),
            Place::Indirect { subregister, plus, .. } => {
                let at = File::Address.start() + usize::from(subregister) * 2;
                (i32::from(registers.get::<u16>(at)) + i32::from(plus)) / bytes as i32
            }
            _ => return Err(bad("an operand of a message that is no general register")),
        };
        let register =
            usize::try_from(register).ok().filter(|register| register + length <= machine.registers);
        register
            .map(|register| Some(register * bytes))
            .ok_or_else(|| bad(&format!("registers behind r{}", machine.registers - 1)))
    };
    let payload = first(&instruction.sources[0], fields.length())?;
    if payload.is_none() && fields.length() > 0 {
        return Err(bad("a payload that is null"));
    }
    let second = match instruction.sources.get(1) {
        Some(source) if instruction.count > 1 => first(source, fields.second_length)?,
        _ => None,
    };
    let response = first(&instruction.destination, fields.response())?;
    let range = |start: Option<usize>, count: usize| start.map_or(0..0, |start| start..start + count * bytes);
    let of_descriptor = |descriptor| match descriptor {
        Descriptor::Immediate(_) => 0..0,
        Descriptor::Address(element) => {
            let first = File::Address.start() + usize::from(element) * 4;
            first..first + 4
        }
    };
    let reads = [
        range(payload, fields.length()),
        range(second, fields.second_length),
        of_descriptor(instruction.descriptor),
        of_descriptor(instruction.extended),
    ];
    checked((&reads, range(response, fields.response())))?;
    let mut payload_bytes = std::mem::take(&mut port.payload);
    let mut length = 0;
    for (start, count) in [(payload, fields.length()), (second, fields.second_length)] {
        if let Some(start) = start {
            let sent = &registers.bytes()[start..start + count * bytes];
            payload_bytes[length..length + sent.len()].copy_from_slice(sent);
            length += sent.len();
        }
    }
    let sent = {
        let all = &payload_bytes[..length];
        let (header, payload) = match all.split_at_checked(bytes) {
            Some((header, rest)) if unit.is_none() && fields.has_header() => (Some(header), rest),
            _ => (None, all),
        };
        let message = Message {
            fields,
            generation,
            mask,
            width: instruction.width,
            no_mask: instruction.no_mask,
            header,
            payload,
            response,
        };
        match unit {
            Some(_) if ends => Err(bad("not supported: a message to memory that ends the thread")),
            Some(unit) => lsc::execute(unit, port, &message, registers).map(|()| Sent::On),
            None => deliver(port, registers, &message, ends),
        }
    };
    port.payload = payload_bytes;
    sent
}

fn deliver(
    port: &mut Port<'_>,
    registers: &mut Registers,
    message: &Message<'_>,
    ends: bool,
) -> Result<Sent, Trouble> {
    let fields = message.fields;
    match fields.function {
        7 if ends => return Ok(Sent::Ended),
        7 => return Err(message.bad("not supported: a message to the thread spawner that ends nothing")),
        3 if ends && message.generation >= Generation::XeHpg => return Ok(Sent::Ended),
        3 if fields.bits(0, 3) == 4 => {
            if ends {
                return Err(message.bad("a barrier that ends the thread"));
            }
            let newer = message.generation >= Generation::XeHpg;
            return Ok(Sent::Barrier(Signal(if newer { message.dword(0, 2)? } else { 0 })));
        }
        3 => return Err(message.bad("not supported: this function of the gateway")),
        2 => sampler::sample(port, message, registers)?,
        function => {
            let row = messages::find(function, fields.kind()).ok_or_else(|| {
                let name = FUNCTIONS[function as usize];
                message.bad(format!("not supported: message {:#x} to {name}", fields.kind()))
            })?;
            (row.execute)(port, message, registers)?;
        }
    }
    Ok(if ends { Sent::Ended } else { Sent::On })
}
