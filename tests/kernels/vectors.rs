//! Kernels of scattered vectors of elements.

use cm::cache::{Cached, ReadInvalidate, Streaming, Uncached, WriteBack, WriteThrough};
use cm::prelude::*;

macro_rules! vectors {
    ($($name:ident: $t:ident;)*) => {$(
        /// Copies vectors of every size. `numbers` has the places from which they are read, then those to which they are
        /// written.
        #[kernel]
        pub fn $name(
            input: &Buffer<$t>,
            numbers: &Buffer<u32>,
            output: &mut Buffer<$t>,
            base: i32,
            bits: u32,
        ) {
            let (a, b) = (numbers.read::<32>(0), numbers.read::<32>(128));
            let fours = input.load_vectors::<4, 16>(base, &a.select::<16, 1>(0));
            output.store_vectors(0, &b.select::<16, 1>(0), &fours);
            let pairs = input.load_vectors_masked::<2, 32>(bits, 3, &a);
            output.store_vectors_masked(bits >> 5, base, &b, &pairs);
            let threes = input.load_vectors_masked::<3, 8>(&(a.select::<8, 1>(8) > 64), base, &a.select::<8, 1>(8));
            output.store_vectors(5, &b.select::<8, 1>(16), &threes);
            let eights = input.load_vectors::<8, 4>(0, &a.select::<4, 1>(24));
            output.store_vectors_masked(bits, 0, &b.select::<4, 1>(28), &eights);
            let one = input.cached::<Streaming, Cached>().load_vectors::<8, 1>(base, &a.select::<1, 1>(31));
            output.cached_mut::<Uncached, WriteBack>().store_vectors(base, &b.select::<1, 1>(27), &one);
        }
    )*};
}

/// Reads the four elements from a multiple of 4 on, then two from an odd number on, for each of 32 numbers.
#[kernel]
pub fn neighbouring_elements(input: &Buffer<u32>, numbers: &Buffer<u32>, output: &mut Buffer<u32>) {
    let at = numbers.read::<32>(0);
    for k in 0..4 {
        output.write(k * 128, &input.read_scattered(0, &(at * 4 + k as u32).convert::<u32>()));
    }
    for k in 0..2 {
        output.write(512 + k * 128, &input.read_scattered(0, &(at * 2 + (k + 1) as u32).convert::<u32>()));
    }
}

vectors! {
    vectors_u32: u32;
    vectors_i32: i32;
    vectors_f32: f32;
    vectors_u64: u64;
    vectors_i64: i64;
}

/// Counts in a buffer by atomic operations, and accesses it by vectors: these are messages of rows.
#[kernel]
pub fn vectors_and_counts(output: &mut Buffer<u32>) {
    let places = Vector::from_array([0u32, 4, 8, 12, 16, 20, 24, 28]);
    output.write_atomic(atomic::Inc, &places);
    let fours = output.load_vectors::<4, 8>(0, &places);
    output.store_vectors(0, &places, &(fours + 1u32));
}

/// Copies 224 elements with every pair of cache hints.
#[kernel]
pub fn vectors_hints(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let at = Vector::from_array([0u32, 4, 8, 12, 16, 20, 24, 28]);
    let m = input.cached::<Uncached, Uncached>().load_vectors::<4, 8>(0, &at);
    output.cached_mut::<Uncached, Uncached>().store_vectors(0, &at, &m);
    let m = input.cached::<Uncached, Cached>().load_vectors::<4, 8>(32, &at);
    output.cached_mut::<Uncached, WriteBack>().store_vectors(32, &at, &m);
    let m = input.cached::<Cached, Uncached>().load_vectors::<4, 8>(64, &at);
    output.cached_mut::<WriteThrough, Uncached>().store_vectors(64, &at, &m);
    let m = input.cached::<Cached, Cached>().load_vectors::<4, 8>(96, &at);
    output.cached_mut::<WriteThrough, WriteBack>().store_vectors(96, &at, &m);
    let m = input.cached::<Streaming, Uncached>().load_vectors::<4, 8>(128, &at);
    output.cached_mut::<Streaming, Uncached>().store_vectors(128, &at, &m);
    let m = input.cached::<Streaming, Cached>().load_vectors::<4, 8>(160, &at);
    output.cached_mut::<Streaming, WriteBack>().store_vectors(160, &at, &m);
    let m = input.cached::<ReadInvalidate, Cached>().load_vectors::<4, 8>(192, &at);
    output.cached_mut::<WriteBack, WriteBack>().store_vectors(192, &at, &m);
}

macro_rules! shared {
    ($($name:ident: $t:ident;)*) => {$(
        /// 3 groups: each of 4 threads writes 64 elements as vectors. All of them read and write vectors at places that the data
        /// determines: `numbers` has the places of all groups that are read, then those that are written, 8 for each thread.
        #[kernel]
        pub fn $name(input: &Buffer<$t>, numbers: &Buffer<u32>, output: &mut Buffer<$t>) {
            let all = slm::<$t, 256>();
            let last = slm::<$t, 6>();
            let own = linear_local_id() & 3;
            let places = Vector::from_array([0u32, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]);
            let mine = input.load_vectors::<4, 16>(linear_global_id() * 64, &places);
            all.store_vectors(own * 64, &places, &mine);
            if own == 0 {
                let threes = input.load_vectors::<3, 2>(0, &Vector::from_array([7u32, 1]));
                last.store_vectors(0, &Vector::from_array([0u32, 3]), &threes);
            }
            barrier();
            let at = numbers.read::<8>(linear_global_id() * 32);
            let far = all.load_vectors::<3, 8>(0, &at);
            let near = all.load_vectors_masked::<3, 8>(0xb7, 0, &(at & 127));
            let edge = last.load_vectors::<3, 8>(0, &(at & 7));
            let first = linear_global_id() * 96;
            let eight = Vector::from_array([0u32, 3, 6, 9, 12, 15, 18, 21]);
            output.store_vectors(first, &eight, &far);
            output.store_vectors(first + 24, &eight, &near);
            output.store_vectors(first + 48, &eight, &edge);
            barrier();
            let to = numbers.read::<8>((linear_global_id() + 12) * 32);
            all.store_vectors(0, &to, &far);
            barrier();
            let eights = all.load_vectors::<8, 8>(0, &(at & 248));
            output.store_vectors(first + 72, &eight, &eights.select::<3, 1, 8, 1>(2, 0));
        }
    )*};
}

shared! {
    shared_vectors_u32: u32;
    shared_vectors_u64: u64;
}

/// Four threads update numbers of 64 bits by all atomic operations whose order does not matter, also outside of the array.
#[kernel]
pub fn shared_atomics_i64(input: &Buffer<i64>, numbers: &Buffer<u32>, output: &mut Buffer<i64>) {
    let all = slm::<i64, 33>();
    let own = linear_local_id() & 3;
    all.write_linear(own * 64, &Vector::<i64, 8>::splat(-1));
    barrier();
    let (x, at) = (input.read::<8>(linear_global_id() * 64), numbers.read::<8>(linear_global_id() * 32));
    all.write_atomic(atomic::Add(&x), &(at & 3));
    all.write_atomic_masked(0x6b, atomic::Sub(&x), &(at & 3 | 4));
    all.write_atomic(atomic::Min(&x), &(at & 3 | 8));
    all.write_atomic(atomic::Max(&x), &(at & 3 | 12));
    all.write_atomic(atomic::And(&x), &(at & 1 | 16));
    all.write_atomic(atomic::Or(&x), &(at & 1 | 18));
    all.write_atomic(atomic::Xor(&x), &(at & 3 | 20));
    all.write_atomic(atomic::Inc, &(at & 15 | 24));
    all.write_atomic(atomic::Dec, &(at & 1 | 28));
    let none = Vector::<i64, 8>::splat(-1);
    all.write_atomic(atomic::CmpXchg(&none, &none), &at);
    barrier();
    output.write(linear_global_id() * 64, &all.read_linear::<8>(own * 64));
}

/// Each of 4 threads writes 16 elements of 8 bytes, and reads those at places that the data determines.
#[kernel]
pub fn shared_longs(input: &Buffer<i64>, numbers: &Buffer<u32>, output: &mut Buffer<i64>) {
    let all = slm::<i64, 63>();
    let own = linear_local_id() & 3;
    let turned = Vector::from_array([5u32, 2, 7, 0, 3, 6, 1, 4]);
    all.write_scattered(own * 16, &turned, &input.read::<8>(linear_global_id() * 64));
    all.write_scattered(own * 16 + 8, &turned, &Vector::<i64, 8>::splat(-5));
    all.write_scattered_masked(0xd6, own * 16 + 8, &turned, &input.read::<8>(linear_global_id() * 64));
    barrier();
    let at = numbers.read::<8>(linear_global_id() * 32);
    output.write(linear_global_id() * 128, &all.read_scattered(0, &at));
    output.write(linear_global_id() * 128 + 64, &all.read_scattered_masked(&(at > 20u32), 0, &(at & 15)));
}
