//! A step of flash attention with heads of 128 elements: the sums of a thread have 8192 bytes.

use cm::block_2d::Pack;
use cm::cache::Cached;
use cm::prelude::*;

/// Elements of a head.
pub const HEAD: usize = 128;
/// Queries of a kernel thread.
pub const QUERIES: usize = 16;
/// Keys of a round.
pub const KEYS: usize = 16;

/// Attention of 16 queries to all keys, without a mask: `output = softmax(scale * query * keys^T) * values`, with the
/// softmax computed on the way. The rows of the four matrices have 128 elements; `rows` and `keys_count` are the numbers of
/// queries and of keys. `scale` includes the factor from powers of two to powers of e. Two elements of a key are a dword.
#[kernel(register_file = 16384)]
pub fn attention(
    query: &Buffer<f16>,
    keys: &Buffer<u32>,
    values: &Buffer<f16>,
    output: &mut Buffer<f32>,
    rows: u32,
    keys_count: u32,
    scale: f32,
) {
    let first = thread_origin_x() * 16;
    let mut sums = Matrix::<f32, 16, 128>::splat(0.0f32);
    let mut largest = Matrix::<f32, 16, 1>::splat(-1.0e30f32);
    let mut totals = Matrix::<f32, 16, 1>::splat(0.0f32);
    for round in 0..keys_count / 16 {
        let key = round * 16;
        let mut scores = Matrix::<f32, 16, 16>::splat(0.0f32);
        for part in 0..8 {
            let own = query.load_2d::<16, 16>(256, rows, 256, part * 16, first);
            let columns = keys.load_2d_transposed::<8, 16>(256, keys_count, 256, part * 8, key);
            add_products(&mut scores, columns.format::<f16, 8, 32>(), own);
        }
        scores *= scale;
        // The powers so far are for another largest score.
        let now = math::max::<f32, _>(largest, largest_of_rows(scores));
        let change = math::exp(largest - now);
        largest = now;
        let mut powers = Matrix::<f16, 16, 16>::splat(f16::ZERO);
        let mut of_rows = Matrix::<f32, 16, 16>::splat(0.0f32);
        for r in 0..16 {
            let row = math::exp(scores.row(r) - now.get(r, 0));
            of_rows.row_mut(r).assign(row);
            powers.row_mut(r).assign(row);
            sums.row_mut(r).assign(sums.row(r) * change.get(r, 0));
        }
        totals = totals * change + sums_of_rows(of_rows);
        for part in 0..8 {
            let columns =
                values.load_2d_as::<8, 32, Pack<1>, Cached, Cached>(256, keys_count, 256, part * 16, key);
            add_products(&mut sums.select_mut::<16, 1, 16, 1>(0, part * 16), columns, powers);
        }
    }
    let factors = math::inv(totals);
    for r in 0..16 {
        sums.row_mut(r).assign(sums.row(r) * factors.get(r, 0));
    }
    for part in 0..8 {
        for half in 0..2 {
            let tile = sums.select::<8, 1, 16, 1>(half * 8, part * 16);
            output.store_2d(512, rows, 512, part * 16, first + half * 8, &tile);
        }
    }
}

/// Adds the products of a tile and 16 rows.
#[function]
fn add_products(sums: &mut Matrix<f32, 16, 16>, columns: Matrix<f16, 8, 32>, rows: Matrix<f16, 16, 16>) {
    for r in [0, 8] {
        let sum = math::dpas(sums.select::<8, 1, 16, 1>(r, 0), columns, rows.select::<8, 1, 16, 1>(r, 0));
        sums.select_mut::<8, 1, 16, 1>(r, 0).assign(sum);
    }
}

/// The largest element of each row.
#[function]
fn largest_of_rows(x: Matrix<f32, 16, 16>) -> Matrix<f32, 16, 1> {
    let x = math::max::<f32, _>(x.select::<16, 1, 8, 1>(0, 0), x.select::<16, 1, 8, 1>(0, 8));
    let x = math::max::<f32, _>(x.select::<16, 1, 4, 1>(0, 0), x.select::<16, 1, 4, 1>(0, 4));
    let x = math::max::<f32, _>(x.select::<16, 1, 2, 1>(0, 0), x.select::<16, 1, 2, 1>(0, 2));
    math::max::<f32, _>(x.column(0), x.column(1))
}

/// The sum of each row.
#[function]
fn sums_of_rows(x: Matrix<f32, 16, 16>) -> Matrix<f32, 16, 1> {
    let x = x.select::<16, 1, 8, 1>(0, 0) + x.select::<16, 1, 8, 1>(0, 8);
    let x = x.select::<16, 1, 4, 1>(0, 0) + x.select::<16, 1, 4, 1>(0, 4);
    let x = x.select::<16, 1, 2, 1>(0, 0) + x.select::<16, 1, 2, 1>(0, 2);
    x.column(0) + x.column(1)
}
