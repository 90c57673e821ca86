//! The kernel of CM's example `SparseMatrixMul`.

use cm::prelude::*;

/// Rows of a thread.
pub const ROWS: usize = 16;

/// A sparse matrix times a vector: `y = a * x`. Row `n` has the elements from index `starts[n]` to before
/// `starts[n + 1]`, with their columns. Each thread processes 16 rows.
#[kernel]
pub fn spmv_csr(
    starts: &Buffer<u32>,
    columns: &Buffer<u32>,
    values: &Buffer<f32>,
    x: &Buffer<f32>,
    y: &mut Buffer<f32>,
) {
    let first = thread_origin_x() * 16;
    let starts = starts.read_dwaligned::<17>(first * 4);
    let mut lanes = Vector::<u32, 16>::splat(0);
    lanes.vector_assign(0, 1);
    let mut sums = Vector::<f32, 16>::splat(0.0f32);
    let mut row = 0u32;
    while row < 16 {
        let (mut at, end) = (starts.get(row), starts.get(row + 1));
        let mut sum = Vector::<f32, 16>::splat(0.0f32);
        while at < end {
            let mut products: Vector<f32, 16> = values.read_dwaligned::<16>(at * 4)
                * x.read_scattered(0, &columns.read_dwaligned::<16>(at * 4));
            // Elements after the row belong to another one, and may be infinite or NaN.
            products.merge(0.0f32, &(lanes + at >= end));
            sum += products;
            at += 16;
        }
        sums.get_mut(row).assign(math::sum::<f32, _>(sum));
        row += 1;
    }
    y.write(first * 4, &sums);
}
