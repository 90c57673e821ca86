//! 32-bit addresses: in a surface, in shared local memory, or relative to the general state base.

use super::message::Message;
use super::port::{Named, Port};
use super::surface::{SHARED, STATELESS, bytes_of, is_buffer};
use crate::dispatch::{SurfaceKind, Tiling};
use crate::generation::Generation;
use crate::isa::Trouble;
use crate::memory::Span;

/// The base of the addresses of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'a> {
    /// Bytes with bounds: out-of-bounds reads give 0, and out-of-bounds writes are dropped.
    Bound(Span<'a>),
    /// The memory of the group: a window of 64 KiB, because Intel's compiler sets bits above it in pointers.
    Shared(Span<'a>),
    /// An address.
    Stateless(u64),
    /// All addresses have 64 bits.
    Absolute,
}

impl<'a> Base<'a> {
    /// The base that a message selects.
    pub(crate) fn of(port: &mut Port<'a>, message: &Message<'_>) -> Result<Self, Trouble> {
        let entry = message.fields.entry();
        if entry == SHARED {
            let shared = port.shared.ok_or_else(|| message.bad("a group without shared local memory"))?;
            return Ok(Self::Shared(shared.span()));
        }
        if STATELESS.contains(&entry) {
            let scratch = if message.header.is_some() { message.header(5)? & !0x3ff } else { 0 };
            if scratch != 0 && message.generation >= Generation::XeHpg {
                return Err(message.bad("not supported: an address with a surface for scratch space"));
            }
            return Ok(Self::Stateless(port.around.general_state_base().wrapping_add(scratch.into())));
        }
        Self::entry(port, message, entry)
    }

    /// A buffer from the binding table.
    pub(crate) fn entry(port: &mut Port<'a>, message: &Message<'_>, entry: u32) -> Result<Self, Trouble> {
        Self::named(port, message, Named::Entry(entry))
    }

    /// A buffer, or the scratch space of the thread.
    pub(crate) fn named(port: &mut Port<'a>, message: &Message<'_>, name: Named) -> Result<Self, Trouble> {
        let surface = port.named(name)?;
        if surface.kind == SurfaceKind::Null {
            return Ok(Self::Bound(surface.bytes.part(0, 0).unwrap_or(surface.bytes)));
        }
        if surface.kind == SurfaceKind::Scratch {
            let (thread, pitch) = (port.thread as usize, surface.pitch as usize);
            let part = (port.thread < surface.width).then(|| surface.bytes.part(thread * pitch, pitch));
            let missing = || message.bad(format!("no scratch space for thread {thread} of the device"));
            return part.flatten().map(Self::Bound).ok_or_else(missing);
        }
        if !is_buffer(&surface) && surface.tiling != Tiling::Linear {
            return Err(message.bad("a message for buffers on a surface of tiles"));
        }
        let bytes = usize::try_from(bytes_of(&surface)).unwrap_or(usize::MAX);
        Ok(Self::Bound(surface.bytes.part(0, bytes).unwrap_or(surface.bytes)))
    }

    /// The bytes at an address; `None` if reads give 0 and writes are dropped.
    pub(crate) fn at(
        self,
        port: &mut Port<'a>,
        address: u64,
        bytes: usize,
    ) -> Result<Option<Span<'a>>, Trouble> {
        let inside = |span: Span<'a>, address: u64| {
            usize::try_from(address).ok().and_then(|address| span.part(address, bytes))
        };
        match self {
            Self::Bound(span) => Ok(inside(span, address)),
            Self::Shared(span) => Ok(inside(span, address & 0xffff)),
            Self::Stateless(base) => port.memory(base.wrapping_add(address & 0xffff_ffff), bytes).map(Some),
            Self::Absolute => port.memory(address, bytes).map(Some),
        }
    }
}
