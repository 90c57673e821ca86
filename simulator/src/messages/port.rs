//! Where messages are sent from: finds what they name, and who executes them.

use super::descriptor::{FUNCTIONS, Fields};
use super::message::Message;
use super::surface::completed;
use super::table;
use crate::dispatch::{Surface, SurfaceKind, Surroundings};
use crate::eu::{Descriptor, File, Instruction, Opcode, Operand, Place, Registers, Trouble};
use crate::memory::{Block, Span};
use crate::sampler;

/// What becomes of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    On,
    Ended,
    Barrier,
}

/// The memory behind a thread's messages, while it runs.
pub(crate) struct Port<'a> {
    pub(crate) around: &'a dyn Surroundings,
    pub(crate) shared: Option<&'a Block>,
    /// Surfaces that were used, by their entries.
    surfaces: Vec<(u32, Surface<'a>)>,
    /// The memory that was used last, and its first address.
    last: Option<(u64, Span<'a>)>,
    payload: Vec<u8>,
}

impl std::fmt::Debug for Port<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Port").field("surfaces", &self.surfaces.len()).finish_non_exhaustive()
    }
}

impl<'a> Port<'a> {
    pub(crate) fn new(around: &'a dyn Surroundings, shared: Option<&'a Block>) -> Self {
        Self { around, shared, surfaces: vec![], last: None, payload: vec![0; 1024] }
    }

    /// An entry of the binding table.
    pub(crate) fn surface(&mut self, entry: u32) -> Result<Surface<'a>, Trouble> {
        if let Some((_, surface)) = self.surfaces.iter().find(|(known, _)| *known == entry) {
            return Ok(*surface);
        }
        let surface = self.around.surface(entry);
        let surface =
            completed(surface.ok_or_else(|| {
                Trouble::Other(format!("no surface at entry {entry} of the binding table"))
            })?);
        if surface.kind != SurfaceKind::Null && surface.bytes.is_empty() {
            return Err(Trouble::Other(format!(
                "the surface at entry {entry} of the binding table has no memory"
            )));
        }
        self.surfaces.push((entry, surface));
        Ok(surface)
    }

    /// So many bytes at an address.
    pub(crate) fn memory(&mut self, address: u64, bytes: usize) -> Result<Span<'a>, Trouble> {
        let address = address & 0xffff_ffff_ffff;
        if let Some((first, span)) = self.last {
            let offset = address.checked_sub(first).and_then(|offset| usize::try_from(offset).ok());
            if let Some(part) = offset.and_then(|offset| span.part(offset, bytes)) {
                return Ok(part);
            }
        }
        let span = self.around.memory().at(address);
        let part = span.and_then(|span| span.part(0, bytes));
        self.last = span.map(|span| (address, span));
        part.ok_or(Trouble::Memory { address, bytes })
    }

    /// Sends an instruction's message for the channels that are on.
    pub(crate) fn send(
        &mut self,
        registers: &mut Registers,
        instruction: &Instruction,
        mask: u32,
    ) -> Result<Sent, Trouble> {
        let value = |descriptor| match descriptor {
            Descriptor::Immediate(value) => value,
            Descriptor::Address(element) => registers.get(File::Address.start() + usize::from(element) * 2),
        };
        let fields =
            Fields { descriptor: value(instruction.descriptor), extended: value(instruction.extended) };
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
        let mut payload_bytes = std::mem::take(&mut self.payload);
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
            self.deliver(registers, &message, ends)
        };
        self.payload = payload_bytes;
        sent
    }

    fn deliver(
        &mut self,
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
            2 => sampler::sample(self, message, registers)?,
            function => {
                let row = table::find(function, fields.kind()).ok_or_else(|| {
                    let name = FUNCTIONS[function as usize];
                    message.bad(format!("not supported: message {:#x} to {name}", fields.kind()))
                })?;
                (row.execute)(self, message, registers)?;
            }
        }
        Ok(if ends { Sent::Ended } else { Sent::On })
    }
}
