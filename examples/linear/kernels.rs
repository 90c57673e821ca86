//! The kernels: the box filter of CM's tutorial 2, and the three forms of it from tutorial 11.
//!
//! The image is packed 24-bit RGB in a surface of bytes. A thread filters 8 pixels of 6 rows: it reads 8 rows
//! of 32 bytes, adds the bytes of 3 pixels of 3 rows, and writes a ninth of the sums.

use cm::prelude::*;

/// Tutorial 2: eight additions of whole regions, in floats.
#[kernel]
pub fn linear(ibuf: &Surface2D, obuf: &mut Surface2D) {
    let h_pos = thread_origin_x();
    let v_pos = thread_origin_y();

    let input = ibuf.read::<u8, 8, 32>(h_pos * 24, v_pos * 6);

    let mut m: Matrix<f32, 6, 24> = input.select::<6, 1, 24, 1>(1, 3).convert();
    m += input.select::<6, 1, 24, 1>(0, 0);
    m += input.select::<6, 1, 24, 1>(0, 3);
    m += input.select::<6, 1, 24, 1>(0, 6);
    m += input.select::<6, 1, 24, 1>(1, 0);
    m += input.select::<6, 1, 24, 1>(1, 6);
    m += input.select::<6, 1, 24, 1>(2, 0);
    m += input.select::<6, 1, 24, 1>(2, 3);
    m += input.select::<6, 1, 24, 1>(2, 6);

    let out: Matrix<u8, 6, 24> = (m * 0.111f32).convert();
    obuf.write(h_pos * 24, v_pos * 6, &out);
}

/// Tutorial 11: two one-dimensional passes, first across, then down.
#[kernel]
pub fn linear1d2(ibuf: &Surface2D, obuf: &mut Surface2D) {
    let h_pos = thread_origin_x();
    let v_pos = thread_origin_y();

    let input = ibuf.read::<u8, 8, 32>(h_pos * 24, v_pos * 6);

    let mut m: Matrix<i16, 8, 24> =
        (input.select::<8, 1, 24, 1>(0, 0) + input.select::<8, 1, 24, 1>(0, 3)).convert();
    m += input.select::<8, 1, 24, 1>(0, 6);

    let mut m_out: Matrix<i16, 6, 24> =
        (m.select::<6, 1, 24, 1>(0, 0) + m.select::<6, 1, 24, 1>(1, 0)).convert();
    m_out += m.select::<6, 1, 24, 1>(2, 0);

    let out: Matrix<u8, 6, 24> = (m_out * 0.111f32).convert();
    obuf.write(h_pos * 24, v_pos * 6, &out);
}

/// Tutorial 11: a sliding window over three rows of intermediate results; reads and writes one row at a time.
#[kernel]
pub fn linearslide(ibuf: &Surface2D, obuf: &mut Surface2D) {
    let h_pos = thread_origin_x();
    let v_pos = thread_origin_y();

    let mut input = ibuf.read::<u8, 3, 32>(h_pos * 24, v_pos * 6);

    let mut m: Matrix<i16, 3, 24> = (input.select::<3, 1, 24, 1>(0, 0)
        + input.select::<3, 1, 24, 1>(0, 3)
        + input.select::<3, 1, 24, 1>(0, 6))
    .convert();

    for i in 0..5 {
        let m_out: Vector<i16, 24> = (m.row(0) + m.row(1) + m.row(2)).convert();
        let out: Vector<u8, 24> = (m_out * 0.111f32).convert();
        obuf.write(h_pos * 24, v_pos * 6 + i, &out);

        input.row_mut(i % 3).assign(ibuf.read::<u8, 1, 32>(h_pos * 24, v_pos * 6 + i + 3).row(0));
        m.row_mut(i % 3).assign(
            input.row(i % 3).select::<24, 1>(0)
                + input.row(i % 3).select::<24, 1>(3)
                + input.row(i % 3).select::<24, 1>(6),
        );
    }

    let m_out: Vector<i16, 24> = (m.row(0) + m.row(1) + m.row(2)).convert();
    let out: Vector<u8, 24> = (m_out * 0.111f32).convert();
    obuf.write(h_pos * 24, v_pos * 6 + 5, &out);
}

/// Tutorial 11: a sliding window over three rows of sums; reads and writes whole blocks.
#[kernel]
pub fn linearslide2(ibuf: &Surface2D, obuf: &mut Surface2D) {
    let h_pos = thread_origin_x();
    let v_pos = thread_origin_y();

    let input = ibuf.read::<u8, 8, 32>(h_pos * 24, v_pos * 6);
    let mut out = Matrix::<u8, 6, 24>::splat(0);

    let mut m: Matrix<i16, 3, 24> = (input.select::<3, 1, 24, 1>(0, 0)
        + input.select::<3, 1, 24, 1>(0, 3)
        + input.select::<3, 1, 24, 1>(0, 6))
    .convert();

    for i in 0..5 {
        let m_out: Vector<i16, 24> = (m.row(0) + m.row(1) + m.row(2)).convert();
        out.row_mut(i).assign(m_out * 0.111f32);
        m.row_mut(i % 3).assign(
            input.row(i + 3).select::<24, 1>(0)
                + input.row(i + 3).select::<24, 1>(3)
                + input.row(i + 3).select::<24, 1>(6),
        );
    }

    let m_out: Vector<i16, 24> = (m.row(0) + m.row(1) + m.row(2)).convert();
    out.row_mut(5).assign(m_out * 0.111f32);
    obuf.write(h_pos * 24, v_pos * 6, &out);
}
