//! A walker with its environment.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::descriptor::{Descriptor, Walker};
use super::payload::Payload;
use super::surface_state;
use crate::dispatch::{Floats, Surface, Surroundings};
use crate::eu::Program;
use crate::memory::{Memory, Span};

/// Memory that all threads of a walker share.
pub(super) type SharedMemory = Arc<dyn Memory + Send + Sync>;

/// The number of entries of a binding table; higher numbers mean no surface.
const ENTRIES: usize = 240;

/// The states of the surfaces that threads have used, so that each is read only once.
pub(super) struct States(Box<[OnceLock<Option<[u32; 16]>>]>);

impl Default for States {
    fn default() -> Self {
        Self((0..ENTRIES).map(|_| OnceLock::new()).collect())
    }
}

/// A walker.
pub(super) struct Walk {
    /// Its number in this process, starting at 1.
    pub(super) number: u64,
    pub(super) memory: SharedMemory,
    pub(super) walker: Walker,
    pub(super) descriptor: Descriptor,
    pub(super) payload: Payload,
    pub(super) program: Arc<Program>,
    /// Addresses.
    pub(super) kernel: u64,
    pub(super) general_state: u64,
    pub(super) surface_states: u64,
    pub(super) binding_table: u64,
    pub(super) samplers: u64,
    /// Bytes for each thread, and the number of threads that have them.
    pub(super) scratch: Option<(u32, u32)>,
    pub(super) states: States,
}

/// The words at an address; `None` if they are not all mapped.
pub(super) fn words<const N: usize>(memory: &dyn Memory, address: u64) -> Option<[u32; N]> {
    let span: Span<'_> = memory.at(address)?;
    let mut words = [0; N];
    for (index, word) in words.iter_mut().enumerate() {
        *word = span.four(4 * index)?.load(Ordering::Relaxed);
    }
    Some(words)
}

impl Walk {
    fn state(&self, entry: u32) -> Option<[u32; 16]> {
        let [offset] = words(&*self.memory, self.binding_table + 4 * u64::from(entry))?;
        words(&*self.memory, self.surface_states + u64::from(offset & !(surface_state::BYTES as u32 - 1)))
    }
}

impl Surroundings for Walk {
    fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    fn surface(&self, entry: u32) -> Option<Surface<'_>> {
        let state = self.states.0.get(entry as usize)?;
        surface_state::decode(
            self.program.machine().generation,
            (*state.get_or_init(|| self.state(entry)))?,
            &*self.memory,
        )
    }

    fn sampler(&self, number: u32) -> Option<[u32; 4]> {
        words(&*self.memory, self.samplers + 16 * u64::from(number))
    }

    fn general_state_base(&self) -> u64 {
        self.general_state
    }

    fn surface_at(&self, state: u32) -> Option<Surface<'_>> {
        let memory = &*self.memory;
        let words = words(memory, self.surface_states + u64::from(state))?;
        surface_state::decode(self.program.machine().generation, words, memory)
    }

    fn floats(&self) -> Floats {
        self.descriptor.floats()
    }
}
