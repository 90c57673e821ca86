//! CM's example `SparseMatrixMul`: `cargo run --release --example sparse_matrix_vector -- [SIZE]`.
//!
//! It multiplies a sparse matrix of `SIZE` rows, each with up to 100 elements, by a vector, and compares the
//! product with a plain loop. Elements are small multiples of 1/8, so all sums are exact. `CM_DEVICE` selects
//! the device.
//!
//! CM's kernel multiplies the elements that it reads after a row by 0, which is wrong for infinities. This
//! kernel omits them.

pub mod kernels;

use std::process::ExitCode;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};
use kernels::{ROWS, spmv_csr};

fn main() -> ExitCode {
    let fits = |size: usize| (ROWS..=32_000).contains(&size) && size.is_multiple_of(ROWS);
    on_devices(Arguments::size(16_384, "a multiple of 16 up to 32000", fits), |device, size| {
        let matrix = Matrix::new(size);
        let x: Vec<f32> = numbers(4).map(eighths).take(size).collect();
        let starts = Buffer::from_slice(device, &matrix.starts)?;
        let columns = Buffer::from_slice(device, &matrix.columns)?;
        let values = Buffer::from_slice(device, &matrix.values)?;
        let vector = Buffer::from_slice(device, &x)?;
        let mut product = Buffer::<f32>::new(device, size)?;
        let threads = ThreadSpace::new(size / ROWS, 1)?;
        let event = spmv_csr::launch(device, threads, &starts, &columns, &values, &vector, &mut product)?;
        let product = product.to_vec()?;

        let (expected, loops) = timed(|| matrix.times(&x));
        ensure!(product == expected, "the kernel and the loop differ");
        let what = format!("{} elements of {size} rows times a vector", matrix.values.len());
        Ok(Computed::new(what, bytes(&product, f32::to_le_bytes), event.elapsed(), loops))
    })
}

/// The nonzero elements, row by row.
struct Matrix {
    /// The index of the first element of each row, and the number of all elements.
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Matrix {
    fn new(size: usize) -> Self {
        let mut numbers = numbers(5);
        let mut next = || numbers.next().unwrap_or_default();
        let mut matrix = Self { starts: vec![0], columns: vec![], values: vec![] };
        for _ in 0..size {
            for _ in 0..next() % 101 {
                matrix.columns.push(next() % size as u32);
                matrix.values.push(eighths(next()));
            }
            matrix.starts.push(matrix.values.len() as u32);
        }
        matrix
    }

    fn times(&self, x: &[f32]) -> Vec<f32> {
        let product = |row: &[u32]| {
            let elements = row[0] as usize..row[1] as usize;
            let products = elements.map(|n| self.values[n] * x[self.columns[n] as usize]);
            products.sum::<f32>()
        };
        self.starts.windows(2).map(product).collect()
    }
}

/// Multiples of 1/8 from -2 to 2.
fn eighths(n: u32) -> f32 {
    (n >> 8) as f32 % 33.0 / 8.0 - 2.0
}
