//! The kernel of CM's example `fft`.

use cm::prelude::*;

/// Columns of a thread.
pub const COLUMNS: usize = 8;

/// Cosines of a quarter circle in steps of a 32nd of the circle.
#[allow(clippy::approx_constant, reason = "they are a table")]
const COSINES: [f32; 9] = [
    1.0,
    0.980_785_25,
    0.923_879_5,
    0.831_469_6,
    0.707_106_77,
    0.555_570_24,
    0.382_683_43,
    0.195_090_32,
    0.0,
];

/// The cosine and the sine of `step` 32nds of the circle, up to a half.
const fn direction(step: usize) -> (f32, f32) {
    if step <= 8 { (COSINES[step], COSINES[8 - step]) } else { (-COSINES[16 - step], COSINES[step - 8]) }
}

/// The discrete Fourier transform of `N` points (8, 16 or 32) in place, for 8 columns: row `n` of a thread
/// has point `n` of each column, as real and imaginary part. `pitch` is the bytes of a row.
#[kernel]
pub fn fft<const N: usize>(points: &mut Buffer<f32>, pitch: u32) {
    let first = thread_origin_y() * N * pitch + thread_origin_x() * 64;
    let mut re = Matrix::<f32, N, 8>::splat(0.0f32);
    let mut im = Matrix::<f32, N, 8>::splat(0.0f32);
    for n in 0..N {
        // The bits of the row number, reversed.
        let to = n.reverse_bits() >> (usize::BITS - N.trailing_zeros());
        let row = points.read::<16>(first + pitch * n);
        re.row_mut(to).assign(row.select::<8, 2>(0));
        im.row_mut(to).assign(row.select::<8, 2>(1));
    }
    for stage in 0..N.trailing_zeros() {
        let half = 1 << stage;
        for upper in (0..N).filter(|n| n & half == 0) {
            let (cosine, sine) = direction(upper % half * 16 / half);
            let lower = upper + half;
            let (a, b) = (re.row(lower), im.row(lower));
            let (turned_re, turned_im) = (a * cosine + b * sine, b * cosine - a * sine);
            re.row_mut(lower).assign(re.row(upper) - turned_re);
            im.row_mut(lower).assign(im.row(upper) - turned_im);
            re.row_mut(upper) += turned_re;
            im.row_mut(upper) += turned_im;
        }
    }
    for n in 0..N {
        let mut row = Vector::<f32, 16>::splat(0.0f32);
        row.select_mut::<8, 2>(0).assign(re.row(n));
        row.select_mut::<8, 2>(1).assign(im.row(n));
        points.write(first + pitch * n, &row);
    }
}
