//! What is asked of the bits of dwords.

use super::element::{Convert as _, Elem, Int};

/// An integer element type of 32 bits: `u32` or `i32`. In CM: `uint`, `int`.
#[diagnostic::on_unimplemented(
    message = "this function is not defined for `{Self}` elements",
    label = "needs `u32` or `i32` elements",
    note = "`.convert::<u32>()` makes some"
)]
pub trait Dword: Int + OfBits {}
impl Dword for u32 {}
impl Dword for i32 {}

/// The functions of one element.
pub trait OfBits: Elem {
    /// The zeros above the highest bit that is set; of 0 32.
    fn lzd(x: Self) -> Self::Unsigned;
    /// The bits that are set.
    fn cbit(x: Self) -> Self::Unsigned;
    /// The lowest bit that is set; of 0 all ones.
    fn fbl(x: Self) -> Self::Unsigned;
    /// From the highest bit down the first that differs from the sign; all ones if there is none.
    fn fbh(x: Self) -> Self::Unsigned;
    /// The bits in reverse order.
    fn bf_reverse(x: Self) -> Self;
    /// The sum of the products of their bytes, which are signed or not.
    fn dot(a: Self, b: Self, a_signed: bool, b_signed: bool) -> Self;
    /// The low `width` bits of `x >> offset`, by sign; both are taken by their low 5 bits.
    fn bf_extract(x: Self, offset: Self, width: Self) -> Self;
}

macro_rules! dwords {
    ($($t:ident: |$x:ident| $without_sign:expr;)*) => {$(
        impl OfBits for $t {
            #[inline(always)]
            fn lzd(x: Self) -> u32 {
                x.leading_zeros()
            }
            #[inline(always)]
            fn cbit(x: Self) -> u32 {
                x.count_ones()
            }
            #[inline(always)]
            fn fbl(x: Self) -> u32 {
                if x == 0 { u32::MAX } else { x.trailing_zeros() }
            }
            #[inline(always)]
            fn fbh($x: Self) -> u32 {
                let size: Self = $without_sign;
                if size == 0 { u32::MAX } else { size.leading_zeros() }
            }
            #[inline(always)]
            fn bf_reverse(x: Self) -> Self {
                x.reverse_bits()
            }
            #[inline(always)]
            fn dot(a: Self, b: Self, a_signed: bool, b_signed: bool) -> Self {
                let byte = |x: Self, k: u32, signed: bool| {
                    let byte = (x as u32 >> (8 * k)) as u8;
                    if signed { i32::from(byte as i8) } else { i32::from(byte) }
                };
                let product = |k: u32| byte(a, k, a_signed) * byte(b, k, b_signed);
                (product(0) + product(1) + product(2) + product(3)) as Self
            }
            #[inline(always)]
            fn bf_extract(x: Self, offset: Self, width: Self) -> Self {
                let (offset, width) = (offset as u32 & 31, width as u32 & 31);
                // Up to the highest place, and down again by sign.
                let width = width.min(32 - offset);
                let field = x.wrapping_shl(32 - offset - width).wrapping_shr(32 - width);
                if width == 0 { Self::cast_from(0u8) } else { field }
            }
        }
    )*};
}

dwords! {
    u32: |x| x;
    i32: |x| x ^ (x >> 31);
}
