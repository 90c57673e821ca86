//! The memory and the surfaces that messages name.

use super::surface::completed;
use crate::dispatch::{Surface, SurfaceKind, Surroundings};
use crate::isa::Trouble;
use crate::memory::{Block, Span};

/// The memory behind a thread's messages, while it runs.
pub(crate) struct Port<'a> {
    pub(crate) around: &'a dyn Surroundings,
    pub(crate) shared: Option<&'a Block>,
    /// Surfaces that were used, by their entries.
    surfaces: Vec<(u32, Surface<'a>)>,
    /// The memory that was used last, and its first address.
    last: Option<(u64, Span<'a>)>,
    /// A message's payload.
    pub(crate) payload: Vec<u8>,
}

impl std::fmt::Debug for Port<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Port").field("surfaces", &self.surfaces.len()).finish_non_exhaustive()
    }
}

impl<'a> Port<'a> {
    pub(crate) fn new(around: &'a dyn Surroundings, shared: Option<&'a Block>) -> Self {
        Self { around, shared, surfaces: vec![], last: None, payload: vec![0; 47 * 64] }
    }

    /// An entry of the binding table.
    pub(crate) fn surface(&mut self, entry: u32) -> Result<Surface<'a>, Trouble> {
        if let Some((_, surface)) = self.surfaces.iter().find(|(known, _)| *known == entry) {
            return Ok(*surface);
        }
        let missing = || Trouble::Other(format!("no surface at entry {entry} of the binding table"));
        let surface = completed(self.around.surface(entry).ok_or_else(missing)?);
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
}
