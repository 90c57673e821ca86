//! The state of a context, which commands leave for later commands and batches.

use super::compute_walker::ComputeWalker;
use super::descriptor::{Descriptor, Walker};
use super::error::Error;
use super::media::Scoreboard;
use super::payload::{Header, Payload};
use super::programs::Programs;
use super::registers::{DISPATCH, Registers};
use super::statistics::WALKERS;
use super::surface_state;
use super::walk::{SharedMemory, States, Walk, words};
use crate::dispatch::{SurfaceKind, scratch_state};
use crate::generation::{Generation, Machine};
use crate::memory::Memory;

/// Addresses of `STATE_BASE_ADDRESS`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bases {
    pub(super) general: u64,
    pub(super) surface: u64,
    pub(super) dynamic: u64,
    pub(super) indirect: u64,
    pub(super) instruction: u64,
    /// Set by a separate command since Xe-HPG.
    pub(super) binding_tables: u64,
}

/// The contents of `MEDIA_VFE_STATE`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrontEnd {
    /// The scratch space, relative to the general base, and log2 of its size for each thread.
    pub(super) scratch: u64,
    pub(super) scratch_exponent: u32,
    pub(super) has_scratch: bool,
    /// The number of threads that run at once.
    pub(super) threads: u32,
    pub(super) scoreboard: Scoreboard,
}

/// State of a context.
pub(super) struct State {
    pub(super) bases: Bases,
    pub(super) front_end: FrontEnd,
    /// Interface descriptors, and the shared payload of all threads: offsets from the dynamic base.
    pub(super) descriptors: u32,
    pub(super) payload: u32,
    pub(super) registers: Registers,
    pub(super) programs: Programs,
}

impl State {
    /// The state of a new context, for these execution units.
    pub(super) fn new(machine: Machine) -> Self {
        Self {
            bases: Bases::default(),
            front_end: FrontEnd::default(),
            descriptors: 0,
            payload: 0,
            registers: Registers::default(),
            programs: Programs::new(machine),
        }
    }

    /// Sets whether new threads have 256 registers or 128.
    pub(super) fn set_large_registers(&mut self, large: bool) {
        self.programs.set_registers(if large { 256 } else { 128 });
    }

    /// The work of a walker; `None` if it has no groups.
    pub(super) fn walk(
        &mut self,
        memory: &SharedMemory,
        command: &[u32; Walker::WORDS],
        poison: bool,
    ) -> Result<Option<Walk>, Error> {
        let Some((number, walker)) = self.sized(Walker::decode(command)) else { return Ok(None) };
        let at = self.bases.dynamic
            + u64::from(self.descriptors)
            + Descriptor::BYTES * u64::from(walker.descriptor);
        let descriptor =
            words(&**memory, at).ok_or(Error::NotMapped { what: "interface descriptor", address: at })?;
        let descriptor = Descriptor::decode(&descriptor);
        let payload = self.payload(&**memory, number, &walker, &descriptor, poison)?;
        self.begin(memory, number, (walker, descriptor), payload).map(Some)
    }

    /// The same for the command since Xe-HPG.
    pub(super) fn compute(
        &mut self,
        memory: &SharedMemory,
        command: &ComputeWalker,
        poison: bool,
    ) -> Result<Option<Walk>, Error> {
        let Some((number, walker)) = self.sized(command.walker) else { return Ok(None) };
        let descriptor = command.descriptor;
        let machine = self.programs.machine();
        let threads = walker.group_threads();
        let ids = command.ids.map(|ids| ids.registers(threads, walker.channels, machine.register_bytes()));
        let per_thread = ids.unwrap_or_default();
        let inline = command.inline.unwrap_or_default();
        let mut cross_thread: Vec<u8> = inline.into_iter().flat_map(u32::to_le_bytes).collect();
        cross_thread.truncate(if command.inline.is_some() { 32 } else { 0 });
        let header = Header {
            arguments: walker.indirect.1,
            threads,
            samplers: descriptor.samplers,
            binding_table: descriptor.binding_table,
            // Unchanged from the command: threads compute the offset of a surface state from it.
            scratch: self.front_end.has_scratch.then_some((self.front_end.scratch as u32, 0)),
            barrier: false,
        };
        let per_thread_bytes = per_thread.len() / threads as usize;
        let payload = Payload { machine, header, cross_thread, per_thread, per_thread_bytes, poison };
        let scratch = self.scratch_surface(&**memory, machine.generation)?;
        let walk = self.begin(memory, number, (walker, descriptor), payload)?;
        Ok(Some(Walk { scratch, ..walk }))
    }

    /// The bytes of scratch space for each thread since Xe-HPG, and the number of threads, as given in a
    /// surface state.
    fn scratch_surface(
        &self,
        memory: &dyn Memory,
        generation: Generation,
    ) -> Result<Option<(u32, u32)>, Error> {
        if !self.front_end.has_scratch {
            return Ok(None);
        }
        let address = self.bases.surface + u64::from(scratch_state(self.front_end.scratch as u32));
        let state = words(memory, address);
        let surface = state.and_then(|state| surface_state::decode(generation, state, memory));
        match surface {
            Some(surface) if surface.kind == SurfaceKind::Scratch => Ok(Some((surface.pitch, surface.width))),
            _ => Err(Error::NotMapped { what: "state of the surface of scratch space", address }),
        }
    }

    /// A walker with its sequence number and its groups; `None` if there are none.
    fn sized(&self, mut walker: Walker) -> Option<(u64, Walker)> {
        if walker.end_in_registers {
            walker.end = DISPATCH.map(|register| self.registers.read(register));
        }
        (!walker.extent().contains(&0)).then(|| (WALKERS.next(), walker))
    }

    /// The work of a walker with this payload.
    fn begin(
        &mut self,
        memory: &SharedMemory,
        number: u64,
        (walker, descriptor): (Walker, Descriptor),
        payload: Payload,
    ) -> Result<Walk, Error> {
        let kernel = self.bases.instruction + descriptor.kernel;
        let code = memory.at(kernel).ok_or(Error::NotMapped { what: "kernel", address: kernel })?;
        let program = self.programs.get(kernel, code);
        let program = program.map_err(|error| Error::Program { walker: number, address: kernel, error })?;
        let front_end = self.front_end;
        let scratch =
            front_end.has_scratch.then(|| (1024 << front_end.scratch_exponent.min(11), front_end.threads));
        let separate = self.programs.machine().generation >= Generation::XeHpg;
        let tables = if separate { self.bases.binding_tables } else { self.bases.surface };
        Ok(Walk {
            number,
            memory: SharedMemory::clone(memory),
            payload,
            walker,
            descriptor,
            program,
            kernel,
            general_state: self.bases.general,
            surface_states: self.bases.surface,
            binding_table: tables + u64::from(descriptor.binding_table),
            samplers: self.bases.dynamic + u64::from(descriptor.samplers),
            scratch,
            states: States::default(),
        })
    }

    /// Copies the payload of all threads: first the shared part, then that of each thread.
    fn payload(
        &self,
        memory: &dyn Memory,
        number: u64,
        walker: &Walker,
        descriptor: &Descriptor,
        poison: bool,
    ) -> Result<Payload, Error> {
        let machine = self.programs.machine();
        let registers = 1 + descriptor.per_thread + descriptor.cross_thread;
        if registers > machine.registers {
            return Err(Error::Payload { walker: number, registers });
        }
        let (length, offset) = walker.indirect;
        let address = if length > 0 {
            self.bases.indirect + u64::from(offset)
        } else {
            self.bases.dynamic + u64::from(self.payload)
        };
        let register = machine.register_bytes();
        let per_thread_bytes = register * descriptor.per_thread;
        let shared_bytes = register * descriptor.cross_thread;
        let bytes = shared_bytes + per_thread_bytes * walker.group_threads() as usize;
        let mut cross_thread = Vec::new();
        if bytes > 0 {
            let span = memory.at(address);
            let part = span.and_then(|span| span.part(register * descriptor.per_thread_offset, bytes));
            let part = part.ok_or(Error::NotMapped { what: "payload of the threads", address })?;
            cross_thread = part.copied(bytes);
        }
        let per_thread = cross_thread.split_off(shared_bytes);
        let front_end = self.front_end;
        let scratch = (front_end.scratch as u32, 1024 << front_end.scratch_exponent.min(11));
        let header = Header {
            arguments: 0,
            threads: 0,
            samplers: descriptor.samplers | front_end.scratch_exponent,
            binding_table: descriptor.binding_table,
            scratch: front_end.has_scratch.then_some(scratch),
            barrier: descriptor.barrier,
        };
        Ok(Payload { machine, header, cross_thread, per_thread, per_thread_bytes, poison })
    }
}
