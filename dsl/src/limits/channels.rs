//! Channels of untyped and typed accesses: up to four dwords, and the coordinates of texels. The names are CM's.
//!
//! Each trait of elements is implemented without a macro, because rustc quotes these lines in its messages.

use super::AtomicInt;
use crate::elem::{Elem, Int};

macro_rules! channels {
    ($($(#[$doc:meta])* $name:ident $mask:literal $rows:literal;)*) => {
        $(
            $(#[$doc])*
            pub const $name: usize = $mask;

            impl ChannelRows<$rows> for Channels<$mask> {}
        )*
    };
}

/// The channels of a mask: red is bit 0, alpha bit 3.
#[derive(Clone, Copy, Debug)]
pub struct Channels<const MASK: usize>;

/// A mask with this number of channels, which is the number of rows that are read or written.
#[diagnostic::on_unimplemented(
    message = "a register with {R} rows does not have one for each channel of the mask",
    label = "another number of channels, or not a mask of channels",
    note = "masks are `CM_R` (1) to `CM_ABGR` (15), a bit for each channel: `CM_R` has 1 row, `CM_ABGR` has 4"
)]
pub trait ChannelRows<const R: usize> {}

channels! {
    /// Red: the first dword.
    CM_R 1 1;
    /// Green: the second dword.
    CM_G 2 1;
    /// Red and green.
    CM_GR 3 2;
    /// Blue: the third dword.
    CM_B 4 1;
    /// Red and blue.
    CM_BR 5 2;
    /// Green and blue.
    CM_BG 6 2;
    /// Red, green and blue.
    CM_BGR 7 3;
    /// Alpha: the fourth dword.
    CM_A 8 1;
    /// Red and alpha.
    CM_AR 9 2;
    /// Green and alpha.
    CM_AG 10 2;
    /// Red, green and alpha.
    CM_AGR 11 3;
    /// Blue and alpha.
    CM_AB 12 2;
    /// Red, blue and alpha.
    CM_ABR 13 3;
    /// Green, blue and alpha.
    CM_ABG 14 3;
    /// All channels.
    CM_ABGR 15 4;
}

/// An element of a typed access: a dword.
#[diagnostic::on_unimplemented(
    message = "typed accesses take elements `u32`, `i32` or `f32`, not `{Self}`",
    label = "not an element of a typed access",
    note = "channels are 32 bits in registers: take `u32`, or `f32` of `Format::R32F`, and `.convert()` the result"
)]
pub trait TypedElem: Elem {}
impl TypedElem for u32 {}
impl TypedElem for i32 {}
impl TypedElem for f32 {}

/// An element of the texels that samples read: a dword that is not negative, or a float.
#[diagnostic::on_unimplemented(
    message = "samples are of texels `u32` or `f32`, not `{Self}`",
    label = "not an element of a sampled surface",
    note = "take `u32` of formats of integers, and `f32` of `Format::R32F`; the results are `f32`"
)]
pub trait SampledElem: TypedElem {}
impl SampledElem for u32 {}
impl SampledElem for f32 {}

/// An element of an atomic operation on texels: an integer of 32 bits.
#[diagnostic::on_unimplemented(
    message = "atomic operations on texels take elements `u32` or `i32`, not `{Self}`",
    label = "not an element of an atomic operation on texels",
    note = "the texels of `Format::R32` are integers of 32 bits; atomic operations on buffers take other elements, too"
)]
pub trait TypedAtomicElem: TypedElem + AtomicInt {}
impl TypedAtomicElem for u32 {}
impl TypedAtomicElem for i32 {}

/// An element of an untyped access: a dword.
#[diagnostic::on_unimplemented(
    message = "untyped accesses take elements of 4 bytes, not `{Self}`",
    label = "not a dword",
    note = "declare the buffer as `&Buffer<u32>`, `&Buffer<i32>` or `&Buffer<f32>`"
)]
pub trait UntypedElem: Elem {}
impl UntypedElem for u32 {}
impl UntypedElem for i32 {}
impl UntypedElem for f32 {}

/// An element of the coordinates of texels: an integer of at most 32 bits, as in the message.
#[diagnostic::on_unimplemented(
    message = "columns, rows and slices of texels are integers of at most 32 bits, not `{Self}`",
    label = "not a coordinate of a texel",
    note = "`.convert::<i32>()` of the vector truncates floats and keeps the low 32 bits of longer integers"
)]
pub trait TexelNumber: Int {}
impl TexelNumber for u8 {}
impl TexelNumber for i8 {}
impl TexelNumber for u16 {}
impl TexelNumber for i16 {}
impl TexelNumber for u32 {}
impl TexelNumber for i32 {}
