//! An assignment is an expression in Rust. Inside SIMD control flow it must be a statement, after which the other lanes get their
//! values back.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let a = Vector::<i32, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let mut x = a;
    let mut m = Matrix::<i32, 2, 8>::splat(0);
    let mut list = [a; 2];
    simd_if! { a < 4 => {
        let () = x += 5;
        let () = x = a;
        let () = m.row_mut(0).assign(9);
        _ = list[1].merge(7, a > 2);
    } }
    output.write(0, &x);
    output.write(32, &m.row(0));
    output.write(64, &list[1]);
}

fn main() {}
