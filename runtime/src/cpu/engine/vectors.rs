//! The most frequent operations as SSE2 instructions, which every x86-64 CPU has.
//!
//! If this crate is not optimised, the loops of `elements` take some nanoseconds for each element; assembly
//! keeps its speed. An entry lists the elements of a round, the bytes by which the operands and the result
//! advance in a round, the instructions before the loop, and the instructions of a round, which store at most
//! 16 bytes. Registers are multiples of 16 bytes, or have [`BEYOND`](super::rows::BEYOND) more bytes, so
//! reads and writes beyond the end have no effect. Tests compare every function with `elements`.

use std::arch::asm;

use super::elements::{Compute, Extent};
use super::rows::{comparisons, row_pairs, row_tables};

/// Declares functions that run instructions in rounds: `name elements (a, b, c) -> result: [once] round;`.
macro_rules! loops {
    ($(
        $name:ident $elements:literal ($a:literal, $b:literal, $c:literal) -> $to:literal:
            [$($once:literal)*] $($line:literal)*;
    )*) => {$(
        /// # Safety
        /// See [`Compute`].
        pub(super) unsafe fn $name(to: *mut u8, [a, b, c]: [*const u8; 3], extent: Extent) {
            let rounds = (extent.count * extent.threads).div_ceil($elements);
            if rounds == 0 {
                return;
            }
            // SAFETY: a round only accesses the addresses of its elements, as the header of this file
            // explains; the caller's registers have them.
            unsafe {
                asm!(
                    $($once,)*
                    "2:",
                    $($line,)*
                    concat!("add {a}, ", $a),
                    concat!("add {b}, ", $b),
                    concat!("add {c}, ", $c),
                    concat!("add {to}, ", $to),
                    "dec {rounds}",
                    "jnz 2b",
                    "/* {number} {spare} */",
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    c = inout(reg) c => _,
                    to = inout(reg) to => _,
                    rounds = inout(reg) rounds => _,
                    number = in(reg) extent.other,
                    spare = out(reg) _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    options(nostack),
                );
            }
        }
    )*};
}

/// Binary operations that are one instruction: `name bytes instruction`.
macro_rules! pairs {
    ($($name:ident $size:literal $instruction:literal;)*) => {$(
        /// # Safety
        /// See [`Compute`].
        pub(super) unsafe fn $name(to: *mut u8, [a, b, _]: [*const u8; 3], extent: Extent) {
            let bytes = (extent.count * extent.threads * $size).next_multiple_of(16);
            if bytes == 0 {
                return;
            }
            // SAFETY: as in `loops`.
            unsafe {
                asm!(
                    "2:",
                    "movdqu xmm0, [{a} + {at}]",
                    "movdqu xmm1, [{b} + {at}]",
                    concat!($instruction, " xmm0, xmm1"),
                    "movdqu [{to} + {at}], xmm0",
                    "add {at}, 16",
                    "jnz 2b",
                    a = in(reg) a.wrapping_add(bytes),
                    b = in(reg) b.wrapping_add(bytes),
                    to = in(reg) to.wrapping_add(bytes),
                    at = inout(reg) bytes.wrapping_neg() => _,
                    out("xmm0") _, out("xmm1") _,
                    options(nostack),
                );
            }
        }
    )*};
}

/// Unary operations, on `xmm0`.
macro_rules! singles {
    ($($name:ident $elements:literal [$($once:literal)*] $($instruction:literal)*;)*) => {
        loops! {$(
            $name $elements (16, 0, 0) -> 16: [$($once)*]
                "movdqu xmm0, [{a}]" $($instruction)* "movdqu [{to}], xmm0";
        )*}
    };
}

/// A comparison of 8 elements. They are loaded to `xmm0` and `xmm2`, and if they are longer than words also
/// to `xmm1` and `xmm3`. The results in `xmm0` and `xmm1` become words. Masks are words that are 0 or 1;
/// `xmm6` contains the bits to invert at the end.
macro_rules! compared {
    (
        $name:ident $bytes:literal, [$($load:literal)*], [$($masks:literal)*], [$($once:literal)*], [$($instruction:literal)*]
    ) => {
        loops! {
            $name 8 ($bytes, $bytes, 0) -> 16: ["pxor xmm6, xmm6" $($once)*]
                $($load)* $($instruction)* $($masks)* "pxor xmm0, xmm6" "psrlw xmm0, 15" "movdqu [{to}], xmm0";
        }
    };
}

row_pairs!(pairs);

singles! {
    neg8 16 [] "pxor xmm1, xmm1" "psubb xmm1, xmm0" "movdqa xmm0, xmm1";
    neg16 8 [] "pxor xmm1, xmm1" "psubw xmm1, xmm0" "movdqa xmm0, xmm1";
    neg32 4 [] "pxor xmm1, xmm1" "psubd xmm1, xmm0" "movdqa xmm0, xmm1";
    neg64 2 [] "pxor xmm1, xmm1" "psubq xmm1, xmm0" "movdqa xmm0, xmm1";
    neg_f32 4 ["pcmpeqd xmm7, xmm7" "pslld xmm7, 31"] "pxor xmm0, xmm7";
    abs_f32 4 ["pcmpeqd xmm7, xmm7" "psrld xmm7, 1"] "pand xmm0, xmm7";
    abs_i16 8 [] "movdqa xmm1, xmm0" "psraw xmm1, 15" "pxor xmm0, xmm1" "psubw xmm0, xmm1";
    abs_i32 4 [] "movdqa xmm1, xmm0" "psrad xmm1, 31" "pxor xmm0, xmm1" "psubd xmm0, xmm1";
    not8 16 ["pcmpeqd xmm7, xmm7"] "pxor xmm0, xmm7";
    not16 8 ["pcmpeqd xmm7, xmm7"] "pxor xmm0, xmm7";
    not32 4 ["pcmpeqd xmm7, xmm7"] "pxor xmm0, xmm7";
    not64 2 ["pcmpeqd xmm7, xmm7"] "pxor xmm0, xmm7";
    // The count is the same for all elements, and is not an operand.
    shl16 8 ["movd xmm7, {number:e}"] "psllw xmm0, xmm7";
    shl32 4 ["movd xmm7, {number:e}"] "pslld xmm0, xmm7";
    shl64 2 ["movd xmm7, {number:e}"] "psllq xmm0, xmm7";
    shr_u16 8 ["movd xmm7, {number:e}"] "psrlw xmm0, xmm7";
    shr_u32 4 ["movd xmm7, {number:e}"] "psrld xmm0, xmm7";
    shr_u64 2 ["movd xmm7, {number:e}"] "psrlq xmm0, xmm7";
    shr_i16 8 ["movd xmm7, {number:e}"] "psraw xmm0, xmm7";
    shr_i32 4 ["movd xmm7, {number:e}"] "psrad xmm0, xmm7";
    i32_f32 4 [] "cvtdq2ps xmm0, xmm0";
    // For numbers out of range, SSE2 gives `i32::MIN`. Above the range, its bits are inverted.
    f32_i32 4 ["mov {spare:e}, 0x4f000000" "movd xmm7, {spare:e}" "pshufd xmm7, xmm7, 0"]
        "movaps xmm1, xmm0" "cmpordps xmm1, xmm0" "movaps xmm2, xmm7" "cmpleps xmm2, xmm0"
        "cvttps2dq xmm0, xmm0" "pxor xmm0, xmm2" "pand xmm0, xmm1";
}

comparisons! {
    compared: 8, ["movq xmm0, [{a}]" "movq xmm2, [{b}]"] -> ["punpcklbw xmm0, xmm0"];
    lt_i8 [] "pcmpgtb xmm2, xmm0" "movdqa xmm0, xmm2";
    gt_i8 [] "pcmpgtb xmm0, xmm2";
    le_i8 ["pcmpeqd xmm6, xmm6"] "pcmpgtb xmm0, xmm2";
    ge_i8 ["pcmpeqd xmm6, xmm6"] "pcmpgtb xmm2, xmm0" "movdqa xmm0, xmm2";
    eq8 [] "pcmpeqb xmm0, xmm2";
    ne8 ["pcmpeqd xmm6, xmm6"] "pcmpeqb xmm0, xmm2";
    // There is no such comparison: a number that is its maximum with another one is not less.
    lt_u8 ["pcmpeqd xmm6, xmm6"] "pmaxub xmm2, xmm0" "pcmpeqb xmm0, xmm2";
    gt_u8 ["pcmpeqd xmm6, xmm6"] "pminub xmm2, xmm0" "pcmpeqb xmm0, xmm2";
    le_u8 [] "pminub xmm2, xmm0" "pcmpeqb xmm0, xmm2";
    ge_u8 [] "pmaxub xmm2, xmm0" "pcmpeqb xmm0, xmm2";
}

comparisons! {
    compared: 16, ["movdqu xmm0, [{a}]" "movdqu xmm2, [{b}]"] -> [];
    lt_i16 [] "pcmpgtw xmm2, xmm0" "movdqa xmm0, xmm2";
    gt_i16 [] "pcmpgtw xmm0, xmm2";
    le_i16 ["pcmpeqd xmm6, xmm6"] "pcmpgtw xmm0, xmm2";
    ge_i16 ["pcmpeqd xmm6, xmm6"] "pcmpgtw xmm2, xmm0" "movdqa xmm0, xmm2";
    eq16 [] "pcmpeqw xmm0, xmm2";
    ne16 ["pcmpeqd xmm6, xmm6"] "pcmpeqw xmm0, xmm2";
    // A number from which a larger one is subtracted saturates to 0.
    lt_u16 ["pcmpeqd xmm6, xmm6" "pxor xmm7, xmm7"] "psubusw xmm2, xmm0" "movdqa xmm0, xmm2" "pcmpeqw xmm0, xmm7";
    gt_u16 ["pcmpeqd xmm6, xmm6" "pxor xmm7, xmm7"] "psubusw xmm0, xmm2" "pcmpeqw xmm0, xmm7";
    le_u16 ["pxor xmm7, xmm7"] "psubusw xmm0, xmm2" "pcmpeqw xmm0, xmm7";
    ge_u16 ["pxor xmm7, xmm7"] "psubusw xmm2, xmm0" "movdqa xmm0, xmm2" "pcmpeqw xmm0, xmm7";
}

comparisons! {
    compared: 32, ["movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "movdqu xmm2, [{b}]" "movdqu xmm3, [{b} + 16]"]
        -> ["packssdw xmm0, xmm1"];
    lt_i32 [] "pcmpgtd xmm2, xmm0" "pcmpgtd xmm3, xmm1" "movdqa xmm0, xmm2" "movdqa xmm1, xmm3";
    gt_i32 [] "pcmpgtd xmm0, xmm2" "pcmpgtd xmm1, xmm3";
    le_i32 ["pcmpeqd xmm6, xmm6"] "pcmpgtd xmm0, xmm2" "pcmpgtd xmm1, xmm3";
    ge_i32 ["pcmpeqd xmm6, xmm6"]
        "pcmpgtd xmm2, xmm0" "pcmpgtd xmm3, xmm1" "movdqa xmm0, xmm2" "movdqa xmm1, xmm3";
    eq32 [] "pcmpeqd xmm0, xmm2" "pcmpeqd xmm1, xmm3";
    ne32 ["pcmpeqd xmm6, xmm6"] "pcmpeqd xmm0, xmm2" "pcmpeqd xmm1, xmm3";
    // Flip the sign bits, so that signed comparisons order unsigned numbers.
    lt_u32 ["pcmpeqd xmm7, xmm7" "pslld xmm7, 31"]
        "pxor xmm0, xmm7" "pxor xmm1, xmm7" "pxor xmm2, xmm7" "pxor xmm3, xmm7"
        "pcmpgtd xmm2, xmm0" "pcmpgtd xmm3, xmm1" "movdqa xmm0, xmm2" "movdqa xmm1, xmm3";
    gt_u32 ["pcmpeqd xmm7, xmm7" "pslld xmm7, 31"]
        "pxor xmm0, xmm7" "pxor xmm1, xmm7" "pxor xmm2, xmm7" "pxor xmm3, xmm7"
        "pcmpgtd xmm0, xmm2" "pcmpgtd xmm1, xmm3";
    le_u32 ["pcmpeqd xmm6, xmm6" "pcmpeqd xmm7, xmm7" "pslld xmm7, 31"]
        "pxor xmm0, xmm7" "pxor xmm1, xmm7" "pxor xmm2, xmm7" "pxor xmm3, xmm7"
        "pcmpgtd xmm0, xmm2" "pcmpgtd xmm1, xmm3";
    ge_u32 ["pcmpeqd xmm6, xmm6" "pcmpeqd xmm7, xmm7" "pslld xmm7, 31"]
        "pxor xmm0, xmm7" "pxor xmm1, xmm7" "pxor xmm2, xmm7" "pxor xmm3, xmm7"
        "pcmpgtd xmm2, xmm0" "pcmpgtd xmm3, xmm1" "movdqa xmm0, xmm2" "movdqa xmm1, xmm3";
    lt_f32 [] "cmpltps xmm0, xmm2" "cmpltps xmm1, xmm3";
    le_f32 [] "cmpleps xmm0, xmm2" "cmpleps xmm1, xmm3";
    gt_f32 [] "cmpltps xmm2, xmm0" "cmpltps xmm3, xmm1" "movaps xmm0, xmm2" "movaps xmm1, xmm3";
    ge_f32 [] "cmpleps xmm2, xmm0" "cmpleps xmm3, xmm1" "movaps xmm0, xmm2" "movaps xmm1, xmm3";
    eq_f32 [] "cmpeqps xmm0, xmm2" "cmpeqps xmm1, xmm3";
    ne_f32 [] "cmpneqps xmm0, xmm2" "cmpneqps xmm1, xmm3";
}

loops! {
    mul32 4 (16, 16, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{b}]" "movdqa xmm2, xmm0" "pmuludq xmm2, xmm1"
        "psrlq xmm0, 32" "psrlq xmm1, 32" "pmuludq xmm0, xmm1"
        "pshufd xmm2, xmm2, 8" "pshufd xmm0, xmm0, 8" "punpckldq xmm2, xmm0" "movdqu [{to}], xmm2";
    // The lowest bit of each word becomes the mask of an element.
    merge8 16 (32, 16, 16) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "psllw xmm0, 15" "psllw xmm1, 15"
        "packsswb xmm0, xmm1" "pxor xmm3, xmm3" "pcmpgtb xmm3, xmm0" "movdqa xmm0, xmm3"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{c}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    merge16 8 (16, 16, 16) -> 16: []
        "movdqu xmm0, [{a}]" "psllw xmm0, 15" "psraw xmm0, 15"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{c}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    merge32 4 (8, 16, 16) -> 16: []
        "movq xmm0, [{a}]" "punpcklwd xmm0, xmm0" "pslld xmm0, 31" "psrad xmm0, 31"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{c}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    merge64 2 (4, 16, 16) -> 16: []
        "movd xmm0, [{a}]" "punpcklwd xmm0, xmm0" "pslld xmm0, 31" "psrad xmm0, 31" "punpckldq xmm0, xmm0"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{c}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    // The result of the comparison with 0 is 0 or -1; adding 1 gives 1 or 0.
    some8 16 (16, 0, 0) -> 16: ["pxor xmm7, xmm7" "pcmpeqd xmm6, xmm6"]
        "movdqu xmm0, [{a}]" "pcmpeqb xmm0, xmm7" "psubb xmm0, xmm6" "movdqu [{to}], xmm0";
    some16 16 (32, 0, 0) -> 16: ["pxor xmm7, xmm7" "pcmpeqd xmm6, xmm6"]
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "pcmpeqw xmm0, xmm7" "pcmpeqw xmm1, xmm7"
        "packsswb xmm0, xmm1" "psubb xmm0, xmm6" "movdqu [{to}], xmm0";
    some32 16 (64, 0, 0) -> 16: ["pxor xmm7, xmm7" "pcmpeqd xmm6, xmm6"]
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "movdqu xmm2, [{a} + 32]" "movdqu xmm3, [{a} + 48]"
        "pcmpeqd xmm0, xmm7" "pcmpeqd xmm1, xmm7" "pcmpeqd xmm2, xmm7" "pcmpeqd xmm3, xmm7"
        "packssdw xmm0, xmm1" "packssdw xmm2, xmm3" "packsswb xmm0, xmm2" "psubb xmm0, xmm6"
        "movdqu [{to}], xmm0";
    some_f32 16 (64, 0, 0) -> 16: ["pxor xmm7, xmm7" "pcmpeqd xmm6, xmm6"]
        "movups xmm0, [{a}]" "movups xmm1, [{a} + 16]" "movups xmm2, [{a} + 32]" "movups xmm3, [{a} + 48]"
        "cmpeqps xmm0, xmm7" "cmpeqps xmm1, xmm7" "cmpeqps xmm2, xmm7" "cmpeqps xmm3, xmm7"
        "packssdw xmm0, xmm1" "packssdw xmm2, xmm3" "packsswb xmm0, xmm2" "psubb xmm0, xmm6"
        "movdqu [{to}], xmm0";
    other_condition 16 (16, 0, 0) -> 16: ["pxor xmm7, xmm7" "pcmpeqd xmm6, xmm6" "psubb xmm7, xmm6"]
        "movdqu xmm0, [{a}]" "pxor xmm0, xmm7" "movdqu [{to}], xmm0";
    // Stores the elements of threads whose byte is 1; the others keep their values.
    store8 16 (16, 16, 0) -> 16: ["pxor xmm3, xmm3"]
        "movdqu xmm0, [{a}]" "pcmpgtb xmm0, xmm3"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{to}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    store16 8 (8, 16, 0) -> 16: ["pxor xmm3, xmm3"]
        "movq xmm0, [{a}]" "punpcklbw xmm0, xmm0" "pcmpgtw xmm0, xmm3"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{to}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    store32 4 (4, 16, 0) -> 16: ["pxor xmm3, xmm3"]
        "movd xmm0, [{a}]" "punpcklbw xmm0, xmm0" "punpcklwd xmm0, xmm0" "pcmpgtd xmm0, xmm3"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{to}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    store64 2 (2, 16, 0) -> 16: ["pxor xmm3, xmm3"]
        "movd xmm0, [{a}]" "punpcklbw xmm0, xmm0" "punpcklwd xmm0, xmm0" "punpckldq xmm0, xmm0" "pcmpgtd xmm0, xmm3"
        "movdqu xmm1, [{b}]" "movdqu xmm2, [{to}]" "pand xmm1, xmm0" "pandn xmm0, xmm2" "por xmm0, xmm1"
        "movdqu [{to}], xmm0";
    u8_16 8 (8, 0, 0) -> 16: ["pxor xmm7, xmm7"] "movq xmm0, [{a}]" "punpcklbw xmm0, xmm7" "movdqu [{to}], xmm0";
    i8_16 8 (8, 0, 0) -> 16: []
        "movq xmm0, [{a}]" "punpcklbw xmm0, xmm0" "psraw xmm0, 8" "movdqu [{to}], xmm0";
    u8_32 4 (4, 0, 0) -> 16: ["pxor xmm7, xmm7"]
        "movd xmm0, [{a}]" "punpcklbw xmm0, xmm7" "punpcklwd xmm0, xmm7" "movdqu [{to}], xmm0";
    u8_f32 4 (4, 0, 0) -> 16: ["pxor xmm7, xmm7"]
        "movd xmm0, [{a}]" "punpcklbw xmm0, xmm7" "punpcklwd xmm0, xmm7" "cvtdq2ps xmm0, xmm0"
        "movdqu [{to}], xmm0";
    i8_32 4 (4, 0, 0) -> 16: []
        "movd xmm0, [{a}]" "punpcklbw xmm0, xmm0" "punpcklwd xmm0, xmm0" "psrad xmm0, 24" "movdqu [{to}], xmm0";
    i8_f32 4 (4, 0, 0) -> 16: []
        "movd xmm0, [{a}]" "punpcklbw xmm0, xmm0" "punpcklwd xmm0, xmm0" "psrad xmm0, 24" "cvtdq2ps xmm0, xmm0"
        "movdqu [{to}], xmm0";
    u16_32 4 (8, 0, 0) -> 16: ["pxor xmm7, xmm7"] "movq xmm0, [{a}]" "punpcklwd xmm0, xmm7" "movdqu [{to}], xmm0";
    u16_f32 4 (8, 0, 0) -> 16: ["pxor xmm7, xmm7"]
        "movq xmm0, [{a}]" "punpcklwd xmm0, xmm7" "cvtdq2ps xmm0, xmm0" "movdqu [{to}], xmm0";
    i16_32 4 (8, 0, 0) -> 16: []
        "movq xmm0, [{a}]" "punpcklwd xmm0, xmm0" "psrad xmm0, 16" "movdqu [{to}], xmm0";
    i16_f32 4 (8, 0, 0) -> 16: []
        "movq xmm0, [{a}]" "punpcklwd xmm0, xmm0" "psrad xmm0, 16" "cvtdq2ps xmm0, xmm0" "movdqu [{to}], xmm0";
    from16_8 16 (32, 0, 0) -> 16: ["pcmpeqd xmm7, xmm7" "psrlw xmm7, 8"]
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "pand xmm0, xmm7" "pand xmm1, xmm7"
        "packuswb xmm0, xmm1" "movdqu [{to}], xmm0";
    from32_16 8 (32, 0, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "pslld xmm0, 16" "pslld xmm1, 16"
        "psrad xmm0, 16" "psrad xmm1, 16" "packssdw xmm0, xmm1" "movdqu [{to}], xmm0";
    from32_8 16 (64, 0, 0) -> 16: ["pcmpeqd xmm7, xmm7" "psrld xmm7, 24"]
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "movdqu xmm2, [{a} + 32]" "movdqu xmm3, [{a} + 48]"
        "pand xmm0, xmm7" "pand xmm1, xmm7" "pand xmm2, xmm7" "pand xmm3, xmm7"
        "packssdw xmm0, xmm1" "packssdw xmm2, xmm3" "packuswb xmm0, xmm2" "movdqu [{to}], xmm0";
    // Limit to the range; for NaN, `maxps` gives its second operand.
    f32_u8 16 (64, 0, 0) -> 16:
        ["pxor xmm7, xmm7" "mov {spare:e}, 0x437f0000" "movd xmm6, {spare:e}" "pshufd xmm6, xmm6, 0"]
        "movups xmm0, [{a}]" "movups xmm1, [{a} + 16]" "movups xmm2, [{a} + 32]" "movups xmm3, [{a} + 48]"
        "maxps xmm0, xmm7" "maxps xmm1, xmm7" "maxps xmm2, xmm7" "maxps xmm3, xmm7"
        "minps xmm0, xmm6" "minps xmm1, xmm6" "minps xmm2, xmm6" "minps xmm3, xmm6"
        "cvttps2dq xmm0, xmm0" "cvttps2dq xmm1, xmm1" "cvttps2dq xmm2, xmm2" "cvttps2dq xmm3, xmm3"
        "packssdw xmm0, xmm1" "packssdw xmm2, xmm3" "packuswb xmm0, xmm2" "movdqu [{to}], xmm0";
    f32_u16 8 (32, 0, 0) -> 16:
        ["pxor xmm7, xmm7" "mov {spare:e}, 0x477fff00" "movd xmm6, {spare:e}" "pshufd xmm6, xmm6, 0"]
        "movups xmm0, [{a}]" "movups xmm1, [{a} + 16]" "maxps xmm0, xmm7" "maxps xmm1, xmm7"
        "minps xmm0, xmm6" "minps xmm1, xmm6" "cvttps2dq xmm0, xmm0" "cvttps2dq xmm1, xmm1"
        "pslld xmm0, 16" "pslld xmm1, 16" "psrad xmm0, 16" "psrad xmm1, 16" "packssdw xmm0, xmm1"
        "movdqu [{to}], xmm0";
    f32_i16 8 (32, 0, 0) -> 16:
        ["mov {spare:e}, 0xc7000000" "movd xmm7, {spare:e}" "pshufd xmm7, xmm7, 0"
         "mov {spare:e}, 0x46fffe00" "movd xmm6, {spare:e}" "pshufd xmm6, xmm6, 0"]
        "movups xmm0, [{a}]" "movups xmm1, [{a} + 16]"
        "movaps xmm2, xmm0" "movaps xmm3, xmm1" "cmpordps xmm2, xmm0" "cmpordps xmm3, xmm1"
        "andps xmm0, xmm2" "andps xmm1, xmm3" "maxps xmm0, xmm7" "maxps xmm1, xmm7"
        "minps xmm0, xmm6" "minps xmm1, xmm6" "cvttps2dq xmm0, xmm0" "cvttps2dq xmm1, xmm1"
        "packssdw xmm0, xmm1" "movdqu [{to}], xmm0";
    sat_i16_u8 16 (32, 0, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "packuswb xmm0, xmm1" "movdqu [{to}], xmm0";
    sat_i16_i8 16 (32, 0, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "packsswb xmm0, xmm1" "movdqu [{to}], xmm0";
    sat_i32_i16 8 (32, 0, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "packssdw xmm0, xmm1" "movdqu [{to}], xmm0";
    sat_i32_u8 16 (64, 0, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "movdqu xmm2, [{a} + 32]" "movdqu xmm3, [{a} + 48]"
        "packssdw xmm0, xmm1" "packssdw xmm2, xmm3" "packuswb xmm0, xmm2" "movdqu [{to}], xmm0";
    sat_i32_i8 16 (64, 0, 0) -> 16: []
        "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "movdqu xmm2, [{a} + 32]" "movdqu xmm3, [{a} + 48]"
        "packssdw xmm0, xmm1" "packssdw xmm2, xmm3" "packsswb xmm0, xmm2" "movdqu [{to}], xmm0";
}

row_tables!();
