//! A message: its payload, and the registers of its response.

use super::descriptor::Fields;
use crate::generation::Generation;
use crate::isa::{Registers, Trouble};

/// A message. The payload is a copy, because the response may go to the same registers.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    pub(crate) fields: Fields,
    pub(crate) generation: Generation,
    /// The enabled channels.
    pub(crate) mask: u32,
    /// The instruction's channels.
    pub(crate) width: u8,
    /// Whether the instruction ignores the enabled channels.
    pub(crate) no_mask: bool,
    /// The header, if there is one, and the rest of the payload.
    pub(crate) header: Option<&'a [u8]>,
    pub(crate) payload: &'a [u8],
    /// The first byte of the registers of the response.
    pub(crate) response: Option<usize>,
}

/// A little-endian number in a payload.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

impl Message<'_> {
    /// The error for a message that cannot be executed.
    #[cold]
    pub(crate) fn bad(&self, why: impl Into<String>) -> Trouble {
        let Fields { descriptor, extended, .. } = self.fields;
        Trouble::Message { why: why.into(), descriptor, extended }
    }

    /// A dword of the header.
    pub(crate) fn header(&self, dword: usize) -> Result<u32, Trouble> {
        let header = self.header.ok_or_else(|| self.bad("a message without its header"))?;
        number(header, dword * 4)
            .map(u32::from_le_bytes)
            .ok_or_else(|| self.bad("a header that is too short"))
    }

    /// The bytes of the payload from byte `at` on.
    pub(crate) fn bytes(&self, at: usize, length: usize) -> Result<&[u8], Trouble> {
        at.checked_add(length)
            .and_then(|end| self.payload.get(at..end))
            .ok_or_else(|| self.bad(format!("payload up to byte {} of {}", at + length, self.payload.len())))
    }

    /// The dword of a channel in the payload that begins at a register.
    pub(crate) fn dword(&self, register: usize, channel: usize) -> Result<u32, Trouble> {
        let at = register * 32 + channel * 4;
        match number(self.payload, at) {
            Some(bytes) => Ok(u32::from_le_bytes(bytes)),
            None => Err(self.bytes(at, 4).err().unwrap_or_else(|| self.bad("no payload"))),
        }
    }

    /// The qword of a channel.
    pub(crate) fn qword(&self, register: usize, channel: usize) -> Result<u64, Trouble> {
        let at = register * 32 + channel * 8;
        match number(self.payload, at) {
            Some(bytes) => Ok(u64::from_le_bytes(bytes)),
            None => Err(self.bytes(at, 8).err().unwrap_or_else(|| self.bad("no payload"))),
        }
    }

    /// The number of registers of the payload.
    pub(crate) fn registers(&self) -> usize {
        self.payload.len() / 32
    }

    /// Bytes of the response.
    pub(crate) fn response<'r>(
        &self,
        registers: &'r mut Registers,
        at: usize,
        length: usize,
    ) -> Result<&'r mut [u8], Trouble> {
        self.response_of(registers, at, length, self.fields.response())
    }

    /// The bytes of a response with this many registers.
    pub(crate) fn response_of<'r>(
        &self,
        registers: &'r mut Registers,
        at: usize,
        length: usize,
        count: usize,
    ) -> Result<&'r mut [u8], Trouble> {
        let first = self.response.ok_or_else(|| self.bad("a response without a destination"))?;
        if at + length > count * self.generation.register_bytes() {
            return Err(self.bad("a response of more registers than the descriptor says"));
        }
        if first + at + length > registers.general_bytes() {
            return Err(self.bad("a response that runs past the last register"));
        }
        Ok(&mut registers.bytes_mut()[first + at..first + at + length])
    }

    /// Writes the dword of a channel in the response that begins at a register.
    pub(crate) fn respond(
        &self,
        registers: &mut Registers,
        register: usize,
        channel: usize,
        value: u32,
    ) -> Result<(), Trouble> {
        self.response(registers, register * 32 + channel * 4, 4)?.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    /// Writes the qword of a channel.
    pub(crate) fn respond_qword(
        &self,
        registers: &mut Registers,
        register: usize,
        channel: usize,
        value: u64,
    ) -> Result<(), Trouble> {
        self.response(registers, register * 32 + channel * 8, 8)?.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    /// The enabled channels among the first `count`.
    pub(crate) fn channels(&self, count: usize) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..count).filter(move |channel| mask >> channel & 1 != 0)
    }
}
