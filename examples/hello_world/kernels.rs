//! The kernel of CM's tutorial 7.

use cm::prelude::*;

/// Each thread prints its number once, whatever the number of active lanes.
#[kernel]
pub fn hello_world(thread_width: u32) {
    let id = thread_origin_x() + thread_origin_y() * thread_width;
    let lanes = Vector::<u16, 16>::splat(1);
    simd_if! { lanes == 1 => {
        printf!("hello from thread {id} of column {} and row {}", thread_origin_x(), thread_origin_y());
    } }
}
