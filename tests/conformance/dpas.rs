//! Matrix products: every pair of factor types, few rows and many, both widths.

use cm::ir::Function;
use cm::prelude::*;
use cm_test_support::numbers::elements;
use cm_test_support::products::{factors, precisions};

use super::executions::executions;

/// The type of sums.
trait Sum: Elem {
    /// The sum plus a product, rounded.
    fn plus(self, x: f64, y: f64) -> Self;
    /// An initial value.
    fn start(n: usize) -> Self;
}

impl Sum for i32 {
    fn plus(self, x: f64, y: f64) -> Self {
        self.wrapping_add((x * y) as Self)
    }

    /// Includes values near the limits, where sums wrap.
    fn start(n: usize) -> Self {
        [0, 1, Self::MAX, Self::MIN, -77][n % 5]
    }
}

impl Sum for f32 {
    fn plus(self, x: f64, y: f64) -> Self {
        self + x as Self * y as Self
    }

    fn start(n: usize) -> Self {
        [0.0, 1e-3, -3.75, 1e5][n % 4]
    }
}

/// Compares the kernel in all executions with sums that are computed one by one. `factor` gives factor `k` of
/// column or row `n` from the bytes.
fn check<S: Sum>(
    (function, launch): (
        Function,
        impl Fn(&Device, &[Buffer<u8>; 2], &Buffer<S>, &mut Buffer<S>) -> cm::Result<Event>,
    ),
    [rows, lanes, depth]: [usize; 3],
    column: impl Fn(&[u8], usize, usize) -> f64,
    row: impl Fn(&[u8], usize, usize) -> f64,
) {
    let [b, a] = precisions(&function);
    let (columns, own) = (factors(32 * lanes, b, 1), factors(32 * rows, a, 500));
    let start: Vec<S> = (0..rows * lanes).map(S::start).collect();
    let expected: Vec<S> = (0..rows * lanes)
        .map(|n| {
            (0..depth)
                .fold(start[n], |sum, k| sum.plus(row(&own, n / lanes, k), column(&columns, n % lanes, k)))
        })
        .collect();
    let inputs: [&[u8]; 3] = [&columns, &own, bytemuck::cast_slice(&start)];
    let all = executions(&function, &inputs, (1, rows * lanes), |device, _, out: &mut Buffer<S>| {
        let factors = [Buffer::from_slice(device, &columns)?, Buffer::from_slice(device, &own)?];
        launch(device, &factors, &Buffer::from_slice(device, &start)?, out)
    });
    for (name, found) in all {
        assert_eq!(
            bytemuck::cast_slice::<S, u8>(&found),
            bytemuck::cast_slice::<S, u8>(&expected),
            "{b:?} and {a:?}, {rows} x {lanes}, {name}: {found:?}, not {expected:?}"
        );
    }
}

/// The kernel of a product; `$packed` makes the columns from the bytes `$b`.
macro_rules! kernel {
    ($sum:ident, $rows:literal x $lanes:literal, |$b:ident, $a:ident, $sums:ident| $product:expr) => {
        #[kernel]
        fn product(columns: &Buffer<u8>, rows: &Buffer<u8>, start: &Buffer<$sum>, out: &mut Buffer<$sum>) {
            let mut $b = Matrix::<u8, { $lanes / 4 }, 128>::splat(0);
            for i in 0..$lanes / 4 {
                $b.row_mut(i).assign(columns.read::<128>(i * 128));
            }
            let mut $a = Matrix::<u8, $rows, 32>::splat(0);
            let mut $sums = Matrix::<$sum, $rows, $lanes>::splat(0 as $sum);
            for r in 0..$rows {
                $a.row_mut(r).assign(rows.read::<32>(r * 32));
                $sums.row_mut(r).assign(start.read::<$lanes>(r * $lanes * 4));
            }
            let product = $product;
            for r in 0..$rows {
                out.write(r * $lanes * 4, &product.row(r));
            }
        }

        fn launched(
            device: &Device,
            [columns, rows]: &[Buffer<u8>; 2],
            start: &Buffer<$sum>,
            out: &mut Buffer<$sum>,
        ) -> cm::Result<Event> {
            product::launch(device, ThreadSpace::new(1, 1)?, columns, rows, start, out)
        }
    };
}

/// Columns that are packed from `$depth` rows, and the positions of their factors.
macro_rules! products {
    ($($name:ident: $b:ident $a:ident -> $sum:ident, $depth:literal, $rows:literal x $lanes:literal;)*) => {$(
        #[test]
        fn $name() {
            kernel!($sum, $rows x $lanes, |b, a, sums| math::dpas(
                sums,
                math::vnni(b.format::<$b, $depth, $lanes>()),
                a.format::<$a, $rows, $depth>(),
            ));
            let column = |bytes: &[u8], n: usize, k: usize| {
                f64::from(elements::<$b>(bytes)[k * $lanes + n])
            };
            let row = |bytes: &[u8], n: usize, k: usize| {
                f64::from(elements::<$a>(bytes)[n * $depth + k])
            };
            check((product::ir().unwrap(), launched), [$rows, $lanes, $depth], column, row);
        }
    )*};
}

products! {
    u8_by_u8: u8 u8 -> i32, 32, 8 x 8;
    u8_by_i8: u8 i8 -> i32, 32, 3 x 16;
    i8_by_u8: i8 u8 -> i32, 32, 8 x 16;
    i8_by_i8: i8 i8 -> i32, 32, 1 x 8;
    f16_few_rows: f16 f16 -> f32, 16, 2 x 8;
    f16_many_rows: f16 f16 -> f32, 16, 8 x 16;
    bf16_few_rows: bf16 bf16 -> f32, 16, 1 x 16;
    bf16_many_rows: bf16 bf16 -> f32, 16, 8 x 8;
    tf32_few_rows: tf32 tf32 -> f32, 8, 5 x 8;
    tf32_many_rows: tf32 tf32 -> f32, 8, 8 x 16;
}

/// Two factors in each byte, eight in a dword, already packed.
macro_rules! four_bits {
    ($($name:ident: $b:ident $a:ident, $rows:literal x $lanes:literal;)*) => {$(
        #[test]
        fn $name() {
            kernel!(i32, $rows x $lanes, |b, a, sums| {
                math::dpas_4bit::<math::$b, math::$a, _>(sums, b.format::<u8, 8, { $lanes * 4 }>(), a)
            });
            let number = |byte: u8, k: usize, signed: bool| {
                let bits = byte >> (k % 2 * 4) & 15;
                f64::from(bits) - if signed && bits > 7 { 16.0 } else { 0.0 }
            };
            let column = |bytes: &[u8], n: usize, k: usize| {
                number(bytes[(k / 8 * $lanes + n) * 4 + k % 8 / 2], k, stringify!($b) == "S4")
            };
            let row = |bytes: &[u8], n: usize, k: usize| {
                number(bytes[n * 32 + k / 2], k, stringify!($a) == "S4")
            };
            check((product::ir().unwrap(), launched), [$rows, $lanes, 64], column, row);
        }
    )*};
}

four_bits! {
    u4_by_u4: U4 U4, 8 x 8;
    u4_by_s4: U4 S4, 1 x 16;
    s4_by_u4: S4 U4, 8 x 16;
    s4_by_s4: S4 S4, 3 x 8;
}
