//! Places in the source of a kernel.

use std::panic::Location;

use cm_compiler::ir;

/// Where a kernel thread is.
pub(super) type Place = &'static Location<'static>;

/// The same as errors name it.
pub(super) fn location(place: Place) -> ir::Location {
    ir::Location { file: place.file().into(), line: place.line(), column: place.column() }
}
