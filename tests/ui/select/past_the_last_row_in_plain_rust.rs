//! Sizes are checked in plain Rust as well.

use cm::prelude::*;

fn main() {
    let m = Matrix::from_array([[1u8, 2, 3, 4], [5, 6, 7, 8]]);
    assert_eq!(m.select::<3, 1, 4, 1>(0, 0).row(2).to_array(), [0; 4]);
}
