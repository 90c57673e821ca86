//! A helper is checked where its sizes are known.

use cm::prelude::*;

#[function]
fn sum(m: &Matrix<u8, 4, 16>) -> Matrix<i32, 2, 16> {
    m.select::<2, 1, 16, 1>(0, 0) + m.select::<2, 1, 16, 1>(3, 0)
}

fn main() {}
