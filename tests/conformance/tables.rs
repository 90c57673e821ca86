//! Constant arrays as tables, of all element types: indexed by registers, by uniform arguments and by loop
//! variables, in every execution.

use cm::ir::Function;
use cm::prelude::*;

use super::exact::{SIDE, bits};
use super::executions::executions;

/// Entries of a table, and elements that a thread writes.
const ENTRIES: usize = 32;
const WRITTEN: usize = 4 * SIDE;
const THREADS: usize = 7;

type Launch<T> = fn(&Device, ThreadSpace, &Buffer<u8>, &mut Buffer<T>) -> cm::Result<Event>;

/// All executions write the table entries at these indices.
fn check<T: Elem>(table: [T; ENTRIES], function: &Function, launch: Launch<T>) {
    let indices: Vec<u8> = (0..SIDE * THREADS).map(|n| (n * 37 + n / 9) as u8).collect();
    let expected: Vec<T> = indices
        .chunks(SIDE)
        .flat_map(|index| {
            let at = |k: usize| usize::from(index[k]) % ENTRIES;
            let mut all: Vec<T> = (0..SIDE).map(|k| table[at(k)]).collect();
            // Rows and columns.
            all.extend((0..SIDE).map(|k| table[at(k) % 4 * 8 + at(k) / 4]));
            // Starting at an element that differs between threads.
            all.extend((0..SIDE).map(|k| table[at(0) / 2 + k]));
            all.extend((0..SIDE).map(|k| table[(at(1) + 3 * k).min(ENTRIES - 1)]));
            all
        })
        .collect();
    let found = executions(function, &[&indices], (THREADS, expected.len()), |device, space, out| {
        launch(device, space, &Buffer::from_slice(device, &indices)?, out)
    });
    for (device, found) in found {
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(bits(found), bits(expected), "element {n} of {} on {device}\n{function}", T::TYPE);
        }
    }
}

/// For each element type, a test with a table of these entries.
macro_rules! tables {
    ($($t:ident = |$n:ident| $entry:expr;)*) => {$(
        #[test]
        fn $t() {
            const TABLE: [$t; ENTRIES] = {
                let mut all = [const { let $n = 0; $entry }; ENTRIES];
                let mut $n = 1;
                while $n < ENTRIES {
                    all[$n] = $entry;
                    $n += 1;
                }
                all
            };
            /// The table with eight entries in each row.
            const ROWS: [[$t; 8]; 4] = {
                let mut all = [[TABLE[0]; 8]; 4];
                let mut n = 0;
                while n < ENTRIES {
                    all[n / 8][n % 8] = TABLE[n];
                    n += 1;
                }
                all
            };
            const OUT: u32 = (WRITTEN * size_of::<$t>()) as u32;
            const PART: u32 = OUT / 4;

            #[kernel]
            fn looks_up(indices: &Buffer<u8>, out: &mut Buffer<$t>) {
                let (table, rows) = (Vector::from_array(TABLE), Matrix::from_array(ROWS));
                let index = indices.read::<16>(thread_origin_x() * 16) & 31;
                let at = thread_origin_x() * OUT;
                out.write(at, &table.iselect(index));
                out.write(at + PART, &rows.iselect(index % 4, index / 4));
                let first = index.get(0) / 2;
                out.write(at + PART * 2, &table.select::<16, 1>(first));
                let mut found = table.select::<16, 1>(0);
                for i in 0..16u32 {
                    found.get_mut(i).assign(table.get(i * 3 + index.get(1)));
                }
                out.write(at + PART * 3, &found);
            }
            check(TABLE, &looks_up::ir().unwrap(), looks_up::launch);
        }
    )*};
}

tables! {
    u8 = |n| (n * 83) as u8;
    i8 = |n| (n * 83) as i8;
    u16 = |n| (n * 20_011) as u16;
    i16 = |n| (n * 20_011) as i16;
    u32 = |n| (n as u32).wrapping_mul(1_500_450_271);
    i32 = |n| (n as i32).wrapping_mul(1_500_450_271);
    u64 = |n| (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    i64 = |n| (n as i64).wrapping_mul(0x1e37_79b9_7f4a_7c15);
    f16 = |n| f16::from_f32_const(n as f32 * -0.37);
    bf16 = |n| bf16::from_bits(n as u16 * 2_011);
    tf32 = |n| tf32::from_bits((n as u32).wrapping_mul(1_500_450_271));
    f32 = |n| n as f32 * -1.37e10;
    f64 = |n| n as f64 * 1e200;
}
