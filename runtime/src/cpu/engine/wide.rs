//! The functions of `vectors` as AVX2 instructions, with twice as many elements in a round.

use std::arch::asm;

use super::elements::{Compute, Extent};
use super::rows::{comparisons, row_pairs, row_tables};

/// Declares functions that run instructions in rounds: `name elements (a, b, c) -> [once] round;`, as in
/// `vectors`. A round stores `ymm0`.
macro_rules! loops {
    ($(
        $name:ident $elements:literal ($a:literal, $b:literal, $c:literal): [$($once:literal)*] $($line:literal)*;
    )*) => {$(
        /// # Safety
        /// See [`Compute`]. The CPU has AVX2.
        unsafe fn $name(to: *mut u8, [a, b, c]: [*const u8; 3], extent: Extent) {
            let rounds = (extent.count * extent.threads).div_ceil($elements);
            if rounds == 0 {
                return;
            }
            // SAFETY: a round only accesses the addresses of its elements; the caller's registers have them.
            unsafe {
                asm!(
                    $($once,)*
                    "2:",
                    $($line,)*
                    "vmovdqu [{to}], ymm0",
                    concat!("add {a}, ", $a),
                    concat!("add {b}, ", $b),
                    concat!("add {c}, ", $c),
                    "add {to}, 32",
                    "dec {rounds}",
                    "jnz 2b",
                    "vzeroupper",
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
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
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
        /// See [`Compute`]. The CPU has AVX2.
        unsafe fn $name(to: *mut u8, [a, b, _]: [*const u8; 3], extent: Extent) {
            let bytes = (extent.count * extent.threads * $size).next_multiple_of(32);
            if bytes == 0 {
                return;
            }
            // SAFETY: as in `loops`.
            unsafe {
                asm!(
                    "2:",
                    "vmovdqu ymm0, [{a} + {at}]",
                    concat!("v", $instruction, " ymm0, ymm0, [{b} + {at}]"),
                    "vmovdqu [{to} + {at}], ymm0",
                    "add {at}, 32",
                    "jnz 2b",
                    "vzeroupper",
                    a = in(reg) a.wrapping_add(bytes),
                    b = in(reg) b.wrapping_add(bytes),
                    to = in(reg) to.wrapping_add(bytes),
                    at = inout(reg) bytes.wrapping_neg() => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
            }
        }
    )*};
}

/// A comparison, as in `vectors`, of 16 elements: in `ymm0` and `ymm2`, and if they are longer than words
/// also in `ymm1` and `ymm3`.
macro_rules! compared {
    (
        $name:ident $bytes:literal, [$($load:literal)*], [$($masks:literal)*], [$($once:literal)*], [$($instruction:literal)*]
    ) => {
        loops! {
            $name 16 ($bytes, $bytes, 0): ["vpxor xmm6, xmm6, xmm6" $($once)*]
                $($load)* $($instruction)* $($masks)* "vpxor ymm0, ymm0, ymm6" "vpsrlw ymm0, ymm0, 15";
        }
    };
}

row_pairs!(pairs);

pairs! {
    mul32 4 "pmulld";
}

loops! {
    neg8 32 (32, 0, 0): ["vpxor xmm7, xmm7, xmm7"] "vpsubb ymm0, ymm7, [{a}]";
    neg16 16 (32, 0, 0): ["vpxor xmm7, xmm7, xmm7"] "vpsubw ymm0, ymm7, [{a}]";
    neg32 8 (32, 0, 0): ["vpxor xmm7, xmm7, xmm7"] "vpsubd ymm0, ymm7, [{a}]";
    neg64 4 (32, 0, 0): ["vpxor xmm7, xmm7, xmm7"] "vpsubq ymm0, ymm7, [{a}]";
    neg_f32 8 (32, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7" "vpslld ymm7, ymm7, 31"] "vpxor ymm0, ymm7, [{a}]";
    abs_f32 8 (32, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7" "vpsrld ymm7, ymm7, 1"] "vpand ymm0, ymm7, [{a}]";
    abs_i16 16 (32, 0, 0): [] "vpabsw ymm0, [{a}]";
    abs_i32 8 (32, 0, 0): [] "vpabsd ymm0, [{a}]";
    not8 32 (32, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7"] "vpxor ymm0, ymm7, [{a}]";
    not16 16 (32, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7"] "vpxor ymm0, ymm7, [{a}]";
    not32 8 (32, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7"] "vpxor ymm0, ymm7, [{a}]";
    not64 4 (32, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7"] "vpxor ymm0, ymm7, [{a}]";
    shl16 16 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsllw ymm0, ymm0, xmm7";
    shl32 8 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpslld ymm0, ymm0, xmm7";
    shl64 4 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsllq ymm0, ymm0, xmm7";
    shr_u16 16 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsrlw ymm0, ymm0, xmm7";
    shr_u32 8 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsrld ymm0, ymm0, xmm7";
    shr_u64 4 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsrlq ymm0, ymm0, xmm7";
    shr_i16 16 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsraw ymm0, ymm0, xmm7";
    shr_i32 8 (32, 0, 0): ["vmovd xmm7, {number:e}"] "vmovdqu ymm0, [{a}]" "vpsrad ymm0, ymm0, xmm7";
    i32_f32 8 (32, 0, 0): [] "vcvtdq2ps ymm0, [{a}]";
    f32_i32 8 (32, 0, 0): ["mov {spare:e}, 0x4f000000" "vmovd xmm7, {spare:e}" "vpbroadcastd ymm7, xmm7"]
        "vmovups ymm0, [{a}]" "vcmpordps ymm1, ymm0, ymm0" "vcmpleps ymm2, ymm7, ymm0" "vcvttps2dq ymm0, ymm0"
        "vpxor ymm0, ymm0, ymm2" "vpand ymm0, ymm0, ymm1";
    merge8 32 (64, 32, 32): []
        "vmovdqu ymm0, [{a}]" "vmovdqu ymm1, [{a} + 32]" "vpsllw ymm0, ymm0, 15" "vpsllw ymm1, ymm1, 15"
        "vpacksswb ymm0, ymm0, ymm1" "vpermq ymm0, ymm0, 0xd8" "vmovdqu ymm2, [{c}]"
        "vpblendvb ymm0, ymm2, [{b}], ymm0";
    merge16 16 (32, 32, 32): []
        "vmovdqu ymm0, [{a}]" "vpsllw ymm0, ymm0, 15" "vpsraw ymm0, ymm0, 15" "vmovdqu ymm2, [{c}]"
        "vpblendvb ymm0, ymm2, [{b}], ymm0";
    merge32 8 (16, 32, 32): []
        "vpmovzxwd ymm0, [{a}]" "vpslld ymm0, ymm0, 31" "vmovdqu ymm2, [{c}]"
        "vblendvps ymm0, ymm2, [{b}], ymm0";
    merge64 4 (8, 32, 32): []
        "vpmovzxwq ymm0, [{a}]" "vpsllq ymm0, ymm0, 63" "vmovdqu ymm2, [{c}]"
        "vblendvpd ymm0, ymm2, [{b}], ymm0";
    some8 32 (32, 0, 0): ["vpxor xmm7, xmm7, xmm7" "vpcmpeqd ymm6, ymm6, ymm6"]
        "vpcmpeqb ymm0, ymm7, [{a}]" "vpsubb ymm0, ymm0, ymm6";
    some16 32 (64, 0, 0): ["vpxor xmm7, xmm7, xmm7" "vpcmpeqd ymm6, ymm6, ymm6"]
        "vpcmpeqw ymm0, ymm7, [{a}]" "vpcmpeqw ymm1, ymm7, [{a} + 32]" "vpacksswb ymm0, ymm0, ymm1"
        "vpermq ymm0, ymm0, 0xd8" "vpsubb ymm0, ymm0, ymm6";
    some32 32 (128, 0, 0): [
        "vpxor xmm7, xmm7, xmm7" "vpcmpeqd ymm6, ymm6, ymm6" "mov {spare}, 0x0703060205010400"
        "vmovq xmm5, {spare}" "vpmovzxbd ymm5, xmm5"]
        "vpcmpeqd ymm0, ymm7, [{a} + 0]" "vpcmpeqd ymm1, ymm7, [{a} + 32]" "vpcmpeqd ymm2, ymm7, [{a} + 64]"
        "vpcmpeqd ymm3, ymm7, [{a} + 96]" "vpackssdw ymm0, ymm0, ymm1" "vpackssdw ymm2, ymm2, ymm3"
        "vpacksswb ymm0, ymm0, ymm2" "vpermd ymm0, ymm5, ymm0" "vpsubb ymm0, ymm0, ymm6";
    some_f32 32 (128, 0, 0): [
        "vpxor xmm7, xmm7, xmm7" "vpcmpeqd ymm6, ymm6, ymm6" "mov {spare}, 0x0703060205010400"
        "vmovq xmm5, {spare}" "vpmovzxbd ymm5, xmm5"]
        "vcmpeqps ymm0, ymm7, [{a} + 0]" "vcmpeqps ymm1, ymm7, [{a} + 32]" "vcmpeqps ymm2, ymm7, [{a} + 64]"
        "vcmpeqps ymm3, ymm7, [{a} + 96]" "vpackssdw ymm0, ymm0, ymm1" "vpackssdw ymm2, ymm2, ymm3"
        "vpacksswb ymm0, ymm0, ymm2" "vpermd ymm0, ymm5, ymm0" "vpsubb ymm0, ymm0, ymm6";
    other_condition 32 (32, 0, 0): [
        "vpxor xmm7, xmm7, xmm7" "vpcmpeqd ymm6, ymm6, ymm6" "vpsubb ymm7, ymm7, ymm6"]
        "vpxor ymm0, ymm7, [{a}]";
    store8 32 (32, 32, 0): ["vpxor xmm7, xmm7, xmm7"]
        "vmovdqu ymm0, [{a}]" "vpcmpgtb ymm0, ymm0, ymm7" "vmovdqu ymm2, [{to}]"
        "vpblendvb ymm0, ymm2, [{b}], ymm0";
    store16 16 (16, 32, 0): ["vpxor xmm7, xmm7, xmm7"]
        "vpmovsxbw ymm0, [{a}]" "vpcmpgtw ymm0, ymm0, ymm7" "vmovdqu ymm2, [{to}]"
        "vpblendvb ymm0, ymm2, [{b}], ymm0";
    store32 8 (8, 32, 0): ["vpxor xmm7, xmm7, xmm7"]
        "vpmovsxbd ymm0, [{a}]" "vpcmpgtd ymm0, ymm0, ymm7" "vmovdqu ymm2, [{to}]"
        "vblendvps ymm0, ymm2, [{b}], ymm0";
    store64 4 (4, 32, 0): ["vpxor xmm7, xmm7, xmm7"]
        "vpmovsxbq ymm0, [{a}]" "vpcmpgtq ymm0, ymm0, ymm7" "vmovdqu ymm2, [{to}]"
        "vblendvpd ymm0, ymm2, [{b}], ymm0";
    u8_16 16 (16, 0, 0): [] "vpmovzxbw ymm0, [{a}]";
    i8_16 16 (16, 0, 0): [] "vpmovsxbw ymm0, [{a}]";
    u8_32 8 (8, 0, 0): [] "vpmovzxbd ymm0, [{a}]";
    u8_f32 8 (8, 0, 0): [] "vpmovzxbd ymm0, [{a}]" "vcvtdq2ps ymm0, ymm0";
    i8_32 8 (8, 0, 0): [] "vpmovsxbd ymm0, [{a}]";
    i8_f32 8 (8, 0, 0): [] "vpmovsxbd ymm0, [{a}]" "vcvtdq2ps ymm0, ymm0";
    u16_32 8 (16, 0, 0): [] "vpmovzxwd ymm0, [{a}]";
    u16_f32 8 (16, 0, 0): [] "vpmovzxwd ymm0, [{a}]" "vcvtdq2ps ymm0, ymm0";
    i16_32 8 (16, 0, 0): [] "vpmovsxwd ymm0, [{a}]";
    i16_f32 8 (16, 0, 0): [] "vpmovsxwd ymm0, [{a}]" "vcvtdq2ps ymm0, ymm0";
    from16_8 32 (64, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7" "vpsrlw ymm7, ymm7, 8"]
        "vpand ymm0, ymm7, [{a}]" "vpand ymm1, ymm7, [{a} + 32]" "vpackuswb ymm0, ymm0, ymm1"
        "vpermq ymm0, ymm0, 0xd8";
    from32_16 16 (64, 0, 0): ["vpcmpeqd ymm7, ymm7, ymm7" "vpsrld ymm7, ymm7, 16"]
        "vpand ymm0, ymm7, [{a}]" "vpand ymm1, ymm7, [{a} + 32]" "vpackusdw ymm0, ymm0, ymm1"
        "vpermq ymm0, ymm0, 0xd8";
    from32_8 32 (128, 0, 0): [
        "vpcmpeqd ymm7, ymm7, ymm7" "vpsrld ymm7, ymm7, 24" "mov {spare}, 0x0703060205010400"
        "vmovq xmm5, {spare}" "vpmovzxbd ymm5, xmm5"]
        "vpand ymm0, ymm7, [{a} + 0]" "vpand ymm1, ymm7, [{a} + 32]" "vpand ymm2, ymm7, [{a} + 64]"
        "vpand ymm3, ymm7, [{a} + 96]" "vpackusdw ymm0, ymm0, ymm1" "vpackusdw ymm2, ymm2, ymm3"
        "vpackuswb ymm0, ymm0, ymm2" "vpermd ymm0, ymm5, ymm0";
    f32_u8 32 (128, 0, 0): [
        "vpxor xmm7, xmm7, xmm7" "mov {spare:e}, 0x437f0000" "vmovd xmm6, {spare:e}" "vpbroadcastd ymm6, xmm6"
        "mov {spare}, 0x0703060205010400" "vmovq xmm5, {spare}" "vpmovzxbd ymm5, xmm5"]
        "vmovups ymm0, [{a} + 0]" "vmovups ymm1, [{a} + 32]" "vmovups ymm2, [{a} + 64]"
        "vmovups ymm3, [{a} + 96]" "vmaxps ymm0, ymm0, ymm7" "vmaxps ymm1, ymm1, ymm7"
        "vmaxps ymm2, ymm2, ymm7" "vmaxps ymm3, ymm3, ymm7" "vminps ymm0, ymm0, ymm6" "vminps ymm1, ymm1, ymm6"
        "vminps ymm2, ymm2, ymm6" "vminps ymm3, ymm3, ymm6" "vcvttps2dq ymm0, ymm0" "vcvttps2dq ymm1, ymm1"
        "vcvttps2dq ymm2, ymm2" "vcvttps2dq ymm3, ymm3" "vpackssdw ymm0, ymm0, ymm1"
        "vpackssdw ymm2, ymm2, ymm3" "vpackuswb ymm0, ymm0, ymm2" "vpermd ymm0, ymm5, ymm0";
    f32_u16 16 (64, 0, 0): [
        "vpxor xmm7, xmm7, xmm7" "mov {spare:e}, 0x477fff00" "vmovd xmm6, {spare:e}" "vpbroadcastd ymm6, xmm6"]
        "vmovups ymm0, [{a} + 0]" "vmovups ymm1, [{a} + 32]" "vmaxps ymm0, ymm0, ymm7"
        "vmaxps ymm1, ymm1, ymm7" "vminps ymm0, ymm0, ymm6" "vminps ymm1, ymm1, ymm6" "vcvttps2dq ymm0, ymm0"
        "vcvttps2dq ymm1, ymm1" "vpackusdw ymm0, ymm0, ymm1" "vpermq ymm0, ymm0, 0xd8";
    f32_i16 16 (64, 0, 0): [
        "mov {spare:e}, 0xc7000000" "vmovd xmm7, {spare:e}" "vpbroadcastd ymm7, xmm7"
        "mov {spare:e}, 0x46fffe00" "vmovd xmm6, {spare:e}" "vpbroadcastd ymm6, xmm6"]
        "vmovups ymm0, [{a} + 0]" "vmovups ymm1, [{a} + 32]" "vcmpordps ymm2, ymm0, ymm0"
        "vcmpordps ymm3, ymm1, ymm1" "vandps ymm0, ymm0, ymm2" "vandps ymm1, ymm1, ymm3"
        "vmaxps ymm0, ymm0, ymm7" "vmaxps ymm1, ymm1, ymm7" "vminps ymm0, ymm0, ymm6" "vminps ymm1, ymm1, ymm6"
        "vcvttps2dq ymm0, ymm0" "vcvttps2dq ymm1, ymm1" "vpackssdw ymm0, ymm0, ymm1" "vpermq ymm0, ymm0, 0xd8";
    sat_i16_u8 32 (64, 0, 0): []
        "vmovdqu ymm0, [{a}]" "vpackuswb ymm0, ymm0, [{a} + 32]" "vpermq ymm0, ymm0, 0xd8";
    sat_i16_i8 32 (64, 0, 0): []
        "vmovdqu ymm0, [{a}]" "vpacksswb ymm0, ymm0, [{a} + 32]" "vpermq ymm0, ymm0, 0xd8";
    sat_i32_i16 16 (64, 0, 0): []
        "vmovdqu ymm0, [{a}]" "vpackssdw ymm0, ymm0, [{a} + 32]" "vpermq ymm0, ymm0, 0xd8";
    sat_i32_u8 32 (128, 0, 0): ["mov {spare}, 0x0703060205010400" "vmovq xmm5, {spare}" "vpmovzxbd ymm5, xmm5"]
        "vmovdqu ymm0, [{a}]" "vmovdqu ymm2, [{a} + 64]" "vpackssdw ymm0, ymm0, [{a} + 32]"
        "vpackssdw ymm2, ymm2, [{a} + 96]" "vpackuswb ymm0, ymm0, ymm2" "vpermd ymm0, ymm5, ymm0";
    sat_i32_i8 32 (128, 0, 0): ["mov {spare}, 0x0703060205010400" "vmovq xmm5, {spare}" "vpmovzxbd ymm5, xmm5"]
        "vmovdqu ymm0, [{a}]" "vmovdqu ymm2, [{a} + 64]" "vpackssdw ymm0, ymm0, [{a} + 32]"
        "vpackssdw ymm2, ymm2, [{a} + 96]" "vpacksswb ymm0, ymm0, ymm2" "vpermd ymm0, ymm5, ymm0";
}

comparisons! {
    compared: 16, ["vmovdqu xmm0, [{a}]" "vmovdqu xmm2, [{b}]"] -> ["vpmovsxbw ymm0, xmm0"];
    lt_i8 [] "vpcmpgtb xmm0, xmm2, xmm0";
    gt_i8 [] "vpcmpgtb xmm0, xmm0, xmm2";
    le_i8 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpgtb xmm0, xmm0, xmm2";
    ge_i8 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpgtb xmm0, xmm2, xmm0";
    eq8 [] "vpcmpeqb xmm0, xmm0, xmm2";
    ne8 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpeqb xmm0, xmm0, xmm2";
    lt_u8 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpmaxub xmm2, xmm2, xmm0" "vpcmpeqb xmm0, xmm0, xmm2";
    gt_u8 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpminub xmm2, xmm2, xmm0" "vpcmpeqb xmm0, xmm0, xmm2";
    le_u8 [] "vpminub xmm2, xmm2, xmm0" "vpcmpeqb xmm0, xmm0, xmm2";
    ge_u8 [] "vpmaxub xmm2, xmm2, xmm0" "vpcmpeqb xmm0, xmm0, xmm2";
}

comparisons! {
    compared: 32, ["vmovdqu ymm0, [{a}]" "vmovdqu ymm2, [{b}]"] -> [];
    lt_i16 [] "vpcmpgtw ymm0, ymm2, ymm0";
    gt_i16 [] "vpcmpgtw ymm0, ymm0, ymm2";
    le_i16 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpgtw ymm0, ymm0, ymm2";
    ge_i16 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpgtw ymm0, ymm2, ymm0";
    eq16 [] "vpcmpeqw ymm0, ymm0, ymm2";
    ne16 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpeqw ymm0, ymm0, ymm2";
    lt_u16 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpmaxuw ymm2, ymm2, ymm0" "vpcmpeqw ymm0, ymm0, ymm2";
    gt_u16 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpminuw ymm2, ymm2, ymm0" "vpcmpeqw ymm0, ymm0, ymm2";
    le_u16 [] "vpminuw ymm2, ymm2, ymm0" "vpcmpeqw ymm0, ymm0, ymm2";
    ge_u16 [] "vpmaxuw ymm2, ymm2, ymm0" "vpcmpeqw ymm0, ymm0, ymm2";
}

comparisons! {
    compared: 64, ["vmovdqu ymm0, [{a}]" "vmovdqu ymm1, [{a} + 32]" "vmovdqu ymm2, [{b}]" "vmovdqu ymm3, [{b} + 32]"]
        -> ["vpackssdw ymm0, ymm0, ymm1" "vpermq ymm0, ymm0, 0xd8"];
    lt_i32 [] "vpcmpgtd ymm0, ymm2, ymm0" "vpcmpgtd ymm1, ymm3, ymm1";
    gt_i32 [] "vpcmpgtd ymm0, ymm0, ymm2" "vpcmpgtd ymm1, ymm1, ymm3";
    le_i32 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpgtd ymm0, ymm0, ymm2" "vpcmpgtd ymm1, ymm1, ymm3";
    ge_i32 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpgtd ymm0, ymm2, ymm0" "vpcmpgtd ymm1, ymm3, ymm1";
    eq32 [] "vpcmpeqd ymm0, ymm0, ymm2" "vpcmpeqd ymm1, ymm1, ymm3";
    ne32 ["vpcmpeqd ymm6, ymm6, ymm6"] "vpcmpeqd ymm0, ymm0, ymm2" "vpcmpeqd ymm1, ymm1, ymm3";
    lt_u32 ["vpcmpeqd ymm7, ymm7, ymm7" "vpslld ymm7, ymm7, 31"]
        "vpxor ymm0, ymm0, ymm7" "vpxor ymm1, ymm1, ymm7" "vpxor ymm2, ymm2, ymm7" "vpxor ymm3, ymm3, ymm7"
        "vpcmpgtd ymm0, ymm2, ymm0" "vpcmpgtd ymm1, ymm3, ymm1";
    gt_u32 ["vpcmpeqd ymm7, ymm7, ymm7" "vpslld ymm7, ymm7, 31"]
        "vpxor ymm0, ymm0, ymm7" "vpxor ymm1, ymm1, ymm7" "vpxor ymm2, ymm2, ymm7" "vpxor ymm3, ymm3, ymm7"
        "vpcmpgtd ymm0, ymm0, ymm2" "vpcmpgtd ymm1, ymm1, ymm3";
    le_u32 ["vpcmpeqd ymm6, ymm6, ymm6" "vpcmpeqd ymm7, ymm7, ymm7" "vpslld ymm7, ymm7, 31"]
        "vpxor ymm0, ymm0, ymm7" "vpxor ymm1, ymm1, ymm7" "vpxor ymm2, ymm2, ymm7" "vpxor ymm3, ymm3, ymm7"
        "vpcmpgtd ymm0, ymm0, ymm2" "vpcmpgtd ymm1, ymm1, ymm3";
    ge_u32 ["vpcmpeqd ymm6, ymm6, ymm6" "vpcmpeqd ymm7, ymm7, ymm7" "vpslld ymm7, ymm7, 31"]
        "vpxor ymm0, ymm0, ymm7" "vpxor ymm1, ymm1, ymm7" "vpxor ymm2, ymm2, ymm7" "vpxor ymm3, ymm3, ymm7"
        "vpcmpgtd ymm0, ymm2, ymm0" "vpcmpgtd ymm1, ymm3, ymm1";
    lt_f32 [] "vcmpltps ymm0, ymm0, ymm2" "vcmpltps ymm1, ymm1, ymm3";
    le_f32 [] "vcmpleps ymm0, ymm0, ymm2" "vcmpleps ymm1, ymm1, ymm3";
    eq_f32 [] "vcmpeqps ymm0, ymm0, ymm2" "vcmpeqps ymm1, ymm1, ymm3";
    ne_f32 [] "vcmpneqps ymm0, ymm0, ymm2" "vcmpneqps ymm1, ymm1, ymm3";
    gt_f32 [] "vcmpltps ymm0, ymm2, ymm0" "vcmpltps ymm1, ymm3, ymm1";
    ge_f32 [] "vcmpleps ymm0, ymm2, ymm0" "vcmpleps ymm1, ymm3, ymm1";
}

row_tables!();
