//! The most frequent operations in instructions of SSE2, which every x86-64 has.
//!
//! Where this crate is not optimised either, the loops of `elements` take some nanoseconds for each element; assembly
//! is as fast as ever. A row is the elements of a round, the bytes by which the operands and the result advance in it,
//! what is loaded once, and the instructions of a round, which store 16 bytes at most. Registers are multiples of 16
//! bytes, so that the last round stays inside of the result; what it reads beyond the end of an operand is of no
//! effect, and the arena has [`BEYOND`] bytes more for it. Tests compare every row with `elements`.

use std::arch::asm;

use cm_compiler::elem::ElemType::{self, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use cm_compiler::ops::MapKind;

use super::elements::{Compute, Extent};

/// Bytes behind the last register that a round may read.
pub(super) const BEYOND: usize = 64;

/// Declares functions that run instructions round by round: `name elements (a, b, c) -> result: [once] round;`.
macro_rules! loops {
    ($(
        $name:ident $elements:literal ($a:literal, $b:literal, $c:literal) -> $to:literal:
            [$($once:literal)*] $($line:literal)*;
    )*) => {$(
        /// # Safety
        /// See [`Compute`].
        unsafe fn $name(to: *mut u8, [a, b, c]: [*const u8; 3], extent: Extent) {
            let rounds = (extent.count * extent.threads).div_ceil($elements);
            if rounds == 0 {
                return;
            }
            // SAFETY: a round reads and writes at the addresses of its elements only, as the head of this file says;
            // the caller's registers have them.
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

/// Operations of two operands that are one instruction: `name elements instruction`.
macro_rules! pairs {
    ($($name:ident $elements:literal $instruction:literal;)*) => {
        loops! {$(
            $name $elements (16, 16, 0) -> 16: []
                "movdqu xmm0, [{a}]" "movdqu xmm1, [{b}]" $instruction "movdqu [{to}], xmm0";
        )*}
    };
}

/// The same of one operand, `xmm0`.
macro_rules! singles {
    ($($name:ident $elements:literal [$($once:literal)*] $($instruction:literal)*;)*) => {
        loops! {$(
            $name $elements (16, 0, 0) -> 16: [$($once)*]
                "movdqu xmm0, [{a}]" $($instruction)* "movdqu [{to}], xmm0";
        )*}
    };
}

/// Comparisons of 32-bit elements: `name [once] instructions`, which compare `xmm0` with `xmm2` and `xmm1` with `xmm3`.
/// Masks are 0 or 1, in words; `xmm6` has the bits that are turned round in the end.
macro_rules! comparisons {
    ($($name:ident [$($once:literal)*] $($instruction:literal)*;)*) => {
        loops! {$(
            $name 8 (32, 32, 0) -> 16: ["pxor xmm6, xmm6" $($once)*]
                "movdqu xmm0, [{a}]" "movdqu xmm1, [{a} + 16]" "movdqu xmm2, [{b}]" "movdqu xmm3, [{b} + 16]"
                $($instruction)*
                "packssdw xmm0, xmm1" "pxor xmm0, xmm6" "psrlw xmm0, 15" "movdqu [{to}], xmm0";
        )*}
    };
}

pairs! {
    add8 16 "paddb xmm0, xmm1";
    add16 8 "paddw xmm0, xmm1";
    add32 4 "paddd xmm0, xmm1";
    add64 2 "paddq xmm0, xmm1";
    add_f32 4 "addps xmm0, xmm1";
    add_f64 2 "addpd xmm0, xmm1";
    sub8 16 "psubb xmm0, xmm1";
    sub16 8 "psubw xmm0, xmm1";
    sub32 4 "psubd xmm0, xmm1";
    sub64 2 "psubq xmm0, xmm1";
    sub_f32 4 "subps xmm0, xmm1";
    sub_f64 2 "subpd xmm0, xmm1";
    mul16 8 "pmullw xmm0, xmm1";
    mul_f32 4 "mulps xmm0, xmm1";
    mul_f64 2 "mulpd xmm0, xmm1";
    div_f32 4 "divps xmm0, xmm1";
    div_f64 2 "divpd xmm0, xmm1";
    and8 16 "pand xmm0, xmm1";
    and16 8 "pand xmm0, xmm1";
    and32 4 "pand xmm0, xmm1";
    and64 2 "pand xmm0, xmm1";
    or8 16 "por xmm0, xmm1";
    or16 8 "por xmm0, xmm1";
    or32 4 "por xmm0, xmm1";
    or64 2 "por xmm0, xmm1";
    xor8 16 "pxor xmm0, xmm1";
    xor16 8 "pxor xmm0, xmm1";
    xor32 4 "pxor xmm0, xmm1";
    xor64 2 "pxor xmm0, xmm1";
    min_u8 16 "pminub xmm0, xmm1";
    max_u8 16 "pmaxub xmm0, xmm1";
    min_i16 8 "pminsw xmm0, xmm1";
    max_i16 8 "pmaxsw xmm0, xmm1";
    add_sat_u8 16 "paddusb xmm0, xmm1";
    add_sat_i8 16 "paddsb xmm0, xmm1";
    add_sat_u16 8 "paddusw xmm0, xmm1";
    add_sat_i16 8 "paddsw xmm0, xmm1";
    sub_sat_u8 16 "psubusb xmm0, xmm1";
    sub_sat_i8 16 "psubsb xmm0, xmm1";
    sub_sat_u16 8 "psubusw xmm0, xmm1";
    sub_sat_i16 8 "psubsw xmm0, xmm1";
    avg_u8 16 "pavgb xmm0, xmm1";
    avg_u16 8 "pavgw xmm0, xmm1";
}

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
    // By the same number, which is no operand.
    shl16 8 ["movd xmm7, {number:e}"] "psllw xmm0, xmm7";
    shl32 4 ["movd xmm7, {number:e}"] "pslld xmm0, xmm7";
    shl64 2 ["movd xmm7, {number:e}"] "psllq xmm0, xmm7";
    shr_u16 8 ["movd xmm7, {number:e}"] "psrlw xmm0, xmm7";
    shr_u32 4 ["movd xmm7, {number:e}"] "psrld xmm0, xmm7";
    shr_u64 2 ["movd xmm7, {number:e}"] "psrlq xmm0, xmm7";
    shr_i16 8 ["movd xmm7, {number:e}"] "psraw xmm0, xmm7";
    shr_i32 4 ["movd xmm7, {number:e}"] "psrad xmm0, xmm7";
    i32_f32 4 [] "cvtdq2ps xmm0, xmm0";
    // Below the range SSE2 gives the smallest number, and above it as well, whose bits are turned round then.
    f32_i32 4 ["mov {spare:e}, 0x4f000000" "movd xmm7, {spare:e}" "pshufd xmm7, xmm7, 0"]
        "movaps xmm1, xmm0" "cmpordps xmm1, xmm0" "movaps xmm2, xmm7" "cmpleps xmm2, xmm0"
        "cvttps2dq xmm0, xmm0" "pxor xmm0, xmm2" "pand xmm0, xmm1";
}

comparisons! {
    lt_i32 [] "pcmpgtd xmm2, xmm0" "pcmpgtd xmm3, xmm1" "movdqa xmm0, xmm2" "movdqa xmm1, xmm3";
    gt_i32 [] "pcmpgtd xmm0, xmm2" "pcmpgtd xmm1, xmm3";
    le_i32 ["pcmpeqd xmm6, xmm6"] "pcmpgtd xmm0, xmm2" "pcmpgtd xmm1, xmm3";
    ge_i32 ["pcmpeqd xmm6, xmm6"]
        "pcmpgtd xmm2, xmm0" "pcmpgtd xmm3, xmm1" "movdqa xmm0, xmm2" "movdqa xmm1, xmm3";
    eq32 [] "pcmpeqd xmm0, xmm2" "pcmpeqd xmm1, xmm3";
    ne32 ["pcmpeqd xmm6, xmm6"] "pcmpeqd xmm0, xmm2" "pcmpeqd xmm1, xmm3";
    // As signed numbers, from the smallest one on.
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
    // The lowest bit of a word as a mask of an element.
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
    // Limited to the range; a NaN gives the second operand of `maxps`.
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

/// The rows of element-wise operations. An operation that bits decide is listed by sizes.
pub(super) fn map(kind: MapKind, elem: ElemType) -> Option<Compute> {
    use MapKind as K;
    let run: Compute = match (kind, elem) {
        (K::Add, U8 | I8) => add8,
        (K::Add, U16 | I16) => add16,
        (K::Add, U32 | I32) => add32,
        (K::Add, U64 | I64) => add64,
        (K::Add, F32) => add_f32,
        (K::Add, F64) => add_f64,
        (K::Sub, U8 | I8) => sub8,
        (K::Sub, U16 | I16) => sub16,
        (K::Sub, U32 | I32) => sub32,
        (K::Sub, U64 | I64) => sub64,
        (K::Sub, F32) => sub_f32,
        (K::Sub, F64) => sub_f64,
        (K::Mul, U16 | I16) => mul16,
        (K::Mul, U32 | I32) => mul32,
        (K::Mul, F32) => mul_f32,
        (K::Mul, F64) => mul_f64,
        (K::Div, F32) => div_f32,
        (K::Div, F64) => div_f64,
        (K::And, U8 | I8) => and8,
        (K::And, U16 | I16) => and16,
        (K::And, U32 | I32) => and32,
        (K::And, U64 | I64) => and64,
        (K::Or, U8 | I8) => or8,
        (K::Or, U16 | I16) => or16,
        (K::Or, U32 | I32) => or32,
        (K::Or, U64 | I64) => or64,
        (K::Xor, U8 | I8) => xor8,
        (K::Xor, U16 | I16) => xor16,
        (K::Xor, U32 | I32) => xor32,
        (K::Xor, U64 | I64) => xor64,
        (K::Min, U8) => min_u8,
        (K::Max, U8) => max_u8,
        (K::Min, I16) => min_i16,
        (K::Max, I16) => max_i16,
        (K::AddSat, U8) => add_sat_u8,
        (K::AddSat, I8) => add_sat_i8,
        (K::AddSat, U16) => add_sat_u16,
        (K::AddSat, I16) => add_sat_i16,
        (K::SubSat, U8) => sub_sat_u8,
        (K::SubSat, I8) => sub_sat_i8,
        (K::SubSat, U16) => sub_sat_u16,
        (K::SubSat, I16) => sub_sat_i16,
        (K::Avg, U8) => avg_u8,
        (K::Avg, U16) => avg_u16,
        (K::Neg, U8 | I8) => neg8,
        (K::Neg, U16 | I16) => neg16,
        (K::Neg, U32 | I32) => neg32,
        (K::Neg, U64 | I64) => neg64,
        (K::Neg, F32) => neg_f32,
        (K::Abs, I16) => abs_i16,
        (K::Abs, I32) => abs_i32,
        (K::Abs, F32) => abs_f32,
        (K::Not, U8 | I8) => not8,
        (K::Not, U16 | I16) => not16,
        (K::Not, U32 | I32) => not32,
        (K::Not, U64 | I64) => not64,
        (K::Lt, I32) => lt_i32,
        (K::Le, I32) => le_i32,
        (K::Gt, I32) => gt_i32,
        (K::Ge, I32) => ge_i32,
        (K::Lt, U32) => lt_u32,
        (K::Le, U32) => le_u32,
        (K::Gt, U32) => gt_u32,
        (K::Ge, U32) => ge_u32,
        (K::Eq, U32 | I32) => eq32,
        (K::Ne, U32 | I32) => ne32,
        (K::Lt, F32) => lt_f32,
        (K::Le, F32) => le_f32,
        (K::Gt, F32) => gt_f32,
        (K::Ge, F32) => ge_f32,
        (K::Eq, F32) => eq_f32,
        (K::Ne, F32) => ne_f32,
        (K::Merge, U8 | I8) => merge8,
        (K::Merge, U16 | I16 | ElemType::F16) => merge16,
        (K::Merge, U32 | I32 | F32) => merge32,
        (K::Merge, U64 | I64 | F64) => merge64,
        _ => return None,
    };
    Some(run)
}

/// The rows of shifts of all elements by the same number, which is below the bits of an element.
pub(super) fn shift(kind: MapKind, elem: ElemType) -> Option<Compute> {
    use MapKind as K;
    let run: Compute = match (kind, elem) {
        (K::Shl, U16 | I16) => shl16,
        (K::Shl, U32 | I32) => shl32,
        (K::Shl, U64 | I64) => shl64,
        (K::Shr, U16) => shr_u16,
        (K::Shr, U32) => shr_u32,
        (K::Shr, U64) => shr_u64,
        (K::Shr, I16) => shr_i16,
        (K::Shr, I32) => shr_i32,
        _ => return None,
    };
    Some(run)
}

/// The rows of conversions.
pub(super) fn convert(from: ElemType, to: ElemType, saturate: bool) -> Option<Compute> {
    let run: Compute = match (from, to, saturate) {
        // Floats are limited to the range of integers in either case.
        (F32, U8, _) => f32_u8,
        (F32, U16, _) => f32_u16,
        (F32, I16, _) => f32_i16,
        (F32, I32, _) => f32_i32,
        (I16, U8, true) => sat_i16_u8,
        (I16, I8, true) => sat_i16_i8,
        (I32, I16, true) => sat_i32_i16,
        (I32, U8, true) => sat_i32_u8,
        (I32, I8, true) => sat_i32_i8,
        // These fit.
        (U8, U16 | I16, _) => u8_16,
        (U8, U32 | I32, _) => u8_32,
        (I8, I16, _) => i8_16,
        (I8, I32, _) => i8_32,
        (U16, U32 | I32, _) => u16_32,
        (I16, I32, _) => i16_32,
        (U8, F32, false) => u8_f32,
        (I8, F32, false) => i8_f32,
        (U16, F32, false) => u16_f32,
        (I16, F32, false) => i16_f32,
        (I32, F32, false) => i32_f32,
        (I8, U16, false) => i8_16,
        (I8, U32, false) => i8_32,
        (I16, U32, false) => i16_32,
        (U16 | I16, U8 | I8, false) => from16_8,
        (U32 | I32, U16 | I16, false) => from32_16,
        (U32 | I32, U8 | I8, false) => from32_8,
        _ => return None,
    };
    Some(run)
}
