//! Kernels of buffers: every operation, and typical uses.

use cm::cache::{Cached, ReadInvalidate, Streaming, Uncached, WriteBack, WriteThrough};
use cm::channels::{CM_ABGR, CM_AGR, CM_AR, CM_BR, CM_G};
use cm::prelude::*;

/// `y = a * x + y`, 32 elements a thread.
#[kernel]
pub fn axpy(a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let offset = thread_origin_x() * 128;
    let sum = x.read::<32>(offset) * a + y.read::<32>(offset);
    y.write(offset, &sum);
}

/// Counts the values of 64 bytes per thread.
#[kernel]
pub fn histogram(values: &Buffer<u8>, bins: &mut Buffer<u32>) {
    let offset = (thread_origin_y() * 3 + thread_origin_x()) * 64;
    let values = values.read::<64>(offset);
    for i in 0..4 {
        bins.write_atomic(atomic::Inc, &values.select::<16, 1>(i * 16));
    }
}

/// Transposes a square of 16 x 16 elements per thread, within a square of `width`.
#[kernel]
pub fn transpose(input: &Buffer<u16>, output: &mut Buffer<u16>, width: u32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let down = Vector::<u32, 16>::constant([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]) * width;
    for i in 0..16 {
        let column = input.read_scattered(y * width + x + i, &down);
        output.write(((x + i) * width + y) * 2, &column);
    }
}

/// Reverses all elements: the order of blocks, and the order within each by a scatter.
#[kernel]
pub fn reverse(input: &Buffer<i8>, output: &mut Buffer<i8>, last: u32) {
    let offset = thread_origin_x() * 32;
    let values = input.read::<32>(offset);
    let mut at = Vector::<u32, 32>::splat(last) - offset;
    for i in 0..32 {
        at.get_mut(i).assign(last - offset - i);
    }
    output.write_scattered(0, &at, &values);
}

/// Every element minus the one before it.
#[kernel]
pub fn differences(x: &Buffer<i32>, y: &mut Buffer<i32>) {
    let offset = thread_origin_x() * 32;
    y.write(offset, &(x.read_dwaligned::<8>(offset + 4) - x.read::<8>(offset)));
}

/// Adds numbers to the quarters of 128 bytes, the last one first.
#[kernel]
pub fn quarters(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let offset = thread_origin_x() * 128;
    for k in 0..4 {
        let quarter = offset + (3 - k) * 32;
        y.write(quarter, &(x.read::<8>(quarter) + k as u32));
    }
}

macro_rules! blocks {
    ($($name:ident: $t:ident, $($n:literal)*; $($w:literal)*;)*) => {$(
        /// Overlapping blocks of all sizes, at staged offsets that may be anything.
        #[kernel]
        pub fn $name(input: &Buffer<$t>, output: &mut Buffer<$t>, from: u32, to: u32) {
            let mut offset = to;
            $({
                let block = input.read_dwaligned::<$n>(from + offset);
                output.write(offset, &block.select::<{ 16 / size_of::<$t>() }, 1>(0));
                let block = input.read::<$n>(from + offset);
                output.write(
                    offset + 16,
                    &block.select::<{ 16 / size_of::<$t>() }, 1>($n - 16 / size_of::<$t>()),
                );
                offset += 32;
            })*
            $({
                output.write(offset, &(output.read::<$w>(offset + 1) + input.read::<$w>(from)).convert::<$t>());
                offset += $w * size_of::<$t>();
            })*
        }
    )*};
}

blocks! {
    blocks_u8: u8, 16 17 31 33 47 64 100 127 128; 16 32 64 128;
    blocks_u16: u16, 8 9 15 24 40 64; 8 16 32 64;
    blocks_i32: i32, 4 5 7 12 31 32; 4 8 16 32;
    blocks_u64: u64, 2 3 5 16; 2 4 8 16;
}

macro_rules! dword_blocks {
    ($($name:ident: $t:ident, $($n:literal)*;)*) => {$(
        /// Loads and stores of all sizes, at staged offsets that may be anything.
        #[kernel]
        pub fn $name(input: &Buffer<$t>, output: &mut Buffer<$t>, from: u32, to: u32) {
            let mut offset = to;
            $(
                input.prefetch::<$n>(from + offset);
                output.store(offset, &input.load::<$n>(from + offset));
                offset += $n * size_of::<$t>() + 4;
            )*
        }
    )*};
}

dword_blocks! {
    dword_blocks_u8: u8, 4 8 16 32 64 128 256;
    dword_blocks_i16: i16, 2 4 8 16 32 64 128;
    dword_blocks_f32: f32, 1 2 4 8 16 32 64;
    dword_blocks_u64: u64, 1 2 4 8 16 32 64;
}

/// Blocks of 512 bytes at known multiples of 8, of qwords and of a buffer that ends inside of one, through shared memory.
#[kernel]
pub fn qword_blocks(x: &Buffer<u64>, words: &Buffer<u32>, y: &mut Buffer<u64>) {
    let at = (group_id(0) * 512) as u32;
    let cells = slm::<u64, 70>();
    x.prefetch::<64>(at);
    let sum: Vector<u64, 64> = (x.load::<64>(at + 8) + words.format::<u64>().load::<64>(at)).convert();
    cells.store(40, &sum);
    y.store(at + 16, &cells.load::<64>(40));
}

/// Every pair of cache hints.
#[kernel]
pub fn cache_hints(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    x.prefetch_cached::<64, Uncached, Cached>(0);
    x.prefetch_cached::<32, Cached, Uncached>(4);
    x.prefetch_cached::<16, Cached, Cached>(256);
    x.prefetch_cached::<8, Streaming, Uncached>(8);
    x.prefetch_cached::<2, Streaming, Cached>(12);
    y.store_cached::<Uncached, Uncached, _>(0, &x.load_cached::<16, Uncached, Uncached>(0));
    y.store_cached::<Uncached, WriteBack, _>(64, &x.load_cached::<16, Uncached, Cached>(64));
    y.store_cached::<WriteThrough, Uncached, _>(128, &x.load_cached::<16, Cached, Uncached>(128));
    y.store_cached::<WriteThrough, WriteBack, _>(192, &x.load_cached::<16, Cached, Cached>(192));
    y.store_cached::<Streaming, Uncached, _>(256, &x.load_cached::<16, Streaming, Uncached>(256));
    y.store_cached::<Streaming, WriteBack, _>(320, &x.load_cached::<16, Streaming, Cached>(320));
    y.store_cached::<WriteBack, WriteBack, _>(384, &x.load_cached::<16, ReadInvalidate, Cached>(384));
    y.store(448, &x.load::<16>(448));
}

macro_rules! scattered {
    ($($name:ident: $t:ident;)*) => {$(
        /// Scattered reads and writes with all numbers of lanes. The element indices and their base are in
        /// buffers.
        #[kernel]
        pub fn $name(input: &Buffer<$t>, numbers: &Buffer<u32>, output: &mut Buffer<$t>, base: i32) {
            let (a, b) = (numbers.read::<32>(0), numbers.read::<32>(128));
            let values = input.read_scattered(base, &a);
            output.write_scattered(0, &b, &values);
            let values = input.read_scattered(3, &b.select::<16, 2>(1));
            output.write_scattered(base, &a.select::<16, 2>(0), &values);
            let values = input.read_scattered(0, &a.select::<8, 1>(5));
            output.write_scattered(5, &b.select::<8, 1>(20), &values);
            let values = input.read_scattered(base, &b.select::<4, 1>(5));
            output.write_scattered(9, &a.select::<4, 1>(22), &values);
            let values = input.read_scattered(base, &b.select::<2, 9>(1));
            output.write_scattered(0, &a.select::<2, 8>(7), &values);
            let values = input.read_scattered(0, &b.select::<1, 1>(11));
            output.write_scattered(1, &a.select::<1, 1>(10), &values);
        }
    )*};
}

scattered! {
    scattered_u8: u8;
    scattered_i8: i8;
    scattered_u16: u16;
    scattered_i16: i16;
    scattered_f16: f16;
    scattered_u32: u32;
    scattered_i32: i32;
    scattered_f32: f32;
    scattered_u64: u64;
    scattered_i64: i64;
}

/// Every pair of cache hints of scattered accesses.
#[kernel]
pub fn scattered_hints(x: &Buffer<u32>, numbers: &Buffer<u32>, y: &mut Buffer<u32>, bits: u32) {
    let at = numbers.read::<32>(0);
    let few = at.select::<16, 1>(3);
    x.prefetch_scattered(0, &at);
    x.prefetch_scattered_masked(bits, 1, &few);
    x.cached::<Uncached, Cached>().prefetch_scattered(0, &at);
    x.cached::<Cached, Uncached>().prefetch_scattered_masked(&at, 5, &at);
    x.cached::<Streaming, Uncached>().prefetch_scattered(0, &few);
    x.cached::<Streaming, Cached>().prefetch_scattered(0, &few);
    let a = x.cached::<Uncached, Uncached>().read_scattered(0, &at);
    y.cached_mut::<Uncached, Uncached>().write_scattered(0, &at, &a);
    let b = x.cached::<Uncached, Cached>().read_scattered_masked(bits, 64, &at);
    y.cached_mut::<Uncached, WriteBack>().write_scattered_masked(&(at > 9), 64, &at, &b);
    let c = x.cached::<Cached, Uncached>().read_scaled(512, &(few * 4));
    y.cached_mut::<WriteThrough, Uncached>().write_scaled(512, &(few * 4), &c);
    let d = x.cached::<Cached, Cached>().read_scaled_masked(bits, 768, &(few * 4));
    y.cached_mut::<WriteThrough, WriteBack>().write_scaled_masked(bits >> 2, 768, &(few * 4), &d);
    let e = x.cached::<Streaming, Uncached>().read_untyped::<CM_AR, 2, 8>(&(at.select::<8, 1>(7) + 256u32));
    y.cached_mut::<Streaming, Uncached>().write_untyped::<CM_AR, 2, 8>(&(at.select::<8, 1>(7) + 256u32), &e);
    let f = x.cached::<Streaming, Cached>().read_untyped_masked::<CM_G, 1, 16>(bits, &(few + 320u32));
    y.cached_mut::<Streaming, WriteBack>().write_untyped_masked::<CM_G, 1, 16>(bits, &(few + 320u32), &f);
    let g = x.cached::<ReadInvalidate, Cached>().read_scattered(384, &at);
    y.cached_mut::<WriteBack, WriteBack>().write_scattered(384, &at, &g);
}

macro_rules! hinted_atomics {
    ($($name:ident: $t:ident, $x:ident $y:ident, $($op:ident $(($($source:ident),*))?)*;)*) => {$(
        /// Atomic operations with each pair of cache hints.
        #[kernel]
        pub fn $name(numbers: &Buffer<u32>, sources: &Buffer<$t>, cells: &mut Buffer<$t>, old: &mut Buffer<$t>) {
            let at = numbers.read::<8>(0);
            let $x = sources.read_linear::<8>(0);
            let $y = sources.read_linear::<8>(8 * size_of::<$t>());
            let mut place = 0u32;
            $({
                let before = cells.cached_mut::<Uncached, WriteBack>().fetch_atomic(
                    atomic::$op $(($(&$source),*))?, &at);
                old.write_linear(place, &before);
                cells.cached_mut::<Uncached, Uncached>().write_atomic_masked(
                    0xb6, atomic::$op $(($(&$source),*))?, &at);
                place += 8 * size_of::<$t>() as u32;
            })*
        }
    )*};
}

hinted_atomics! {
    hinted_atomics_u32: u32, x y,
        Add(x) Sub(x) Inc Dec Min(x) Max(x) And(x) Or(x) Xor(x) Xchg(x) CmpXchg(x, y);
    hinted_atomics_i16: i16, x y, Add(x) Min(x) Xchg(y) CmpXchg(x, y);
    hinted_atomics_f32: f32, x y, Add(x) Max(y) Xchg(y) CmpXchg(x, y);
}

macro_rules! masked {
    ($($name:ident: $t:ident;)*) => {$(
        /// Accesses at byte offsets, and masked accesses; the mask is a register, a comparison or bits.
        #[kernel]
        pub fn $name(input: &Buffer<$t>, numbers: &Buffer<u32>, output: &mut Buffer<$t>, base: i32, bits: u32) {
            let (a, b) = (numbers.read::<32>(0), numbers.read::<32>(128));
            output.write_scaled(0, &b, &input.read_scaled(base, &a));
            let values = input.read_scattered_masked(&(a > b), base, &b);
            output.write_scaled_masked(&b, 3, &a, &values);
            let values = input.read_scaled_masked(bits, 1, &b.select::<16, 2>(1));
            output.write_scattered_masked(bits >> 16, base, &a.select::<16, 2>(0), &values);
            let values = input.read_scattered_masked(bits, 0, &a.select::<8, 1>(5));
            output.write_scaled(base, &b.select::<8, 1>(20), &values);
            let values = input.read_scaled_masked(1, base, &b.select::<1, 1>(11));
            output.write_scattered_masked(bits, 1, &a.select::<1, 1>(10), &values);
        }
    )*};
}

masked! {
    masked_u8: u8;
    masked_i16: i16;
    masked_f32: f32;
    masked_u64: u64;
}

/// Four, two, one and three channels of dwords, with and without lane masks.
#[kernel]
pub fn channels(input: &Buffer<i32>, numbers: &Buffer<u32>, output: &mut Buffer<i32>, bits: u32) {
    let (a, b) = (numbers.read::<32>(0), numbers.read::<32>(128));
    let all = input.read_untyped::<CM_ABGR, 4, 8>(&a.select::<8, 1>(0));
    output.write_untyped::<CM_ABGR, 4, 8>(&b.select::<8, 1>(0), &all);
    let two = input.read_untyped_masked::<CM_BR, 2, 16>(bits, &a.select::<16, 1>(8));
    output.write_untyped::<CM_BR, 2, 16>(&b.select::<16, 1>(8), &two);
    output.write_untyped_masked::<CM_G, 1, 32>(bits, &b, &input.read_untyped::<CM_G, 1, 32>(&a));
    let three = input.read_untyped_masked::<CM_AGR, 3, 1>(bits, &a.select::<1, 1>(3));
    output.write_untyped_masked::<CM_AGR, 3, 1>(bits >> 5, &b.select::<1, 1>(9), &three);
}

/// Masked atomic operations.
#[kernel]
pub fn masked_atomics(numbers: &Buffer<u32>, cells: &mut Buffer<i32>, old: &mut Buffer<i32>, bits: u32) {
    let (a, b) = (numbers.read::<32>(0), numbers.read::<32>(128));
    let before = cells.fetch_atomic_masked(&(a > b), atomic::Add(&b.convert::<i32>()), &(a & 7));
    old.write(0, &before);
    cells.write_atomic_masked(bits, atomic::Inc, &(b & 7));
    let few = b.select::<8, 3>(2);
    let before = cells.fetch_atomic_masked(
        bits >> 8,
        atomic::CmpXchg(&few.convert::<i32>(), &before.select::<8, 1>(3)),
        &few,
    );
    old.write(128, &before);
}

macro_rules! atomics {
    ($($name:ident: $t:ident, $x:ident $y:ident, $($op:ident $(($($source:ident),*))?)*;)*) => {$(
        /// Every atomic operation on `L` cells, whose indices are in a buffer. The old values go to another
        /// buffer.
        #[kernel]
        pub fn $name<const L: usize>(
            numbers: &Buffer<u32>,
            sources: &Buffer<$t>,
            cells: &mut Buffer<$t>,
            old: &mut Buffer<$t>,
        ) {
            let $x = sources.read::<32>(0).select::<L, 1>(0);
            let $y = sources.read::<32>(32 * size_of::<$t>()).select::<L, 1>(0);
            let at = numbers.read::<32>(0).select::<L, 1>(0);
            let lanes = numbers.read::<32>(128).select::<L, 1>(0);
            let mut next = 0u32;
            $(
                let before = cells.fetch_atomic(atomic::$op $(($(&$source),*))?, &at);
                old.write_scattered(next, &lanes, &before);
                next += L;
            )*
            $(cells.write_atomic(atomic::$op $(($(&$source),*))?, &at);)*
        }
    )*};
}

atomics! {
    atomics_u32: u32, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    atomics_i32: i32, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    atomics_u16: u16, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    atomics_i16: i16, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    atomics_f32: f32, x y, Add(x) Sub(y) Min(x) Max(y) CmpXchg(x, y) Xchg(y) CmpXchg(x, y);
    atomics_f16: f16, x y, Add(x) Sub(y) Min(x) Max(y) CmpXchg(x, y) Xchg(y) CmpXchg(x, y);
}

macro_rules! long_atomics {
    ($($name:ident: $t:ident, $x:ident $y:ident, $($op:ident $(($($source:ident),*))?)*;)*) => {$(
        /// Every atomic operation on 8 cells of 64 bits.
        #[kernel]
        pub fn $name(
            numbers: &Buffer<u32>,
            sources: &Buffer<$t>,
            cells: &mut Buffer<$t>,
            old: &mut Buffer<$t>,
        ) {
            let ($x, $y) = (sources.read::<8>(0), sources.read::<8>(64));
            let at = numbers.read::<8>(0);
            let mut next = 0u32;
            $(
                let before = cells.fetch_atomic(atomic::$op $(($(&$source),*))?, &at);
                old.write(next, &before);
                next += 64;
            )*
        }
    )*};
}

long_atomics! {
    atomics_u64: u64, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    atomics_i64: i64, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
}

/// Atomic operations on floats, including NaNs, zeros of both signs, infinities and denormals.
#[kernel]
pub fn atomic_floats(sources: &Buffer<f32>, cells: &mut Buffer<f32>, old: &mut Buffer<f32>) {
    let (x, y) = (sources.read::<16>(0), sources.read::<16>(64));
    let lanes = Vector::from_array([0u32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    old.write(0, &cells.fetch_atomic(atomic::Min(&x), &lanes));
    old.write(64, &cells.fetch_atomic(atomic::Max(&y), &lanes));
    old.write(128, &cells.fetch_atomic(atomic::CmpXchg(&x, &y), &(lanes ^ 1)));
    old.write(192, &cells.fetch_atomic_masked(0x5a5a, atomic::Xchg(&y), &lanes));
}
