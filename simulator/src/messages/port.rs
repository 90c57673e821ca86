//! The memory and the surfaces that messages access.

use std::fmt;

use super::surface::completed;
use crate::dispatch::{Surface, SurfaceKind, Surroundings};
use crate::isa::Trouble;
use crate::memory::{Block, Span};

/// How messages refer to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// An entry of the binding table.
    Entry(u32),
    /// The byte offset of its state.
    State(u32),
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(entry) => write!(f, "entry {entry} of the binding table"),
            Self::State(state) => write!(f, "the state {state:#x} bytes behind the base of states"),
        }
    }
}

/// The memory that the messages of a running thread access.
pub(crate) struct Port<'a> {
    pub(crate) around: &'a dyn Surroundings,
    pub(crate) shared: Option<&'a Block>,
    /// The number of the hardware thread.
    pub(crate) thread: u32,
    /// The surfaces that were used.
    surfaces: Vec<(Named, Surface<'a>)>,
    /// The last used memory, and its first address.
    last: Option<(u64, Span<'a>)>,
    /// A message's payload.
    pub(crate) payload: Vec<u8>,
}

impl fmt::Debug for Port<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Port").field("surfaces", &self.surfaces.len()).finish_non_exhaustive()
    }
}

impl<'a> Port<'a> {
    pub(crate) fn new(around: &'a dyn Surroundings, shared: Option<&'a Block>, thread: u32) -> Self {
        Self { around, shared, thread, surfaces: vec![], last: None, payload: vec![0; 47 * 64] }
    }

    /// An entry of the binding table.
    pub(crate) fn surface(&mut self, entry: u32) -> Result<Surface<'a>, Trouble> {
        self.named(Named::Entry(entry))
    }

    /// The surface with this name.
    pub(crate) fn named(&mut self, name: Named) -> Result<Surface<'a>, Trouble> {
        if let Some((_, surface)) = self.surfaces.iter().find(|(known, _)| *known == name) {
            return Ok(*surface);
        }
        let found = match name {
            Named::Entry(entry) => self.around.surface(entry),
            Named::State(state) => self.around.surface_at(state),
        };
        let surface = completed(found.ok_or_else(|| Trouble::Other(format!("no surface at {name}")))?);
        if surface.kind != SurfaceKind::Null && surface.bytes.is_empty() {
            return Err(Trouble::Other(format!("the surface at {name} has no memory")));
        }
        self.surfaces.push((name, surface));
        Ok(surface)
    }

    /// The bytes at an address.
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
