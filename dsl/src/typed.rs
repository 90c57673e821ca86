//! Typed accesses to surfaces: channels of texels, addressed by their coordinates. The methods of 2-D and 3-D surfaces
//! are the same, so they are written once.

use cm_compiler::limits;
use cm_compiler::ops::ChannelMask;
use cm_macros::op;

use crate::atomic::Atomic;
use crate::backend::{Backend, require};
use crate::limits::{TypedAtomicElem, TypedElem};
use crate::registers::{Matrix, Vector};

/// The channels of a mask.
const fn mask_of<const MASK: usize>() -> ChannelMask {
    match ChannelMask::new(MASK) {
        Some(mask) => mask,
        None => panic!("the bounds of typed accesses have masks of channels"),
    }
}

/// Reads channels of the texels at these coordinates, a row each.
#[op]
pub(crate) fn read<
    B: Backend,
    T: TypedElem,
    const MASK: usize,
    const R: usize,
    const L: usize,
    const D: usize,
>(
    surface: &B::Surface,
    place: [B::Reg<u32, 1, L>; D],
) -> Matrix<T, R, L, B> {
    require::<B>(const { limits::scattered(L) });
    Matrix::from_reg(B::read_texels::<T, R, L, D>(surface, const { mask_of::<MASK>() }, place))
}

/// Writes channels of the texels at these coordinates.
#[op]
pub(crate) fn write<
    B: Backend,
    T: TypedElem,
    const MASK: usize,
    const R: usize,
    const L: usize,
    const D: usize,
>(
    surface: &mut B::Surface,
    place: [B::Reg<u32, 1, L>; D],
    values: &Matrix<T, R, L, B>,
) {
    require::<B>(const { limits::scattered(L) });
    let values = (*values).into_reg();
    B::write_texels::<T, R, L, D>(surface, const { mask_of::<MASK>() }, place, values);
}

/// Updates the texels at these coordinates, and returns their old values.
#[op]
pub(crate) fn update<B: Backend, T: TypedAtomicElem, O: Atomic<T, L, B>, const L: usize, const D: usize>(
    surface: &mut B::Surface,
    place: [B::Reg<u32, 1, L>; D],
    operation: O,
) -> Vector<T, L, B> {
    require::<B>(const { limits::scattered(L) });
    Vector::from_reg(B::update_texels::<O::Op, T, L, D>(surface, place, operation.sources()))
}

/// Implements the typed accesses of a surface, whose texels have these coordinates. A mask of lanes replaces the first
/// coordinate of the others by one outside. The forms without bounds are checked when the kernel is recorded.
macro_rules! typed_accesses {
    (
        $surface:ident ($first:ident $(, $next:ident)+);
        $(#[$read:meta])* read_typed;
        $(#[$read_masked:meta])* read_typed_masked;
        $(#[$write:meta])* write_typed;
        $(#[$write_masked:meta])* write_typed_masked;
        $(#[$update:meta])* write_typed_atomic;
        $(#[$update_masked:meta])* write_typed_atomic_masked;
        $(#[$fetch:meta])* fetch_typed_atomic;
        $(#[$fetch_masked:meta])* fetch_typed_atomic_masked;
    ) => {
        /// Typed accesses: channels of texels, and atomic operations on them.
        impl<B: Backend> $surface<B> {
            $(#[$read])*
            #[op]
            pub fn read_typed<T: TypedElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Matrix<T, R, L, B>
            where
                Channels<MASK>: ChannelRows<R>,
                Shape<1, L>: ScatteredLanes,
            {
                self.read_typed_any::<T, MASK, R, L>($first $(, $next)+)
            }

            $(#[$read_masked])*
            #[op]
            pub fn read_typed_masked<T: TypedElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                mask: impl Mask<1, L, B, Len<L>>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Matrix<T, R, L, B>
            where
                Channels<MASK>: ChannelRows<R>,
                Shape<1, L>: ScatteredLanes,
            {
                self.read_typed_masked_any::<T, MASK, R, L>(mask, $first $(, $next)+)
            }

            $(#[$write])*
            #[op]
            pub fn write_typed<const MASK: usize, const R: usize, const L: usize>(
                &mut self,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
                values: &Matrix<impl TypedElem, R, L, B>,
            )
            where
                Channels<MASK>: ChannelRows<R>,
                Shape<1, L>: ScatteredLanes,
            {
                self.write_typed_any::<MASK, R, L>($first $(, $next)+, values);
            }

            $(#[$write_masked])*
            #[op]
            pub fn write_typed_masked<const MASK: usize, const R: usize, const L: usize>(
                &mut self,
                mask: impl Mask<1, L, B, Len<L>>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
                values: &Matrix<impl TypedElem, R, L, B>,
            )
            where
                Channels<MASK>: ChannelRows<R>,
                Shape<1, L>: ScatteredLanes,
            {
                self.write_typed_masked_any::<MASK, R, L>(mask, $first $(, $next)+, values);
            }

            $(#[$update])*
            #[op]
            pub fn write_typed_atomic<T: TypedAtomicElem, const L: usize>(
                &mut self,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            )
            where
                Shape<1, L>: ScatteredLanes,
            {
                self.write_typed_atomic_any::<T, L>(operation, $first $(, $next)+);
            }

            $(#[$update_masked])*
            #[op]
            pub fn write_typed_atomic_masked<T: TypedAtomicElem, const L: usize>(
                &mut self,
                mask: impl Mask<1, L, B, Len<L>>,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            )
            where
                Shape<1, L>: ScatteredLanes,
            {
                self.write_typed_atomic_masked_any::<T, L>(mask, operation, $first $(, $next)+);
            }

            $(#[$fetch])*
            #[op]
            pub fn fetch_typed_atomic<T: TypedAtomicElem, const L: usize>(
                &mut self,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Vector<T, L, B>
            where
                Shape<1, L>: ScatteredLanes,
            {
                self.fetch_typed_atomic_any::<T, L>(operation, $first $(, $next)+)
            }

            $(#[$fetch_masked])*
            #[op]
            pub fn fetch_typed_atomic_masked<T: TypedAtomicElem, const L: usize>(
                &mut self,
                mask: impl Mask<1, L, B, Len<L>>,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Vector<T, L, B>
            where
                Shape<1, L>: ScatteredLanes,
            {
                self.fetch_typed_atomic_masked_any::<T, L>(mask, operation, $first $(, $next)+)
            }
        }

        /// Typed accesses without a bound on the number of texels, which is checked when the kernel is recorded.
        impl<B: Backend> $surface<B> {
            /// [`read_typed`](Self::read_typed) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn read_typed_any<T: TypedElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Matrix<T, R, L, B>
            where
                Channels<MASK>: ChannelRows<R>,
            {
                read::<B, T, MASK, R, L, _>(self.handle(), typed_accesses!(@place $first $($next)+))
            }

            /// [`read_typed_masked`](Self::read_typed_masked) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn read_typed_masked_any<T: TypedElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                mask: impl Mask<1, L, B, Len<L>>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Matrix<T, R, L, B>
            where
                Channels<MASK>: ChannelRows<R>,
            {
                read::<B, T, MASK, R, L, _>(self.handle(), typed_accesses!(@masked mask $first $($next)+))
            }

            /// [`write_typed`](Self::write_typed) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn write_typed_any<const MASK: usize, const R: usize, const L: usize>(
                &mut self,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
                values: &Matrix<impl TypedElem, R, L, B>,
            )
            where
                Channels<MASK>: ChannelRows<R>,
            {
                write::<B, _, MASK, R, L, _>(self.handle_mut(), typed_accesses!(@place $first $($next)+), values);
            }

            /// [`write_typed_masked`](Self::write_typed_masked) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn write_typed_masked_any<const MASK: usize, const R: usize, const L: usize>(
                &mut self,
                mask: impl Mask<1, L, B, Len<L>>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
                values: &Matrix<impl TypedElem, R, L, B>,
            )
            where
                Channels<MASK>: ChannelRows<R>,
            {
                write::<B, _, MASK, R, L, _>(self.handle_mut(), typed_accesses!(@masked mask $first $($next)+), values);
            }

            /// [`write_typed_atomic`](Self::write_typed_atomic) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn write_typed_atomic_any<T: TypedAtomicElem, const L: usize>(
                &mut self,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) {
                let _ = update::<B, T, _, L, _>(self.handle_mut(), typed_accesses!(@place $first $($next)+), operation);
            }

            /// [`write_typed_atomic_masked`](Self::write_typed_atomic_masked) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn write_typed_atomic_masked_any<T: TypedAtomicElem, const L: usize>(
                &mut self,
                mask: impl Mask<1, L, B, Len<L>>,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) {
                let _ = update::<B, T, _, L, _>(self.handle_mut(), typed_accesses!(@masked mask $first $($next)+), operation);
            }

            /// [`fetch_typed_atomic`](Self::fetch_typed_atomic) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn fetch_typed_atomic_any<T: TypedAtomicElem, const L: usize>(
                &mut self,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Vector<T, L, B> {
                update::<B, T, _, L, _>(self.handle_mut(), typed_accesses!(@place $first $($next)+), operation)
            }

            /// [`fetch_typed_atomic_masked`](Self::fetch_typed_atomic_masked) without a bound. The number of texels is checked when
            /// the kernel is recorded.
            #[op]
            pub fn fetch_typed_atomic_masked_any<T: TypedAtomicElem, const L: usize>(
                &mut self,
                mask: impl Mask<1, L, B, Len<L>>,
                operation: impl Atomic<T, L, B>,
                $first: &Vector<impl TexelNumber, L, B>,
                $($next: &Vector<impl TexelNumber, L, B>,)+
            ) -> Vector<T, L, B> {
                update::<B, T, _, L, _>(self.handle_mut(), typed_accesses!(@masked mask $first $($next)+), operation)
            }
        }
    };
    (@place $first:ident $($next:ident)+) => {
        [$first.convert::<u32>().into_reg(), $($next.convert::<u32>().into_reg()),+]
    };
    (@masked $mask:ident $first:ident $($next:ident)+) => {
        [masked($mask, $first.convert()).into_reg(), $($next.convert::<u32>().into_reg()),+]
    };
}
pub(crate) use typed_accesses;
