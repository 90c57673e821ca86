//! Messages on their way: payloads from registers, and who executes them.

use crate::isa::{Descriptor, File, Instruction, Opcode, Operand, Place, Registers, Trouble};
use crate::messages::{self, FUNCTIONS, Fields, Message, Port};
use crate::sampler;

/// What becomes of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    On,
    Ended,
    Barrier,
}

/// Sends an instruction's message for the channels that are on.
pub(crate) fn send(
    port: &mut Port<'_>,
    registers: &mut Registers,
    instruction: &Instruction,
    mask: u32,
) -> Result<Sent, Trouble> {
    let value = |descriptor| match descriptor {
        Descriptor::Immediate(value) => value,
        Descriptor::Address(element) => registers.get(File::Address.start() + usize::from(element) * 2),
    };
    let fields = Fields { descriptor: value(instruction.descriptor), extended: value(instruction.extended) };
    let ends = instruction.end_of_thread || fields.ends_thread();
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
                (i32::from(registers.get::<u16>(at)) + i32::from(plus)) / 32
            }
            _ => return Err(bad("an operand of a message that is no general register")),
        };
        let register = usize::try_from(register).ok().filter(|register| register + length <= 128);
        register.map(|register| Some(register * 32)).ok_or_else(|| bad("registers behind r127"))
    };
    let payload = first(&instruction.sources[0], fields.length())?;
    if payload.is_none() && fields.length() > 0 {
        return Err(bad("a payload that is null"));
    }
    let second = match instruction.opcode {
        Opcode::Sends => first(&instruction.sources[1], fields.second_length())?,
        _ => None,
    };
    let response = first(&instruction.destination, fields.response())?;
    let mut payload_bytes = std::mem::take(&mut port.payload);
    let mut length = 0;
    for (start, count) in [(payload, fields.length()), (second, fields.second_length())] {
        if let Some(start) = start {
            let bytes = &registers.bytes()[start..start + count * 32];
            payload_bytes[length..length + bytes.len()].copy_from_slice(bytes);
            length += bytes.len();
        }
    }
    let sent = {
        let all = &payload_bytes[..length];
        let (header, payload) = match all.split_at_checked(32) {
            Some((header, rest)) if fields.has_header() => (Some(header), rest),
            _ => (None, all),
        };
        let message = Message {
            fields,
            mask,
            width: instruction.width,
            no_mask: instruction.no_mask,
            header,
            payload,
            response,
        };
        deliver(port, registers, &message, ends)
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
    match fields.function() {
        7 if ends => return Ok(Sent::Ended),
        7 => return Err(message.bad("not supported: a message to the thread spawner that ends nothing")),
        3 if fields.bits(0, 3) == 4 => {
            if ends {
                return Err(message.bad("a barrier that ends the thread"));
            }
            return Ok(Sent::Barrier);
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
