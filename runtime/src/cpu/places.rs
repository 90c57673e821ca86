//! Places in the source of a kernel.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::panic::Location;

use cm_compiler::ir;

/// The position of a kernel thread in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    file: &'static str,
    line: u32,
    column: u32,
}

impl PartialEq for Place {
    /// Of the same call, which is seldom in another file.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let same_file = || std::ptr::eq(self.file, other.file) || self.file == other.file;
        self.line == other.line && self.column == other.column && same_file()
    }
}

thread_local! {
    /// The position of the kernel thread that this OS thread runs, if it has no compiled code.
    static NAMED: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Ends the naming of accesses, also if an access ends its thread.
struct Named;

impl Drop for Named {
    fn drop(&mut self) {
        NAMED.set(None);
    }
}

/// Attributes the accesses inside `access` to a place.
pub(super) fn named<T>(place: Place, access: impl FnOnce() -> T) -> T {
    NAMED.set(Some(place));
    let _named = Named;
    access()
}

/// The place of an access: its caller, unless it is [`named`].
pub(super) fn of(caller: &'static Location<'static>) -> Place {
    NAMED.get().unwrap_or_else(|| caller.into())
}

impl From<&'static Location<'static>> for Place {
    fn from(place: &'static Location<'static>) -> Self {
        Self { file: place.file(), line: place.line(), column: place.column() }
    }
}

impl From<&'static ir::Location> for Place {
    fn from(place: &'static ir::Location) -> Self {
        Self { file: &place.file, line: place.line, column: place.column }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        location(*self).fmt(f)
    }
}

/// The place in the form of errors.
pub(super) fn location(place: Place) -> ir::Location {
    ir::Location { file: place.file.into(), line: place.line, column: place.column }
}
