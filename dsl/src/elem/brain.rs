//! `bf16`, the upper half of an `f32`: an element type of registers and memory. The language has no operators of
//! it: kernels convert.

use half::bf16;

use super::element::{Convert, Elem};

/// Whether the elements are `bf16`: floats that are recorded as their bits.
pub(crate) const fn is_brain<T: Elem>() -> bool {
    T::FLOAT && !T::TYPE.is_float()
}

/// The nearest one, of two the even one; a NaN stays one. Without branches, so that it vectorises.
#[inline(always)]
fn rounded(x: f32) -> bf16 {
    let bits = x.to_bits();
    let near = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    let all = if x.is_nan() { bits | 0x0040_0000 } else { near };
    bf16::from_bits((all >> 16) as u16)
}

impl Convert for bf16 {
    const RANGE: (i128, i128) = (0, 1);

    /// The nearest `f32` first: from `i32`, `u32`, 64-bit integers and `f64` it rounds twice.
    #[inline(always)]
    fn cast_from<T: Elem>(x: T) -> Self {
        // The bits of a NaN too.
        if is_brain::<T>() { bytemuck::cast(x) } else { rounded(f32::cast_from(x)) }
    }

    #[inline(always)]
    fn saturate_from<T: Elem>(x: T) -> Self {
        rounded(f32::saturate_from(x))
    }

    #[inline(always)]
    fn from_i128(x: i128) -> Self {
        rounded(f32::from_i128(x))
    }
}
