//! Functions that take places by `&mut`, like functions of CM that take `vector_ref` and `matrix_ref`.

use cm::math::sum;
use cm::prelude::*;

/// Adds to every element that is at least `least`, and returns the number of these elements.
#[function]
fn raise<const N: usize>(v: &mut Vector<u8, N>, least: i32, by: i32) -> i32 {
    let raised = *v >= least;
    if !raised.any() {
        return 0;
    }
    let more = *v + by;
    v.merge(more, &raised);
    sum::<i32, _>(raised)
}

/// Changes two rows; each result depends on the old elements of the other row.
#[function]
fn cross(a: &mut Vector<u8, 16>, b: &mut Vector<u8, 16>, c: Vector<u8, 16>) {
    let old = *a;
    *a -= *b;
    b.assign(old ^ c);
}

/// Writes a part of its parameter through another function.
#[function]
fn halves(m: &mut Matrix<u8, 2, 8>) {
    m.row_mut(0).assign(m.row(0) >> 1);
    let _ = raise(&mut m.row_mut(1).select_mut::<4, 2>(1), 0, 7);
    let _ = raise(&mut m.row_mut(0), 100, 1);
}

#[function]
fn count_up(x: &mut u8, m: &mut Matrix<u8, 4, 1>, words: &mut Vector<u32, 4>) {
    *x += 1;
    *m += *x;
    *words = *words * 3u32 + 1u32;
}

/// Rows, regions, columns, elements, and bytes as other elements.
#[kernel]
pub fn parts(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut other = t;
    cross(&mut t.row_mut(0), &mut other.row_mut(1), t.row(3));
    halves(&mut t.select_mut::<2, 2, 8, 2>(1, 1));
    let mut words = t.row(2);
    count_up(&mut t.get_mut(2, 5), &mut other.column_mut(3), &mut words.format_mut::<u32>());
    t.row_mut(3).assign(words);
    let sum: Matrix<u8, 4, 16> = (t + other).convert();
    output.write(x, y, &sum);
}

/// In branches and loops, at offsets that the kernel computes.
#[kernel]
pub fn staged_parts(input: &Surface2D, output: &mut Surface2D, least: i32, rows: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let mut t = input.read::<u8, 4, 16>(x, y);
    let mut found = 0;
    for i in 0..rows {
        let raised = raise(&mut t.row_mut(i), least, 3);
        if raised == 16 {
            break;
        }
        found += raised;
        if found > 8 {
            let _ = raise(&mut t.row_mut(i).select_mut::<4, 3>(found), 0, 1);
        }
    }
    while raise(&mut t.select_mut::<1, 1, 8, 1>(1, 4).row_mut(0), 250, 100) > 0 {
        found += 1;
    }
    t.get_mut(3, 15).assign(found);
    output.write(x, y, &t);
}
