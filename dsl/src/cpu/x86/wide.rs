//! Vectors of 32 and 64 bytes, which are added element by element in plain Rust: one instruction where a function is compiled for
//! an instruction set that has them, whose proof this code does not need, and several elsewhere. The compiler keeps what is loaded as
//! such a vector, up to the variables of a loop, in vectors as long.
#![allow(unsafe_code)]

use std::arch::x86_64::{__m256, __m256d, __m256i, __m512i};

use cm_macros::inlined;

/// Elements of such a vector. Those of an array are integers in vectors of 64 bytes.
pub(super) trait Wide: Copy {
    /// The vector, plain numbers.
    type Vector: Copy;
    /// Its elements.
    type Elements: Copy;
    /// Zeros.
    const ZERO: Self::Vector;
    /// Sums of elements.
    fn add(a: Self::Elements, b: Self::Elements) -> Self::Elements;
}

macro_rules! wide {
    ($($wide:ty: $elem:ty, $vector:ty, $add:path;)*) => {$(
        impl Wide for $wide {
            type Vector = $vector;
            type Elements = [$elem; size_of::<$vector>() / size_of::<$elem>()];
            // SAFETY: all bits of numbers may be 0.
            const ZERO: $vector = unsafe { std::mem::zeroed() };

            #[inlined]
            fn add(a: Self::Elements, b: Self::Elements) -> Self::Elements {
                let mut sums = a;
                for k in 0..sums.len() {
                    sums[k] = $add(a[k], b[k]);
                }
                sums
            }
        }
    )*};
}
wide! {
    f32: f32, __m256, std::ops::Add::add;
    f64: f64, __m256d, std::ops::Add::add;
    u16: u16, __m256i, u16::wrapping_add;
    u32: u32, __m256i, u32::wrapping_add;
    [u16; 2]: u16, __m512i, u16::wrapping_add;
    [u32; 2]: u32, __m512i, u32::wrapping_add;
}

/// The sums of the elements of two vectors.
#[inlined]
pub(super) fn added<T: Wide>(a: T::Vector, b: T::Vector) -> T::Vector {
    const { assert!(size_of::<T::Vector>() == size_of::<T::Elements>()) };
    // SAFETY: both types are plain numbers of this size.
    unsafe {
        let (a, b) = (std::mem::transmute_copy(&a), std::mem::transmute_copy(&b));
        std::mem::transmute_copy(&T::add(a, b))
    }
}
