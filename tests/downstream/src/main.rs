//! Features that downstream crates rely on: the tutorial kernel, a generic kernel without bounds, control
//! flow of every kind, helpers, uniform arguments, and registers in plain Rust.

use cm::prelude::*;

/// 3x3 box filter of packed 24-bit RGB: two 1-D passes (CM tutorial 11).
#[kernel]
pub fn linear1d2(ibuf: &Surface2D, obuf: &mut Surface2D) {
    let h_pos = thread_origin_x();
    let v_pos = thread_origin_y();
    let input = ibuf.read::<u8, 8, 32>(h_pos * 24, v_pos * 6); // x in bytes, y in rows
    let mut m: Matrix<i16, 8, 24> =
        (input.select::<8, 1, 24, 1>(0, 0) + input.select::<8, 1, 24, 1>(0, 3)).convert();
    m += input.select::<8, 1, 24, 1>(0, 6);
    let mut m_out: Matrix<i16, 6, 24> =
        (m.select::<6, 1, 24, 1>(0, 0) + m.select::<6, 1, 24, 1>(1, 0)).convert();
    m_out += m.select::<6, 1, 24, 1>(2, 0);
    let out: Matrix<u8, 6, 24> = (m_out * 0.111f32).convert();
    obuf.write(h_pos * 24, v_pos * 6, &out);
}

/// Generic, without bounds.
#[kernel]
pub fn copy<const R: usize, const C: usize>(ibuf: &Surface2D, obuf: &mut Surface2D) {
    let x = thread_origin_x() * C;
    let y = thread_origin_y() * R;
    let m = ibuf.read::<u8, R, C>(x, y);
    let mut z = Matrix::<u8, R, C>::splat(0);
    z += m;
    obuf.write(x, y, &z);
}

type Tile = Matrix<u8, 4, 16>;

#[function]
fn bright<const R: usize, const C: usize>(m: Matrix<u8, R, C>, by: i32) -> Matrix<u8, R, C> {
    (m + by).saturate()
}

/// The last expression borrows a block that is read in place.
#[function]
pub fn middle(ibuf: &Surface2D) -> Vector<u8, 8> {
    let block = ibuf.read::<u8, 8, 32>(0, 0);
    block.row(3).select::<8, 1>(12)
}

#[function]
fn grow(m: &mut Matrix<u8, 4, 16>, n: u32) {
    *m += n;
    m.row_mut(0) += 1;
    let t = *m;
    *m = t;
}

#[kernel]
pub fn control(ibuf: &Surface2D, obuf: &mut Surface2D, gain: f32, limit: u32, weights: Vector<i16, 4>) {
    let h = thread_origin_x();
    let v = thread_origin_y();
    let mut t: Tile = ibuf.read::<u8, 4, 16>(h * 16, v * 4);
    let zero = Tile::splat(0);
    if h > 1 && v < 3 {
        t = bright(t, 10);
    } else if h == 0 {
        t.row_mut(1).assign(zero.row(1));
    }
    let k = if t.any() { 2 } else { 3 };
    t += k;
    let mut n = 0;
    while n < limit {
        t += 1;
        n += 1;
    }
    for i in 0..4 {
        if i % 2 == 0 {
            t.row_mut(i) += weights.get(i);
        }
    }
    for i in 0..limit {
        t.row_mut(i).select_mut::<8, 1>(4) += i;
    }
    let mask = t > 100;
    t.merge(100, &mask);
    t.merge_else(t.select::<4, 1, 16, 1>(0, 0), 7, mask);
    grow(&mut t, limit);
    let s: f32 = 0.5;
    let cond: bool = t.all();
    let mut done = false;
    while !done {
        t += gain * s;
        done = cond || n > 3;
        n += 1;
    }
    let x = (h as i32) * 16;
    let u = t.format::<u32, 4, 4>();
    let r = u.replicate::<2, 4>(0, 0);
    let idx: Vector<u16, 8> = Vector::from_array([7u16, 6, 5, 4, 3, 2, 1, 0]);
    let g = r.iselect(idx);
    t.row_mut(3).format_mut::<u32>().assign(g.select::<4, 2>(0));
    let big: u64 = 5_000_000_000;
    let _ = big;
    obuf.write(x, v * 4, &t);
    let w = bright::<4, 16>(t, 1);
    let _ = w;
    let last = if i32_max(3, 4) == 4 { t } else { zero };
    obuf.write(x, v * 4, &last);
    for (i, w) in [1.0f32, 2.0].into_iter().enumerate() {
        t.row_mut(i) += w;
    }
}

fn i32_max(a: i32, b: i32) -> i32 {
    if a > b {
        a
    } else {
        b
    }
}

fn main() -> cm::Result<()> {
    let device = Device::best()?;
    let rgb: Vec<u8> = vec![0; 240 * 120];
    let input = Surface2D::from_bytes(&device, Format::R8, 240, 120, &rgb)?;
    let mut output = Surface2D::new(&device, Format::R8, 240, 120)?;
    linear1d2::launch(&device, ThreadSpace::new(240 / 24, 120 / 6)?, &input, &mut output)?;
    let bytes: Vec<u8> = output.to_vec()?;
    assert_eq!(bytes.len(), rgb.len());
    let event = copy::<8, 32>::launch(&device, ThreadSpace::new(2, 2)?, &input, &mut output)?;
    println!("copied in {:?}", event.elapsed());
    let error = copy::<8, 64>::launch(&device, ThreadSpace::new(2, 2)?, &input, &mut output).unwrap_err();
    println!("refused: {error}");
    assert!(error.to_string().contains("a media block of 8 rows of 64 bytes"));
    let weights = Vector::from_array([1i16, 2, 3, 4]);
    control::launch(&device, ThreadSpace::new(15, 30)?, &input, &mut output, 2.0, 3, weights)?;

    // Kernel code is plain Rust on plain registers.
    let m = Matrix::from_array([[1u8, 2], [3, 4]]);
    let b = bright(m, 3);
    assert_eq!(b.to_array(), [[4, 5], [6, 7]]);
    assert!(m.any() && (m * 2).all());
    assert_eq!((2.0f32 * m).to_array(), [[2.0, 4.0], [6.0, 8.0]]);
    Ok(())
}

#[test]
fn the_program_runs() -> cm::Result<()> {
    main()
}
