//! What commands of a context leave for those that follow, also in later batches.

use super::descriptor::{Descriptor, Walker};
use super::error::Error;
use super::media::Scoreboard;
use super::payload::{Header, Payload};
use super::programs::Programs;
use super::registers::{DISPATCH, Registers};
use super::statistics::WALKERS;
use super::walk::{SharedMemory, States, Walk, words};
use crate::dispatch::{REGISTER, REGISTERS};

/// Addresses of `STATE_BASE_ADDRESS`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bases {
    pub(super) general: u64,
    pub(super) surface: u64,
    pub(super) dynamic: u64,
    pub(super) indirect: u64,
    pub(super) instruction: u64,
}

/// What `MEDIA_VFE_STATE` says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrontEnd {
    /// The scratch space, from the general base on, and the exponent of its size for a thread.
    pub(super) scratch: u64,
    pub(super) scratch_exponent: u32,
    pub(super) has_scratch: bool,
    /// Threads that run at once.
    pub(super) threads: u32,
    pub(super) scoreboard: Scoreboard,
}

/// State of a context.
#[derive(Default)]
pub(super) struct State {
    pub(super) bases: Bases,
    pub(super) front_end: FrontEnd,
    /// Interface descriptors, and the payload of all threads: offsets from the dynamic base.
    pub(super) descriptors: u32,
    pub(super) payload: u32,
    pub(super) registers: Registers,
    pub(super) programs: Programs,
}

impl State {
    /// What a walker runs. `None` if it has no groups.
    pub(super) fn walk(
        &mut self,
        memory: &SharedMemory,
        command: &[u32; Walker::WORDS],
        poison: bool,
    ) -> Result<Option<Walk>, Error> {
        let mut walker = Walker::decode(command);
        if walker.end_in_registers {
            walker.end = DISPATCH.map(|register| self.registers.read(register));
        }
        if walker.extent().contains(&0) {
            return Ok(None);
        }
        let number = WALKERS.next();
        let at = self.bases.dynamic
            + u64::from(self.descriptors)
            + Descriptor::BYTES * u64::from(walker.descriptor);
        let descriptor =
            words(&**memory, at).ok_or(Error::NotMapped { what: "interface descriptor", address: at })?;
        let descriptor = Descriptor::decode(&descriptor);
        let kernel = self.bases.instruction + descriptor.kernel;
        let code = memory.at(kernel).ok_or(Error::NotMapped { what: "kernel", address: kernel })?;
        let program = self.programs.get(kernel, code);
        let program = program.map_err(|error| Error::Program { walker: number, address: kernel, error })?;
        let front_end = self.front_end;
        let scratch =
            front_end.has_scratch.then(|| (1024 << front_end.scratch_exponent.min(11), front_end.threads));
        Ok(Some(Walk {
            number,
            memory: SharedMemory::clone(memory),
            payload: self.payload(&**memory, number, &walker, &descriptor, poison)?,
            walker,
            descriptor,
            program,
            kernel,
            general_state: self.bases.general,
            surface_states: self.bases.surface,
            binding_table: self.bases.surface + u64::from(descriptor.binding_table),
            samplers: self.bases.dynamic + u64::from(descriptor.samplers),
            scratch,
            states: States::default(),
        }))
    }

    /// Copies the payload of all threads: first what they share, then that of each.
    fn payload(
        &self,
        memory: &dyn crate::memory::Memory,
        number: u64,
        walker: &Walker,
        descriptor: &Descriptor,
        poison: bool,
    ) -> Result<Payload, Error> {
        let registers = 1 + descriptor.per_thread + descriptor.cross_thread;
        if registers > REGISTERS {
            return Err(Error::Payload { walker: number, registers });
        }
        let (length, offset) = walker.indirect;
        let address = if length > 0 {
            self.bases.indirect + u64::from(offset)
        } else {
            self.bases.dynamic + u64::from(self.payload)
        };
        let per_thread_bytes = REGISTER * descriptor.per_thread;
        let shared_bytes = REGISTER * descriptor.cross_thread;
        let bytes = shared_bytes + per_thread_bytes * walker.group_threads() as usize;
        let mut cross_thread = Vec::new();
        if bytes > 0 {
            let span = memory.at(address);
            let part = span.and_then(|span| span.part(REGISTER * descriptor.per_thread_offset, bytes));
            let part = part.ok_or(Error::NotMapped { what: "payload of the threads", address })?;
            cross_thread = part.copied(bytes);
        }
        let per_thread = cross_thread.split_off(shared_bytes);
        let front_end = self.front_end;
        let scratch = (front_end.scratch as u32, 1024 << front_end.scratch_exponent.min(11));
        let header = Header {
            samplers: descriptor.samplers | front_end.scratch_exponent,
            binding_table: descriptor.binding_table,
            scratch: front_end.has_scratch.then_some(scratch),
            barrier: descriptor.barrier,
        };
        Ok(Payload { header, cross_thread, per_thread, per_thread_bytes, poison })
    }
}
