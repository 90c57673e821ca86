//! Products of matrices by the instructions that x86 has for them, with the bits of the plain loops.
//!
//! Sums of integers wrap, so their order does not matter, and no instruction here saturates. AVX2 adds the products of
//! two neighbouring words (`vpmaddwd`), VNNI those of four neighbouring bytes (`vpdpbusd`). Sums of floats keep the
//! order of the loops, and round each product and each sum. `vdpbf16ps` of AVX512-BF16 is not used: it takes
//! denormals as zeros, and adds the products of a pair in another order.
//!
//! These are functions of their own, because kernels are not compiled for these extensions.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m256, __m256i, _mm_cvtsi32_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256,
    _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cvtph_ps,
    _mm256_dpbusd_avx_epi32, _mm256_dpbusd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_mul_ps,
    _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_setzero_si256, _mm256_sll_epi16, _mm256_sra_epi16, _mm256_srl_epi16,
    _mm256_srli_epi32, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_sub_epi32, _mm256_xor_si256,
};

use cm_compiler::limits::DPAS_DEPTH;

use super::super::arrays::{Lanes, flat_mut};
use super::super::environment::{Products, Vnni};
use crate::elem::{Elem, ElemType};
use crate::ops::{Factor, Precision};

/// Dwords of a register, and of the factors of a row.
const EACH: usize = DPAS_DEPTH;
/// Registers of a row of sums, at most.
const PARTS: usize = 2;

/// Adds the products of rows and columns to the sums.
pub(in crate::cpu) fn dpas<P, Q, const N: usize, const R: usize, const C: usize>(
    sums: &mut Lanes<P::Sum, N, R, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
    products: Products,
) where
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    const { assert!(C == EACH || C == PARTS * EACH, "one register or two") };
    let sums = Sums::of(sums);
    // SAFETY: the CPU has the extensions of each function, as `products` proves.
    unsafe {
        if const { !matches!(P::PRECISION.accumulator(), ElemType::I32) } {
            return floats::<P, Q, N, R, C>(sums, columns, rows);
        }
        match products.vnni() {
            None => words::<P, Q, N, R, C>(sums, columns, rows),
            Some(Vnni::Avx) => bytes_avx::<P, Q, N, R, C>(sums, columns, rows),
            Some(Vnni::Avx512) => bytes_avx512::<P, Q, N, R, C>(sums, columns, rows),
        }
    }
}

/// The sums of `N` threads in rows of `C`, as bits.
struct Sums<'a, const N: usize, const C: usize>(&'a mut [u32]);

impl<'a, const N: usize, const C: usize> Sums<'a, N, C> {
    fn of<T: Elem, const R: usize>(sums: &'a mut Lanes<T, N, R, C>) -> Self {
        Self(bytemuck::cast_slice_mut(flat_mut(sums)))
    }

    /// A register of sums of row `r` of thread `n`.
    fn part(&mut self, r: usize, n: usize, part: usize) -> &mut [u32; EACH] {
        let first = (r * N + n) * C + part * EACH;
        (&mut self.0[first..first + EACH]).try_into().expect("a register")
    }
}

/// The dwords of a register.
#[inline]
#[target_feature(enable = "avx2")]
fn load(dwords: &[u32; EACH]) -> __m256i {
    // SAFETY: these are as many bytes as a register has.
    unsafe { _mm256_loadu_si256(dwords.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(dwords: &mut [u32; EACH], register: __m256i) {
    // SAFETY: these are as many bytes as a register has.
    unsafe { _mm256_storeu_si256(dwords.as_mut_ptr().cast(), register) };
}

/// A register of factors of one step.
#[inline]
#[target_feature(enable = "avx2")]
fn part_of<const C: usize>(row: &[u32; C], part: usize) -> __m256i {
    load(row[part * EACH..][..EACH].try_into().expect("a register"))
}

/// Two integers of each dword as words: those of place `k` of either half.
#[inline]
#[target_feature(enable = "avx2")]
fn pair(dwords: __m256i, precision: Precision, k: usize) -> __m256i {
    let bits = precision.bits();
    let left = _mm_cvtsi32_si128((16 - bits * (k + 1)) as i32);
    let right = _mm_cvtsi32_si128((16 - bits) as i32);
    let high = _mm256_sll_epi16(dwords, left);
    if precision.is_signed() { _mm256_sra_epi16(high, right) } else { _mm256_srl_epi16(high, right) }
}

/// Sums of integers, by products of words.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn words<P: Factor, Q: Factor, const N: usize, const R: usize, const C: usize>(
    mut sums: Sums<'_, N, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) {
    for n in 0..N {
        for k in 0..P::PRECISION.per_dword() / 2 {
            let mut factors = [[_mm256_setzero_si256(); PARTS]; DPAS_DEPTH];
            for step in 0..DPAS_DEPTH {
                for part in 0..C / EACH {
                    factors[step][part] = pair(part_of(&columns[step][n], part), P::PRECISION, k);
                }
            }
            for r in 0..R {
                let mut own = [0; DPAS_DEPTH];
                store(&mut own, pair(load(&rows[r][n]), Q::PRECISION, k));
                let mut row = [_mm256_setzero_si256(); PARTS];
                for part in 0..C / EACH {
                    row[part] = load(sums.part(r, n, part));
                }
                for step in 0..DPAS_DEPTH {
                    let own = _mm256_set1_epi32(own[step] as i32);
                    for part in 0..C / EACH {
                        row[part] = _mm256_add_epi32(row[part], _mm256_madd_epi16(own, factors[step][part]));
                    }
                }
                for part in 0..C / EACH {
                    store(sums.part(r, n, part), row[part]);
                }
            }
        }
    }
}

/// Integers of each dword as bytes: the dword itself, or the low or high half of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn four(dwords: __m256i, precision: Precision, half: usize) -> __m256i {
    if precision.bits() == 8 {
        return dwords;
    }
    let shifted = if half == 0 { dwords } else { _mm256_srli_epi32::<4>(dwords) };
    let bits = _mm256_and_si256(shifted, _mm256_set1_epi8(15));
    let sign = _mm256_set1_epi8(if precision.is_signed() { 8 } else { 0 });
    _mm256_sub_epi8(_mm256_xor_si256(bits, sign), sign)
}

/// Sums of integers, by an instruction that multiplies unsigned bytes by signed bytes. If both factors are unsigned, or
/// both are signed, those of the row change their sign bits: they become 128 less or more, and the sums too
/// by 128 times the factors of their columns, which is subtracted first.
macro_rules! bytes {
    ($name:ident, $extensions:literal, $dot:ident) => {
        #[inline(never)]
        #[target_feature(enable = $extensions)]
        fn $name<P: Factor, Q: Factor, const N: usize, const R: usize, const C: usize>(
            mut sums: Sums<'_, N, C>,
            columns: &Lanes<u32, N, DPAS_DEPTH, C>,
            rows: &Lanes<u32, N, R, DPAS_DEPTH>,
        ) {
            macro_rules! dot {
                ($sum:expr, $column:expr, $row:expr) => {
                    if P::PRECISION.is_signed() {
                        $dot($sum, $row, $column)
                    } else {
                        $dot($sum, $column, $row)
                    }
                };
            }
            let alike = P::PRECISION.is_signed() == Q::PRECISION.is_signed();
            let changed = _mm256_set1_epi8(if alike { i8::MIN } else { 0 });
            for n in 0..N {
                for half in 0..8 / P::PRECISION.bits() {
                    let mut factors = [[_mm256_setzero_si256(); PARTS]; DPAS_DEPTH];
                    let mut excess = [_mm256_setzero_si256(); PARTS];
                    for step in 0..DPAS_DEPTH {
                        for part in 0..C / EACH {
                            let column = four(part_of(&columns[step][n], part), P::PRECISION, half);
                            factors[step][part] = column;
                            excess[part] = dot!(excess[part], column, changed);
                        }
                    }
                    for r in 0..R {
                        let mut own = [0; DPAS_DEPTH];
                        let integers = four(load(&rows[r][n]), Q::PRECISION, half);
                        store(&mut own, _mm256_xor_si256(integers, changed));
                        let mut row = [_mm256_setzero_si256(); PARTS];
                        for part in 0..C / EACH {
                            row[part] = _mm256_sub_epi32(load(sums.part(r, n, part)), excess[part]);
                        }
                        for step in 0..DPAS_DEPTH {
                            let own = _mm256_set1_epi32(own[step] as i32);
                            for part in 0..C / EACH {
                                row[part] = dot!(row[part], factors[step][part], own);
                            }
                        }
                        for part in 0..C / EACH {
                            store(sums.part(r, n, part), row[part]);
                        }
                    }
                }
            }
        }
    };
}

bytes!(bytes_avx, "avx2,avxvnni", _mm256_dpbusd_avx_epi32);
bytes!(bytes_avx512, "avx2,avx512vl,avx512vnni", _mm256_dpbusd_epi32);

/// Factors of each dword at a place, as floats.
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn float<F: Factor>(dwords: __m256i, place: usize) -> __m256 {
    if const { matches!(F::PRECISION, Precision::Hf) } {
        let words = if place == 0 { dwords } else { _mm256_srli_epi32::<16>(dwords) };
        let words = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
        // Packing takes halves of registers in turn.
        let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(words, words));
        return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
    }
    let mut bits = [0; EACH];
    store(&mut bits, dwords);
    for bits in &mut bits {
        *bits = bytemuck::cast(F::of(*bits, place));
    }
    _mm256_castsi256_ps(load(&bits))
}

/// Sums of floats.
#[inline(never)]
#[target_feature(enable = "avx2,f16c")]
fn floats<P: Factor, Q: Factor, const N: usize, const R: usize, const C: usize>(
    mut sums: Sums<'_, N, C>,
    columns: &Lanes<u32, N, DPAS_DEPTH, C>,
    rows: &Lanes<u32, N, R, DPAS_DEPTH>,
) {
    /// Factors per dword, at most.
    const PLACES: usize = 2;
    for n in 0..N {
        let mut factors = [[[_mm256_setzero_ps(); PARTS]; PLACES]; DPAS_DEPTH];
        for step in 0..DPAS_DEPTH {
            for place in 0..P::PRECISION.per_dword() {
                for part in 0..C / EACH {
                    factors[step][place][part] = float::<P>(part_of(&columns[step][n], part), place);
                }
            }
        }
        for r in 0..R {
            let mut own = [[0; DPAS_DEPTH]; PLACES];
            for place in 0..P::PRECISION.per_dword() {
                store(&mut own[place], _mm256_castps_si256(float::<Q>(load(&rows[r][n]), place)));
            }
            let mut row = [_mm256_setzero_ps(); PARTS];
            for part in 0..C / EACH {
                row[part] = _mm256_castsi256_ps(load(sums.part(r, n, part)));
            }
            for step in 0..DPAS_DEPTH {
                for place in 0..P::PRECISION.per_dword() {
                    let own = _mm256_set1_ps(f32::from_bits(own[place][step]));
                    for part in 0..C / EACH {
                        let product = _mm256_mul_ps(own, factors[step][place][part]);
                        row[part] = _mm256_add_ps(row[part], product);
                    }
                }
            }
            for part in 0..C / EACH {
                store(sums.part(r, n, part), _mm256_castps_si256(row[part]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::dpas::plain;
    use super::super::super::environment::Avx2;
    use super::*;
    use crate::elem::{bf16, f16, tf32};
    use crate::ops::{S4, U4};

    /// `vpdpbusd`, for CPUs without it.
    #[target_feature(enable = "avx2")]
    fn dot(sum: __m256i, unsigned: __m256i, signed: __m256i) -> __m256i {
        let [mut sums, mut a, mut b] = [[0; EACH]; 3];
        store(&mut sums, sum);
        store(&mut a, unsigned);
        store(&mut b, signed);
        for i in 0..EACH {
            for shift in [0, 8, 16, 24] {
                let product = i32::from((a[i] >> shift) as u8) * i32::from((b[i] >> shift) as i8);
                sums[i] = sums[i].wrapping_add(product as u32);
            }
        }
        load(&sums)
    }

    bytes!(bytes_without_vnni, "avx2", dot);

    /// Numbers in which every bit is as often 0 as 1, and bytes of the smallest and largest integers.
    fn dwords(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match *seed >> 60 {
            0 => 0x8080_8080,
            1 => 0xffff_ffff,
            2 => 0x7f7f_7f7f,
            _ => (*seed >> 24) as u32,
        }
    }

    fn check<P, Q, const N: usize, const R: usize, const C: usize>(avx2: Avx2)
    where
        P: Factor,
        Q: Factor<Sum = P::Sum>,
    {
        let mut seed = (N + R * 10 + C * 1000) as u64;
        for _ in 0..50 {
            let mut columns = [[[0; C]; N]; DPAS_DEPTH];
            columns.as_flattened_mut().as_flattened_mut().fill_with(|| dwords(&mut seed));
            let mut rows = [[[0; DPAS_DEPTH]; N]; R];
            rows.as_flattened_mut().as_flattened_mut().fill_with(|| dwords(&mut seed));
            let mut start = [[[P::Sum::default(); C]; N]; R];
            let bits: &mut [u32] = bytemuck::cast_slice_mut(flat_mut(&mut start));
            bits.fill_with(|| dwords(&mut seed));
            let mut expected = start;
            plain::<P, Q, N, R, C>(&mut expected, &columns, &rows);
            let same = |how: &str, mut found: Lanes<P::Sum, N, R, C>| {
                for (x, y) in flat_mut(&mut found).iter().zip(flat_mut(&mut expected.clone())) {
                    // Only NaN is not the same number as itself.
                    let nan = |x: P::Sum| x.partial_cmp(&x).is_none();
                    let (bits, right): (u32, u32) = (bytemuck::cast(*x), bytemuck::cast(*y));
                    assert!(
                        bits == right || nan(*x) && nan(*y),
                        "{:?} by {:?}, {how}: {x}, not {y}",
                        P::PRECISION,
                        Q::PRECISION
                    );
                }
            };
            for avx512 in [false, true] {
                let products = Products::detect(avx2, avx512);
                let mut found = start;
                dpas::<P, Q, N, R, C>(&mut found, &columns, &rows, products);
                same(&format!("{products:?}"), found);
            }
            if P::PRECISION.accumulator() == ElemType::I32 {
                let [mut by_words, mut by_bytes] = [start; 2];
                // SAFETY: the CPU has AVX2, as the value proves.
                unsafe {
                    words::<P, Q, N, R, C>(Sums::of(&mut by_words), &columns, &rows);
                    bytes_without_vnni::<P, Q, N, R, C>(Sums::of(&mut by_bytes), &columns, &rows);
                }
                same("words", by_words);
                same("bytes", by_bytes);
            }
        }
    }

    #[test]
    fn products_have_the_bits_of_the_plain_loops() {
        let Some(avx2) = Avx2::detect() else {
            println!("skipped: this CPU has no AVX2");
            return;
        };
        macro_rules! check {
            ($($p:ty, $q:ty;)*) => {$(
                check::<$p, $q, 1, 8, 16>(avx2);
                check::<$p, $q, 1, 1, 8>(avx2);
                check::<$p, $q, 2, 3, 8>(avx2);
                check::<$p, $q, 2, 8, 16>(avx2);
            )*};
        }
        check! {
            u8, u8; u8, i8; i8, u8; i8, i8;
            U4, U4; U4, S4; S4, U4; S4, S4;
            bf16, bf16; f16, f16; tf32, tf32;
        }
    }
}
