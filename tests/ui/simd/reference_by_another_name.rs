//! Syntax does not show which variable a name of a tuple refers to, so that its other lanes would not get their values back.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let a = Vector::<i32, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let (mut x, mut y) = (a, a);
    {
        let (p, q) = (&mut x, &mut y);
        simd_if! { a < 4 => {
            p.assign(5);
            q.merge(6, a > 2);
            // A place shows its elements.
            q.select_mut::<8, 1>(0).assign(7);
        } }
    }
    output.write(0, &x);
    output.write(32, &y);
}

fn main() {}
