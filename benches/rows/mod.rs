//! The box filter as an expert would write it by hand: whole rows, no registers. It gives the same bytes as
//! `linear1d2`, in the interior.

/// Bytes of six rows that are filtered together.
const WIDTH: usize = 64;

/// The number of rows that are read for six rows that are written.
const ROWS: usize = 8;

/// A ninth of the sum of three rows of sums of three pixels. The last rows are filtered again instead of one
/// by one.
macro_rules! columns {
    ($input:ident, $output:ident, $width:ident, $row:ident) => {{
        let height = $input.len() / $width;
        for y in (0..height - 2).step_by(ROWS - 2) {
            let y = y.min(height - ROWS);
            for x in (0..$width - WIDTH - 6).step_by(WIDTH) {
                let mut sums = [[0i16; WIDTH]; ROWS];
                for r in 0..ROWS {
                    $row(&$input[(y + r) * $width + x..], &mut sums[r]);
                }
                for r in 0..ROWS - 2 {
                    let out = &mut $output[(y + r) * $width + x..][..WIDTH];
                    for k in 0..WIDTH {
                        let ninth = f32::from(sums[r][k] + sums[r + 1][k] + sums[r + 2][k]) * 0.111f32;
                        // SAFETY: the sum of nine bytes is at most 2295, a ninth of it is a number of 8 bits.
                        out[k] = unsafe { ninth.to_int_unchecked::<i32>() } as u8;
                    }
                }
            }
        }
    }};
}

#[inline(always)]
fn plain(input: &[u8], sums: &mut [i16; WIDTH]) {
    let input: &[u8; WIDTH + 6] = input[..WIDTH + 6].try_into().expect("the length");
    for k in 0..WIDTH {
        sums[k] = i16::from(input[k]) + i16::from(input[k + 3]) + i16::from(input[k + 6]);
    }
}

#[inline(always)]
fn all(input: &[u8], output: &mut [u8], width: usize) {
    columns!(input, output, width, plain);
}

/// Plain loops, compiled for the best instruction set of this machine.
pub(crate) fn autovectorised(input: &[u8], output: &mut [u8], width: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
        fn wide(input: &[u8], output: &mut [u8], width: usize) {
            all(input, output, width);
        }
        #[target_feature(enable = "avx2")]
        fn narrow(input: &[u8], output: &mut [u8], width: usize) {
            all(input, output, width);
        }
        if has_avx512() {
            // SAFETY: the CPU has these extensions.
            return unsafe { wide(input, output, width) };
        }
        if has_avx2() {
            // SAFETY: the CPU has AVX2.
            return unsafe { narrow(input, output, width) };
        }
    }
    all(input, output, width);
}

#[cfg(target_arch = "x86_64")]
pub(crate) use intrinsics::{avx2, avx512, has_avx2, has_avx512};

#[cfg(target_arch = "x86_64")]
mod intrinsics {
    use std::arch::x86_64::*;

    /// Whether the CPU has AVX2.
    pub(crate) fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2")
    }

    /// Whether the CPU has the AVX-512 extensions that are used here.
    pub(crate) fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
    }

    /// The sums of 32 bytes and those 3 and 6 positions further, as words.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn sums512(input: &[u8]) -> __m512i {
        assert!(input.len() >= 38);
        // SAFETY: 38 bytes exist.
        let word =
            |at: usize| unsafe { _mm512_cvtepu8_epi16(_mm256_loadu_si256(input.as_ptr().add(at).cast())) };
        _mm512_add_epi16(_mm512_add_epi16(word(0), word(3)), word(6))
    }

    /// A ninth of 16 words, as bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn ninth512(sums: __m256i) -> __m128i {
        let scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(sums)), _mm512_set1_ps(0.111));
        _mm512_cvtusepi32_epi8(_mm512_cvttps_epi32(scaled))
    }

    /// 32 bytes of six rows at a time.
    #[target_feature(enable = "avx512f,avx512bw")]
    fn columns512(input: &[u8], output: &mut [u8], width: usize) {
        let height = input.len() / width;
        for (band, x) in
            (0..height - 2).step_by(6).flat_map(|band| (0..width - 38).step_by(32).map(move |x| (band, x)))
        {
            let mut above = [sums512(&input[band * width + x..]), sums512(&input[(band + 1) * width + x..])];
            for y in band..(band + 6).min(height - 2) {
                let below = sums512(&input[(y + 2) * width + x..]);
                let sums = _mm512_add_epi16(_mm512_add_epi16(above[0], above[1]), below);
                above = [above[1], below];
                let out = &mut output[y * width + x..][..32];
                let (low, high) = (_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums));
                // SAFETY: `out` has 32 bytes.
                unsafe {
                    _mm_storeu_si128(out.as_mut_ptr().cast(), ninth512(low));
                    _mm_storeu_si128(out.as_mut_ptr().add(16).cast(), ninth512(high));
                }
            }
        }
    }

    /// AVX-512 intrinsics.
    pub(crate) fn avx512(input: &[u8], output: &mut [u8], width: usize) {
        assert!(has_avx512());
        // SAFETY: the CPU has these extensions.
        unsafe { columns512(input, output, width) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn sums256(input: &[u8]) -> __m256i {
        assert!(input.len() >= 22);
        // SAFETY: 22 bytes exist.
        let word =
            |at: usize| unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(input.as_ptr().add(at).cast())) };
        _mm256_add_epi16(_mm256_add_epi16(word(0), word(3)), word(6))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn ninth256(sums: __m128i) -> __m256i {
        let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sums)), _mm256_set1_ps(0.111));
        _mm256_cvttps_epi32(scaled)
    }

    /// 16 bytes of six rows at a time.
    #[target_feature(enable = "avx2")]
    fn columns256(input: &[u8], output: &mut [u8], width: usize) {
        let height = input.len() / width;
        for (band, x) in
            (0..height - 2).step_by(6).flat_map(|band| (0..width - 22).step_by(16).map(move |x| (band, x)))
        {
            let mut above = [sums256(&input[band * width + x..]), sums256(&input[(band + 1) * width + x..])];
            for y in band..(band + 6).min(height - 2) {
                let below = sums256(&input[(y + 2) * width + x..]);
                let sums = _mm256_add_epi16(_mm256_add_epi16(above[0], above[1]), below);
                above = [above[1], below];
                let low = ninth256(_mm256_castsi256_si128(sums));
                let high = ninth256(_mm256_extracti128_si256::<1>(sums));
                // Words in the order of the lanes, then bytes.
                let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
                let bytes = _mm256_packus_epi16(words, words);
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
                let out = &mut output[y * width + x..][..16];
                // SAFETY: `out` has 16 bytes.
                unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), _mm256_castsi256_si128(bytes)) };
            }
        }
    }

    /// AVX2 intrinsics.
    pub(crate) fn avx2(input: &[u8], output: &mut [u8], width: usize) {
        assert!(has_avx2());
        // SAFETY: the CPU has AVX2.
        unsafe { columns256(input, output, width) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    /// This CPU does not have it.
    pub(crate) fn has_avx2() -> bool {
        false
    }
    /// This CPU does not have it.
    pub(crate) fn has_avx512() -> bool {
        false
    }
    /// Never called.
    pub(crate) fn avx2(_: &[u8], _: &mut [u8], _: usize) {}
    /// Never called.
    pub(crate) fn avx512(_: &[u8], _: &mut [u8], _: usize) {}
}
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use elsewhere::{avx2, avx512, has_avx2, has_avx512};
