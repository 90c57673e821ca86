//! Operations that turn a whole register into one number: on the CPU, in the interpreter and on Level Zero,
//! for registers of many sizes.

use cm::compiler::elem::ElemType;
use cm::compiler::ops::Accuracy;
use cm::ir::Function;
use cm::prelude::*;

use super::exact::{Exact, SIDE};
use super::executions::executions;
use super::table::Executed;

/// Elements of the input of a thread.
const COUNT: usize = 48;
const THREADS: usize = 5;

/// The numbers of all threads: first small ones, then numbers near the limits.
fn inputs<T: Exact>() -> Vec<T> {
    let edges = T::edges();
    let number = |k: usize| match k / COUNT {
        0 => T::cast_from((k % 5) as u8),
        thread => edges[(k * (2 * thread + 1) + k / SIDE) % SIDE],
    };
    (0..COUNT * THREADS).map(number).collect()
}

type Launch<T, U> = fn(&Device, ThreadSpace, &Buffer<T>, &mut Buffer<U>) -> cm::Result<Event>;

/// Checks the results of one execution for all threads, `each` results for a thread.
fn check<T: Exact, U: Elem>(
    name: &str,
    (function, launch): (&Function, Launch<T, U>),
    each: usize,
    model: impl Fn(&[T]) -> Vec<U>,
) {
    let input = inputs::<T>();
    let expected: Vec<U> = input.chunks(COUNT).flat_map(model).collect();
    assert_eq!(expected.len(), each * THREADS, "{name}");
    let inputs = [bytemuck::cast_slice(&input)];
    let found = executions(function, &inputs, (THREADS, expected.len()), |device, space, out| {
        launch(device, space, &Buffer::from_slice(device, &input)?, out)
    });
    for (device, found) in found {
        let same = bytemuck::cast_slice::<U, u8>(&found) == bytemuck::cast_slice::<U, u8>(&expected);
        assert!(same, "{name} on {device}: {found:?}, not {expected:?}\n{function}");
    }
}

/// The sum or product in the order that the functions document.
fn halved<T: Copy>(x: &[T], combine: impl Fn(T, T) -> T) -> T {
    let mut all = x.to_vec();
    while all.len() > 1 {
        let first = (1..).map(|power| 1 << power).find(|power| *power >= all.len()).unwrap() / 2;
        for k in first..all.len() {
            all[k - first] = combine(all[k - first], all[k]);
        }
        all.truncate(first);
    }
    all[0]
}

fn total<T: Exact<Number = i128>>(x: &[T]) -> i128 {
    x.iter().map(|x| x.number()).sum()
}

/// The result has four elements: one of all 48 as a matrix, one of 32, of 24 and of 1.
macro_rules! reductions {
    ($($test:ident { $($name:ident($t:ident -> $u:ident) $function:path = |$x:ident| $model:expr;)* })*) => {
    $(
        #[test]
        fn $test() {
            $({
                mod $name {
                    use cm::prelude::*;

                    const IN: u32 = (super::COUNT * size_of::<$t>()) as u32;
                    const OUT: u32 = (16 * size_of::<$u>()) as u32;

                    /// Elements of one read, and the number of reads for `COUNT`.
                    const PART: usize = 16;

                    #[kernel]
                    pub(super) fn reduces(input: &Buffer<$t>, out: &mut Buffer<$u>) {
                        let at = thread_origin_x() * IN;
                        let mut all = Matrix::<$t, 3, 16>::splat(0u8);
                        for r in 0..3usize {
                            all.row_mut(r).assign(input.read::<PART>(at + r as u32 * (IN / 3)));
                        }
                        let mut results = Vector::<$u, 16>::splat(0u8);
                        results.get_mut(0).assign($function(all));
                        results.get_mut(1).assign($function(all.select::<2, 1, 16, 1>(0, 0)));
                        results.get_mut(2).assign($function(all.format::<$t>().select::<24, 1>(0)));
                        results.get_mut(3).assign($function(all.select::<3, 1, 5, 3>(0, 0)));
                        results.get_mut(4).assign($function(all.get(0, 0)));
                        out.write(thread_origin_x() * OUT, &results);
                    }
                }
                let kernel = ($name::reduces::ir().unwrap(), $name::reduces::launch as Launch<$t, $u>);
                let of = |$x: &[$t]| -> $u { $model };
                check(stringify!($test $name), (&kernel.0, kernel.1), 16, |x: &[$t]| {
                    let spread: Vec<$t> = (0..15).map(|k| x[k / 5 * 16 + k % 5 * 3]).collect();
                    let mut all = vec![of(x), of(&x[..32]), of(&x[..24]), of(&spread), of(&x[..1])];
                    all.resize(16, <$u>::default());
                    all
                });
            })*
        }
    )*

        /// The operations of these kernels.
        pub(crate) const EXECUTED: &[Executed] = &[$($(
            Executed {
                operation: "",
                text: stringify!($function),
                operands: &[<$t as Elem>::TYPE],
                accuracy: Accuracy::Exact,
            },
        )*)*];
    };
}

reductions! {
    sums {
        of_u8(u8 -> i32) math::sum::<i32, _> = |x| total(x) as i32;
        of_u8_wrapped(u8 -> u8) math::sum::<u8, _> = |x| total(x) as u8;
        of_u8_limited(u8 -> u8) math::sum_sat::<u8, _> = |x| total(x).clamp(0, 255) as u8;
        of_i16(i16 -> u8) math::sum_sat::<u8, _> = |x| total(x).clamp(0, 255) as u8;
        of_u32(u32 -> u32) math::sum::<u32, _> = |x| total(x) as u32;
        of_u32_wide(u32 -> u64) math::sum::<u64, _> = |x| total(x) as u64;
        of_i32(i32 -> i32) math::sum_sat::<i32, _> = |x| {
            total(x).clamp(i32::MIN.into(), i32::MAX.into()) as i32
        };
        of_i64(i64 -> i64) math::sum::<i64, _> = |x| total(x) as i64;
        of_f16(f16 -> f16) math::sum::<f16, _> = |x| halved(x, |a, b| a + b);
        of_f32(f32 -> f32) math::sum::<f32, _> = |x| halved(x, |a, b| a + b);
        of_f32_limited(f32 -> f32) math::sum_sat::<f32, _> = |x| {
            let sum = halved(x, |a, b| a + b);
            if sum > 0.0 { sum.min(1.0) } else { 0.0 }
        };
        of_f64(f64 -> f64) math::sum::<f64, _> = |x| halved(x, |a, b| a + b);
    }
    products {
        of_u8(u8 -> i32) math::prod::<i32, _> = |x| x.iter().fold(1i32, |a, b| a.wrapping_mul((*b).into()));
        of_i8(i8 -> u8) math::prod_sat::<u8, _> = |x| {
            x.iter().fold(1i32, |a, b| a.wrapping_mul((*b).into())).clamp(0, 255) as u8
        };
        of_u16(u16 -> u64) math::prod::<u64, _> = |x| x.iter().fold(1u64, |a, b| a.wrapping_mul((*b).into()));
        of_i16(i16 -> u64) math::prod_sat::<u64, _> = |x| {
            x.iter().fold(1i64, |a, b| a.wrapping_mul((*b).into())).max(0) as u64
        };
        of_f16(f16 -> f16) math::prod::<f16, _> = |x| halved(x, |a, b| a * b);
        of_f32(f32 -> f32) math::prod::<f32, _> = |x| halved(x, |a, b| a * b);
    }
    minima {
        of_u8(u8 -> u8) math::reduced_min::<u8, _> = |x| *x.iter().min().unwrap();
        of_i16(i16 -> u8) math::reduced_min_sat::<u8, _> = |x| {
            (*x.iter().min().unwrap()).clamp(0, 255) as u8
        };
        of_u32(u32 -> u32) math::reduced_min::<u32, _> = |x| *x.iter().min().unwrap();
        of_i64(i64 -> i64) math::reduced_min::<i64, _> = |x| *x.iter().min().unwrap();
        of_f16(f16 -> f16) math::reduced_min::<f16, _> = |x| halved(x, |a, b| if b < a { b } else { a });
        of_f32(f32 -> f32) math::reduced_min::<f32, _> = |x| halved(x, |a, b| if b < a { b } else { a });
    }
    maxima {
        of_i8(i8 -> i8) math::reduced_max::<i8, _> = |x| *x.iter().max().unwrap();
        of_u16(u16 -> u8) math::reduced_max_sat::<u8, _> = |x| (*x.iter().max().unwrap()).min(255) as u8;
        of_i32(i32 -> i32) math::reduced_max::<i32, _> = |x| *x.iter().max().unwrap();
        of_f32(f32 -> f32) math::reduced_max::<f32, _> = |x| halved(x, |a, b| if b > a { b } else { a });
        of_f16(f16 -> f16) math::reduced_max::<f16, _> = |x| halved(x, |a, b| if b > a { b } else { a });
    }
}

/// Masks of each size as bits, and these bits as masks.
#[kernel]
fn masks(input: &Buffer<i16>, out: &mut Buffer<u32>) {
    let x = input.read::<48>(thread_origin_x() * 96);
    let mut results = Vector::<u32, 8>::splat(0);
    let all = x.select::<32, 1>(0);
    results.get_mut(0).assign(math::pack_mask(all < 0));
    results.get_mut(1).assign(math::pack_mask(all.select::<16, 2>(0) == 0));
    results.get_mut(2).assign(math::pack_mask(all.select::<24, 1>(3)));
    results.get_mut(3).assign(math::pack_mask(all.select::<5, 3>(0)));
    results.get_mut(4).assign(math::pack_mask(all.get(7)));
    let bits = math::pack_mask(all > 1);
    results.get_mut(5).assign(math::sum::<u32, _>(math::unpack_mask::<32>(bits)));
    results.get_mut(6).assign(math::pack_mask(math::unpack_mask::<9>(bits)));
    let set: Vector<u16, 20> = math::unpack_mask(0x5_0f0f_u32);
    results.get_mut(7).assign(math::pack_mask(set));
    out.write(thread_origin_x() * 32, &results);
}

/// The operations of this kernel.
pub(crate) const OF_MASKS: &[Executed] = &[
    Executed {
        operation: "",
        text: "math::pack_mask(mask)",
        operands: &[ElemType::I16],
        accuracy: Accuracy::Exact,
    },
    Executed {
        operation: "",
        text: "math::unpack_mask(bits)",
        operands: &[ElemType::U32],
        accuracy: Accuracy::Exact,
    },
];

#[test]
fn masks_are_packed_and_unpacked() {
    let bits = |truth: &mut dyn Iterator<Item = bool>| {
        truth.enumerate().map(|(k, set)| u32::from(set) << k).sum::<u32>()
    };
    check("masks", (&masks::ir().unwrap(), masks::launch), 8, |x: &[i16]| {
        let odd = |x: &i16| x & 1 == 1;
        let greater = bits(&mut x[..32].iter().map(|x| *x > 1));
        vec![
            bits(&mut x[..32].iter().map(|x| *x < 0)),
            bits(&mut x[..32].iter().step_by(2).map(|x| *x == 0)),
            bits(&mut x[3..27].iter().map(odd)),
            bits(&mut x[..15].iter().step_by(3).map(odd)),
            u32::from(odd(&x[7])),
            greater.count_ones(),
            greater & 0x1ff,
            0x5_0f0f,
        ]
    });
}
