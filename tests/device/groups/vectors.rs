//! Scattered vectors, and elements of 8 bytes, of shared local memory, against plain code.

use cm::prelude::*;
use cm_test_kernels::vectors as kernels;
use cm_test_support::groups::interpreted;
use cm_test_support::noise::stream;
use cm_test_support::numbers::shared_places;

use super::devices;

const GROUPS: usize = 3;
/// Threads of a group.
const THREADS: usize = 4;

fn numbers<T: Elem>(len: usize) -> Vec<T> {
    let mut next = stream(5);
    (0..len).map(|_| T::cast_from(next())).collect()
}

/// What `shared_vectors_u32` and `shared_vectors_u64` write.
fn vectors<T: Elem>(input: &[T], places: &[u32]) -> Vec<T> {
    let get = |all: &[T], at: usize| all.get(at).copied().unwrap_or_default();
    let mut output = vec![T::default(); GROUPS * THREADS * 96];
    for group in 0..GROUPS {
        let mut all = input[group * 256..][..256].to_vec();
        let last = [&input[7..10], &input[1..4]].concat();
        let first = |thread: usize| (group * THREADS + thread) * 8;
        let old = all.clone();
        for thread in 0..THREADS {
            let out = &mut output[(group * THREADS + thread) * 96..][..96];
            for lane in 0..8 {
                let at = places[first(thread) + lane] as usize;
                let to = places[GROUPS * THREADS * 8 + first(thread) + lane] as usize;
                for row in 0..3 {
                    let far = get(&old, at + row);
                    out[lane * 3 + row] = far;
                    if 0xb7 >> lane & 1 != 0 {
                        out[24 + lane * 3 + row] = get(&old, (at & 127) + row);
                    }
                    out[48 + lane * 3 + row] = get(&last, (at & 7) + row);
                    if let Some(element) = all.get_mut(to + row) {
                        *element = far;
                    }
                }
            }
        }
        for thread in 0..THREADS {
            let out = &mut output[(group * THREADS + thread) * 96 + 72..][..24];
            for (n, x) in out.iter_mut().enumerate() {
                *x = get(&all, (places[first(thread) + n / 3] as usize & 248) + 2 + n % 3);
            }
        }
    }
    output
}

macro_rules! check {
    ($kernel:ident, $input:expr, $places:expr, $expected:expr) => {{
        let (input, places, expected) = ($input, $places, $expected);
        let space = ThreadGroups::new([GROUPS, 1, 1], [THREADS, 1, 1]).unwrap();
        for device in &devices(2) {
            let mut output = Buffer::new(device, expected.len()).unwrap();
            let [x, at] = [bytemuck::cast_slice::<_, u8>(&input), bytemuck::cast_slice(&places)];
            let x = Buffer::from_slice(device, bytemuck::cast_slice(x)).unwrap();
            let at = Buffer::from_slice(device, bytemuck::cast_slice(at)).unwrap();
            kernels::$kernel::launch(device, space, &x, &at, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
        }
        let bytes: &[u8] = bytemuck::cast_slice(&expected);
        let before = vec![
            bytemuck::cast_slice(&input).to_vec(),
            bytemuck::cast_slice(&places).to_vec(),
            vec![0; bytes.len()],
        ];
        let function = kernels::$kernel::ir().unwrap();
        let after = interpreted(&function, ([GROUPS, 1, 1], [THREADS, 1, 1]), before).unwrap();
        assert_eq!(after.last().unwrap(), bytes, "interpreted");
    }};
}

#[test]
fn vectors_of_shared_memory() {
    let places = shared_places((GROUPS * THREADS) as u32);
    let input: Vec<u32> = numbers(GROUPS * 256);
    check!(shared_vectors_u32, &input, &places, vectors(&input, &places));
    let input: Vec<u64> = numbers(GROUPS * 256);
    let input: Vec<u64> = input.iter().map(|x| x.wrapping_mul(0x1_0000_0101)).collect();
    check!(shared_vectors_u64, &input, &places, vectors(&input, &places));
}

#[test]
fn elements_of_8_bytes_of_shared_memory() {
    let places = shared_places((GROUPS * THREADS) as u32);
    let input: Vec<i64> =
        numbers::<i64>(GROUPS * THREADS * 8).iter().map(|x| x.wrapping_mul(0x1_0000_0101)).collect();
    let mut expected = vec![];
    let turned = [5, 2, 7, 0, 3, 6, 1, 4];
    for group in 0..GROUPS {
        let mut all = vec![-5; 64];
        for thread in 0..THREADS {
            let own = &input[(group * THREADS + thread) * 8..][..8];
            for lane in 0..8 {
                all[thread * 16 + turned[lane]] = own[lane];
                if 0xd6 >> lane & 1 != 0 {
                    all[thread * 16 + 8 + turned[lane]] = own[lane];
                }
            }
        }
        all.truncate(63);
        let get = |at: u32| all.get(at as usize).copied().unwrap_or(0);
        for thread in 0..THREADS {
            let at = &places[(group * THREADS + thread) * 8..][..8];
            expected.extend(at.iter().map(|at| get(*at)));
            expected.extend(at.iter().map(|at| if *at > 20 { get(*at & 15) } else { 0 }));
        }
    }
    check!(shared_longs, &input, &places, expected);
}
