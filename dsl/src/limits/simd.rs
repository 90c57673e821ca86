//! The lanes of SIMD control flow.

use super::count::Shape;

/// A shape of 2, 4, 8, 16 or 32 lanes, the lanes of `simd_if!` and `simd_while!`.
///
/// In helpers with generic sizes it is checked when the kernel is recorded.
#[diagnostic::on_unimplemented(
    message = "SIMD control flow over a number of lanes that is not 2, 4, 8, 16 or 32",
    label = "not a mask of 2, 4, 8, 16 or 32 elements",
    note = "decide over parts: `let low = mask.select::<16, 1>(0)`"
)]
pub trait SimdLanes {}

macro_rules! shapes {
    ($($rows:literal: $($columns:literal)*;)*) => {$($(
        impl SimdLanes for Shape<$rows, $columns> {}
    )*)*};
}

shapes! {
    1: 2 4 8 16 32;
    2: 1 2 4 8 16;
    4: 1 2 4 8;
    8: 1 2 4;
    16: 1 2;
    32: 1;
}
