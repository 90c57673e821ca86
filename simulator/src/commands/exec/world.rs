//! The memory and surfaces of a kernel.

use std::collections::BTreeMap;
use std::path::Path;

use cm_simulator::binary::Kernel;
use cm_simulator::dispatch::{self, Shape, SurfaceKind};
use cm_simulator::memory::{Block, Memory, Span};

use super::error::Error;
use super::options::{self, Alias, Buffer, Files};

/// The address of the constants and globals of a program.
const CONSTANTS: u64 = 0x7e00_0000_0000;
const GLOBALS: u64 = 0x7e10_0000_0000;
/// The address of scratch space.
pub(crate) const SCRATCH: u64 = 0x7f00_0000_0000;

/// Bytes, and the files that they come from and go to.
struct Stored {
    block: Block,
    files: Files,
    before: Vec<u8>,
}

impl Stored {
    /// The bytes of a file, padded with zeros or truncated.
    fn new(files: Files, length: usize) -> Result<Self, Error> {
        let read = |path: &Path| match std::fs::read(path) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(vec![]),
            Err(why) => Err(Error::Read { path: path.to_owned(), why }),
            Ok(bytes) => Ok(bytes),
        };
        let mut before = files.input.as_deref().map_or(Ok(vec![]), read)?;
        before.resize(length, 0);
        Ok(Self::of(before, files))
    }

    fn of(bytes: Vec<u8>, files: Files) -> Self {
        let block = Block::filled(bytes.len(), 0);
        _ = block.span().write(0, &bytes);
        Self { block, files, before: bytes }
    }

    fn save(&self) -> Result<(), Error> {
        let after = self.block.to_vec();
        match &self.files.output {
            Some(path) if after != self.before || self.files.output != self.files.input => {
                std::fs::write(path, after).map_err(|why| Error::Write { path: path.clone(), why })
            }
            _ => Ok(()),
        }
    }
}

/// The location of the bytes of a surface.
enum Bytes {
    Own(Stored),
    /// In memory, at this address.
    Alias(u64),
}

struct Bound {
    bytes: Bytes,
    shape: Shape,
}

/// All memory and surfaces.
pub(crate) struct World {
    surfaces: BTreeMap<u32, Bound>,
    memory: Vec<(u64, Stored)>,
}

impl World {
    pub(crate) fn new(
        surfaces: Vec<options::Surface>,
        buffers: Vec<Buffer>,
        memory: Vec<options::Memory>,
    ) -> Result<Self, Error> {
        let mut world = Self { surfaces: BTreeMap::new(), memory: vec![] };
        for surface in surfaces {
            let shape = Shape {
                kind: SurfaceKind::D2,
                format: surface.format,
                tiling: surface.tiling,
                width: surface.width,
                height: surface.height,
                pitch: surface.pitch,
                texel: surface.texel,
            };
            let bytes = Bytes::Own(Stored::new(surface.files.clone(), surface.bytes())?);
            world.surfaces.insert(surface.entry, Bound { bytes, shape });
        }
        for buffer in buffers {
            let bytes = Bytes::Own(Stored::new(buffer.files, buffer.bytes as usize)?);
            world.surfaces.insert(buffer.entry, Bound { bytes, shape: Shape::buffer(buffer.bytes) });
        }
        for memory in memory {
            world.memory.push((memory.address, Stored::new(memory.files, memory.bytes as usize)?));
        }
        Ok(world)
    }

    /// Maps memory that contains zeros.
    pub(crate) fn map(&mut self, address: u64, bytes: usize) {
        self.map_bytes(address, vec![0; bytes]);
    }

    /// Maps memory that contains these bytes.
    pub(crate) fn map_bytes(&mut self, address: u64, bytes: Vec<u8>) {
        self.memory.push((address, Stored::of(bytes, Files { input: None, output: None })));
    }

    /// Adds a buffer over memory.
    pub(crate) fn alias(&mut self, alias: &Alias) -> Result<(), Error> {
        let Alias { entry, address, bytes } = *alias;
        if self.at(address).is_none_or(|span| span.len() < bytes as usize) {
            return Err(Error::Alias { entry, address, bytes });
        }
        let bound = Bound { bytes: Bytes::Alias(address), shape: Shape::buffer(bytes) };
        self.surfaces.insert(entry, bound);
        Ok(())
    }

    /// Maps the constants and globals of the program of a kernel.
    pub(crate) fn constants(&mut self, kernel: &Kernel, data: &mut [u8]) {
        for used in &kernel.program_data {
            let (address, bytes) =
                if used.is_constant { (CONSTANTS, &kernel.constants) } else { (GLOBALS, &kernel.globals) };
            if bytes.is_empty() {
                continue;
            }
            if self.at(address).is_none() {
                self.map_bytes(address, bytes.clone());
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

    /// Writes changed bytes to their files.
    pub(crate) fn save(&self) -> Result<(), Error> {
        let owned = self.surfaces.values().filter_map(|bound| match &bound.bytes {
            Bytes::Own(stored) => Some(stored),
            Bytes::Alias(_) => None,
        });
        owned.chain(self.memory.iter().map(|(_, stored)| stored)).try_for_each(Stored::save)
    }

    /// An entry of the binding table.
    pub(crate) fn surface(&self, entry: u32) -> Option<dispatch::Surface<'_>> {
        let Bound { bytes, shape } = self.surfaces.get(&entry)?;
        let (bytes, address) = match bytes {
            Bytes::Own(stored) => (stored.block.span(), 0),
            Bytes::Alias(address) => (self.at(*address)?, *address),
        };
        Some(shape.surface(bytes, address))
    }
}

impl Memory for World {
    fn at(&self, address: u64) -> Option<Span<'_>> {
        self.memory.iter().find_map(|(first, stored)| {
            let offset = usize::try_from(address.checked_sub(*first)?).ok()?;
            let span = stored.block.span();
            span.part(offset, span.len().checked_sub(offset).filter(|left| *left > 0)?)
        })
    }
}
