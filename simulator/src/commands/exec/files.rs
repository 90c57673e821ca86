//! The files of the memory and surfaces of a kernel.

use std::path::Path;

use cm_simulator::dispatch::Shape;
use cm_simulator::launch::World;

use super::error::Error;
use super::options::{self, Alias, Buffer, Files};

/// The location of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// This entry of the binding table.
    Entry(u32),
    Address(u64),
}

/// Bytes that are written to a file if the kernel changes them.
struct Saved {
    place: Place,
    files: Files,
    before: Vec<u8>,
}

/// Memory and surfaces that come from files.
#[derive(Default)]
pub(crate) struct Stored {
    pub(crate) world: World,
    saved: Vec<Saved>,
}

impl Stored {
    pub(crate) fn new(
        surfaces: Vec<options::Surface>,
        buffers: Vec<Buffer>,
        memory: Vec<options::Memory>,
        aliases: &[Alias],
    ) -> Result<Self, Error> {
        let mut stored = Self::default();
        for surface in surfaces {
            stored.bind(surface.entry, surface.shape, surface.bytes, surface.files)?;
        }
        for buffer in buffers {
            let shape = Shape::buffer(buffer.bytes);
            stored.bind(buffer.entry, shape, buffer.bytes, buffer.files)?;
        }
        for memory in memory {
            let before = read(&memory.files, memory.bytes)?;
            stored.world.map(memory.address, &before);
            stored.saved.push(Saved { place: Place::Address(memory.address), files: memory.files, before });
        }
        for &Alias { entry, address, bytes } in aliases {
            if !stored.world.alias(entry, address, bytes) {
                return Err(Error::Alias { entry, address, bytes });
            }
        }
        Ok(stored)
    }

    fn bind(&mut self, entry: u32, shape: Shape, bytes: u32, files: Files) -> Result<(), Error> {
        let before = read(&files, bytes)?;
        self.world.bind(entry, shape, &before);
        let place = Place::Entry(entry);
        self.saved.retain(|saved| saved.place != place);
        self.saved.push(Saved { place, files, before });
        Ok(())
    }

    /// Writes changed bytes to their files.
    pub(crate) fn save(&self) -> Result<(), Error> {
        for Saved { place, files, before } in &self.saved {
            let after = match place {
                Place::Entry(entry) => self.world.bound(*entry),
                Place::Address(address) => self.world.mapped(*address),
            };
            // An alias may have replaced a surface.
            let (Some(path), Some(after)) = (&files.output, after) else { continue };
            if after != *before || files.output != files.input {
                std::fs::write(path, after).map_err(|why| Error::Write { path: path.clone(), why })?;
            }
        }
        Ok(())
    }
}

/// The bytes of a file, padded with zeros or truncated.
fn read(files: &Files, length: u32) -> Result<Vec<u8>, Error> {
    let read = |path: &Path| match std::fs::read(path) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(vec![]),
        Err(why) => Err(Error::Read { path: path.to_owned(), why }),
        Ok(bytes) => Ok(bytes),
    };
    let mut bytes = files.input.as_deref().map_or(Ok(vec![]), read)?;
    bytes.resize(length as usize, 0);
    Ok(bytes)
}
