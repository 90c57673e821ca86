//! The accesses to memory by name, as surfaces, buffers and sub-groups use them.

use cm_compiler::ops::AccessKind;
use cm_macros::op;

use crate::backend::Backend;
use crate::elem::Elem;

/// The text of a surface argument, and what the launch and the accesses do with its handle.
macro_rules! surface_handle {
    ($surface:ident) => {
        impl<B: Backend> std::fmt::Debug for $surface<B> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($surface)).field(&self.handle).finish()
            }
        }

        impl<B: Backend> $surface<B> {
            #[doc(hidden)]
            #[cm_macros::inlined]
            pub fn new(handle: B::Surface) -> Self {
                Self { handle }
            }

            /// The same argument, for a kernel thread. No method: kernels do not copy surfaces.
            #[doc(hidden)]
            #[cm_macros::inlined]
            pub fn copy(surface: &Self) -> Self {
                Self { handle: surface.handle }
            }

            #[cm_macros::inlined]
            pub(crate) fn handle(&self) -> &B::Surface {
                &self.handle
            }

            #[cm_macros::inlined]
            pub(crate) fn handle_mut(&mut self) -> &mut B::Surface {
                &mut self.handle
            }
        }
    };
}
pub(crate) use surface_handle;

/// A media block of a surface: `x` in bytes, `y` in rows, the edge rule of the surface's format.
#[op]
pub(crate) fn media_read<B: Backend, T: Elem, const R: usize, const C: usize>(
    surface: &B::Surface,
    x: B::Reg<i32, 1, 1>,
    y: B::Reg<i32, 1, 1>,
) -> B::Reg<T, R, C> {
    B::read_media::<T, R, C>(surface, x, y)
}

/// Writes a media block.
#[op]
pub(crate) fn media_write<B: Backend, T: Elem, const R: usize, const C: usize>(
    surface: &mut B::Surface,
    x: B::Reg<i32, 1, 1>,
    y: B::Reg<i32, 1, 1>,
    block: B::Reg<T, R, C>,
) {
    B::write_media::<T, R, C>(surface, x, y, block);
}

/// An oword block of a buffer, by one of the two kinds of reads; bytes outside are 0.
#[op]
pub(crate) fn oword_read<B: Backend, T: Elem, const N: usize>(
    kind: AccessKind,
    buffer: &B::Buffer,
    offset: B::Reg<u32, 1, 1>,
) -> B::Reg<T, 1, N> {
    B::read_bytes::<T, 1, N>(kind, buffer, offset)
}

/// Writes an oword block.
#[op]
pub(crate) fn oword_write<B: Backend, T: Elem, const R: usize, const C: usize>(
    buffer: &mut B::Buffer,
    offset: B::Reg<u32, 1, 1>,
    block: B::Reg<T, R, C>,
) {
    B::write_bytes::<T, R, C>(AccessKind::OwordWrite, buffer, offset, block);
}
