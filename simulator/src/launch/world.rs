//! The memory and surfaces of a kernel.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::binary::Kernel;
use crate::dispatch::{Prefetch, Shape, Surface};
use crate::memory::{Block, Memory, Span};

/// The address of the constants and globals of a program.
const CONSTANTS: u64 = 0x7e00_0000_0000;
const GLOBALS: u64 = 0x7e10_0000_0000;
/// The address of scratch space.
pub(crate) const SCRATCH: u64 = 0x7f00_0000_0000;

/// The location of the bytes of a surface.
#[derive(Debug)]
enum Bytes {
    Own(Block),
    /// In memory, at this address.
    Alias(u64),
}

#[derive(Debug)]
struct Bound {
    bytes: Bytes,
    shape: Shape,
}

/// All memory and surfaces of a launch.
#[derive(Debug, Default)]
pub struct World {
    surfaces: BTreeMap<u32, Bound>,
    memory: Vec<(u64, Block)>,
    /// If they are recorded.
    prefetched: Option<Mutex<Vec<Prefetch>>>,
}

impl World {
    /// Binds a surface with memory of its own, which contains these bytes.
    pub fn bind(&mut self, entry: u32, shape: Shape, bytes: &[u8]) {
        self.surfaces.insert(entry, Bound { bytes: Bytes::Own(block(bytes)), shape });
    }

    /// Maps memory that contains these bytes.
    pub fn map(&mut self, address: u64, bytes: &[u8]) {
        self.memory.push((address, block(bytes)));
    }

    /// Maps memory that contains zeros, which take no memory of the host until they are accessed.
    pub(crate) fn map_zeros(&mut self, address: u64, bytes: usize) {
        self.memory.push((address, Block::filled(bytes, 0)));
    }

    /// Binds a buffer over memory. Returns `false` if this memory is not mapped.
    #[must_use]
    pub fn alias(&mut self, entry: u32, address: u64, bytes: u32) -> bool {
        if self.at(address).is_none_or(|span| span.len() < bytes as usize) {
            return false;
        }
        self.surfaces.insert(entry, Bound { bytes: Bytes::Alias(address), shape: Shape::buffer(bytes) });
        true
    }

    /// Maps the constants and globals of the program of a kernel, and writes their addresses to the data of
    /// its threads.
    pub fn constants(&mut self, kernel: &Kernel, data: &mut [u8]) {
        for used in &kernel.program_data {
            let (address, bytes) =
                if used.is_constant { (CONSTANTS, &kernel.constants) } else { (GLOBALS, &kernel.globals) };
            if bytes.is_empty() {
                continue;
            }
            if self.at(address).is_none() {
                self.map(address, bytes);
            }
            let (start, size) = (used.offset as usize, (used.size as usize).min(8));
            if let Some(place) = data.get_mut(start..start + size) {
                place.copy_from_slice(&address.to_le_bytes()[..size]);
            }
            for (entry, state) in (0..).zip(&kernel.binding_table) {
                if i64::from(*state) == used.surface {
                    let shape = Shape::buffer(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
                    self.surfaces.entry(entry).or_insert(Bound { bytes: Bytes::Alias(address), shape });
                }
            }
        }
    }

    /// The bytes of a surface that has [its own memory](Self::bind).
    #[must_use]
    pub fn bound(&self, entry: u32) -> Option<Vec<u8>> {
        match &self.surfaces.get(&entry)?.bytes {
            Bytes::Own(block) => Some(block.to_vec()),
            Bytes::Alias(_) => None,
        }
    }

    /// The bytes of the memory that was mapped at this address.
    #[must_use]
    pub fn mapped(&self, address: u64) -> Option<Vec<u8>> {
        self.memory.iter().find(|(first, _)| *first == address).map(|(_, block)| block.to_vec())
    }

    /// Records the prefetches of launches from now on.
    pub fn record_prefetches(&mut self) {
        self.prefetched = Some(Mutex::default());
    }

    pub(crate) fn prefetch(&self, prefetch: Prefetch) {
        if let Some(prefetched) = &self.prefetched {
            prefetched.lock().unwrap_or_else(PoisonError::into_inner).push(prefetch);
        }
    }

    /// The recorded prefetches, in order if one host thread ran the launches.
    #[must_use]
    pub fn prefetched(&self) -> Vec<Prefetch> {
        let recorded = self.prefetched.as_ref();
        recorded.map(|all| all.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap_or_default()
    }

    /// An entry of the binding table.
    pub(crate) fn surface(&self, entry: u32) -> Option<Surface<'_>> {
        let Bound { bytes, shape } = self.surfaces.get(&entry)?;
        let (bytes, address) = match bytes {
            Bytes::Own(block) => (block.span(), 0),
            Bytes::Alias(address) => (self.at(*address)?, *address),
        };
        Some(shape.surface(bytes, address))
    }
}

impl Memory for World {
    fn at(&self, address: u64) -> Option<Span<'_>> {
        self.memory.iter().find_map(|(first, block)| {
            let offset = usize::try_from(address.checked_sub(*first)?).ok()?;
            let span = block.span();
            span.part(offset, span.len().checked_sub(offset).filter(|left| *left > 0)?)
        })
    }
}

fn block(bytes: &[u8]) -> Block {
    let block = Block::filled(bytes.len(), 0);
    _ = block.span().write(0, bytes);
    block
}
