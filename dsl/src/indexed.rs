//! Indices of surfaces and buffers, which these lack: the error message names the accesses.

use std::ops::Index;

use crate::backend::Backend;
use crate::buffer::LinearBuffer;
use crate::elem::Elem;
use crate::registers::Unsatisfied;
use crate::surface::Surface;

/// An index of a surface or buffer.
#[diagnostic::on_unimplemented(
    message = "surfaces and buffers are not indexed by `[..]`: read a block, `buffer.read::<8>(offset)` or \
               `surface.read::<u8, 8, 32>(x, y)`",
    label = "not an index of memory",
    note = "`.read_scattered(base, &numbers)` reads single elements; `.write(offset, &v)`, `.write(x, y, &m)` and \
            `.write_scattered(base, &numbers, &v)` write"
)]
pub trait MemoryIndex: Unsatisfied {
    /// The indexed element.
    type Element;
}

#[doc(hidden)]
impl<T: Elem, B: Backend, I: MemoryIndex> Index<I> for LinearBuffer<T, B> {
    type Output = I::Element;

    fn index(&self, _: I) -> &I::Element {
        match I::NEVER {}
    }
}

#[doc(hidden)]
impl<B: Backend, I: MemoryIndex> Index<I> for Surface<B> {
    type Output = I::Element;

    fn index(&self, _: I) -> &I::Element {
        match I::NEVER {}
    }
}
