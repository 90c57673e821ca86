//! The kernel of CM's tutorial 9, `vcaOpSAD`.

use cm::prelude::*;

/// Bytes of a vector.
pub const LENGTH: usize = 80;
/// A thread compares this many vectors with this many others.
pub const GROUP: usize = 8;

/// Sums of absolute differences: row `n` of `distances` has those of vector `n` of the database and each
/// feature. Each thread processes every `threads`-th group of 8 vectors of the database.
#[kernel]
pub fn vca_op_sad(
    database: &Buffer<u8>,
    features: &Buffer<u8>,
    distances: &mut Buffer<u16>,
    groups: u32,
    feature_groups: u32,
    threads: u32,
) {
    let mut group = thread_origin_x();
    while group < groups {
        let vectors = database.read_linear::<640>(group * 640).format::<u8, 8, 80>();
        for feature in 0..feature_groups {
            let others = features.read_linear::<640>(feature * 640).format::<u8, 8, 80>();
            let mut n = 0u32;
            while n < 8 {
                let at = (group * 8 + n) * feature_groups * 16 + feature * 16;
                distances.write(at, &compared(vectors.row(n), others));
                n += 1;
            }
        }
        group += threads;
    }
}

/// The distances of a vector from eight others.
#[function]
fn compared(vector: Vector<u8, 80>, others: Matrix<u8, 8, 80>) -> Vector<u16, 8> {
    let mut sums = Matrix::<u16, 8, 16>::splat(0);
    for k in 0..8 {
        let other = others.row(k);
        let mut sum = math::sad2_sat::<u16, _>(vector.select::<16, 1>(0), other.select::<16, 1>(0));
        for slice in [16, 32, 48, 64] {
            let (a, b) = (vector.select::<16, 1>(slice), other.select::<16, 1>(slice));
            sum = math::sada2_sat::<u16, _>(a, b, sum);
        }
        sums.row_mut(k).assign(sum);
    }
    // Two neighbours have the same sum. For eight rows at once, half of the other sums are added to the other
    // half.
    let sums: Matrix<u16, 8, 4> =
        (sums.select::<8, 1, 4, 4>(0, 0) + sums.select::<8, 1, 4, 4>(0, 2)).convert();
    let sums: Matrix<u16, 8, 2> =
        (sums.select::<8, 1, 2, 2>(0, 0) + sums.select::<8, 1, 2, 2>(0, 1)).convert();
    let sums: Matrix<u16, 8, 1> = (sums.column(0) + sums.column(1)).convert();
    sums.format::<u16>()
}
