//! Kernels of every built-in, for every element type and size.

use cm::prelude::*;
use cm::subgroups::*;

/// The kernels for an element type, a size, and a number of elements of a message.
macro_rules! kernels {
    ($($collective:ident $shuffles:ident $load:ident $store:ident: $t:ident $n:literal $w:literal;)*) => {$(
        #[function]
        fn $load(x: &Buffer<$t>, row: usize) -> Vector<$t, $n> {
            let mut values = Vector::<$t, $n>::splat(0);
            for i in 0..$n / $w {
                let part = x.read::<$w>((row * $n + i * $w) * size_of::<$t>());
                values.select_mut::<$w, 1>(i * $w).assign(part);
            }
            values
        }

        #[function]
        fn $store(x: &mut Buffer<$t>, row: usize, values: Vector<$t, $n>) {
            for i in 0..$n / $w {
                x.write((row * $n + i * $w) * size_of::<$t>(), &values.select::<$w, 1>(i * $w));
            }
        }

        /// The votes, broadcasts, reductions and scans of a row. Their results are rows of the output.
        #[kernel]
        pub fn $collective(x: &Buffer<$t>, output: &mut Buffer<$t>, who: u32) {
            let x = $load(x, 0);
            $store(output, 0, Vector::splat(sub_group_reduce_add(x)));
            $store(output, 1, Vector::splat(sub_group_reduce_min(x)));
            $store(output, 2, Vector::splat(sub_group_reduce_max(x)));
            $store(output, 3, sub_group_scan_inclusive_add(x));
            $store(output, 4, sub_group_scan_inclusive_min(x));
            $store(output, 5, sub_group_scan_inclusive_max(x));
            $store(output, 6, sub_group_scan_exclusive_add(x));
            $store(output, 7, sub_group_scan_exclusive_min(x));
            $store(output, 8, sub_group_scan_exclusive_max(x));
            $store(output, 9, Vector::splat(sub_group_broadcast(x, 5)));
            $store(output, 10, Vector::splat(sub_group_broadcast(x, who)));
            let mut votes = Vector::<$t, $n>::splat(0);
            let small = sub_group_reduce_min(x);
            if sub_group_all(x >= small) {
                votes += 1i32;
            }
            if sub_group_all(x > small) {
                votes += 2i32;
            }
            if sub_group_any(x <= small) {
                votes += 4i32;
            }
            if sub_group_any(x < small) {
                votes += 8i32;
            }
            $store(output, 11, votes);
        }

        /// The shuffles of two rows. Their results are rows of the output.
        #[kernel]
        pub fn $shuffles(x: &Buffer<$t>, numbers: &Buffer<u32>, output: &mut Buffer<$t>, uniform: u32) {
            let (a, b) = ($load(x, 0), $load(x, 1));
            $store(output, 0, sub_group_shuffle(a, numbers.read::<$n>(0)));
            $store(output, 1, sub_group_shuffle_down(a, b, numbers.read::<$n>($n * 4)));
            $store(output, 2, sub_group_shuffle_up(a, b, numbers.read::<$n>($n * 8)));
            $store(output, 3, sub_group_shuffle_xor(a, numbers.read::<$n>($n * 12)));
            $store(output, 4, sub_group_shuffle(a, uniform));
            $store(output, 5, sub_group_shuffle_down(a, b, uniform));
            $store(output, 6, sub_group_shuffle_up(a, b, uniform));
            $store(output, 7, sub_group_shuffle_xor(a, uniform));
            $store(output, 8, sub_group_shuffle(a, 3));
            $store(output, 9, sub_group_shuffle_down(a, b, 3));
            $store(output, 10, sub_group_shuffle_up(a, b, 3));
            $store(output, 11, sub_group_shuffle_xor(a, 5));
            $store(output, 12, sub_group_shuffle(a, $n));
            $store(output, 13, sub_group_shuffle_down(a, b, $n + 2));
            $store(output, 14, sub_group_shuffle_up(a, b, $n + 2));
            $store(output, 15, sub_group_shuffle_xor(a, $n + 2));
        }
    )*};
}

/// Calls a macro with the kernels of every element type and size: the collective ones, the shuffles, their
/// helpers, the type, the size, and the number of elements of a message.
#[macro_export]
macro_rules! for_each_sub_group {
    ($callback:ident) => {
        $callback! {
            collective_i32_8 shuffles_i32_8 load_i32_8 store_i32_8: i32 8 8;
            collective_i32_16 shuffles_i32_16 load_i32_16 store_i32_16: i32 16 16;
            collective_i32_32 shuffles_i32_32 load_i32_32 store_i32_32: i32 32 32;
            collective_u32_8 shuffles_u32_8 load_u32_8 store_u32_8: u32 8 8;
            collective_u32_16 shuffles_u32_16 load_u32_16 store_u32_16: u32 16 16;
            collective_u32_32 shuffles_u32_32 load_u32_32 store_u32_32: u32 32 32;
            collective_i64_8 shuffles_i64_8 load_i64_8 store_i64_8: i64 8 8;
            collective_i64_16 shuffles_i64_16 load_i64_16 store_i64_16: i64 16 16;
            collective_i64_32 shuffles_i64_32 load_i64_32 store_i64_32: i64 32 16;
            collective_u64_8 shuffles_u64_8 load_u64_8 store_u64_8: u64 8 8;
            collective_u64_16 shuffles_u64_16 load_u64_16 store_u64_16: u64 16 16;
            collective_u64_32 shuffles_u64_32 load_u64_32 store_u64_32: u64 32 16;
            collective_f16_8 shuffles_f16_8 load_f16_8 store_f16_8: f16 8 8;
            collective_f16_16 shuffles_f16_16 load_f16_16 store_f16_16: f16 16 16;
            collective_f16_32 shuffles_f16_32 load_f16_32 store_f16_32: f16 32 32;
            collective_f32_8 shuffles_f32_8 load_f32_8 store_f32_8: f32 8 8;
            collective_f32_16 shuffles_f32_16 load_f32_16 store_f32_16: f32 16 16;
            collective_f32_32 shuffles_f32_32 load_f32_32 store_f32_32: f32 32 32;
            collective_f64_8 shuffles_f64_8 load_f64_8 store_f64_8: f64 8 8;
            collective_f64_16 shuffles_f64_16 load_f64_16 store_f64_16: f64 16 16;
            collective_f64_32 shuffles_f64_32 load_f64_32 store_f64_32: f64 32 16;
        }
    };
}

for_each_sub_group!(kernels);

/// Vectors of four for each work item: each component is shuffled like a single value.
#[kernel]
pub fn vectors<const N: usize>(x: &Buffer<u32>, numbers: &Buffer<u32>, output: &mut Buffer<u32>, uniform: u32)
where
    Len<N>: SubGroup,
{
    let (a, b) = (sub_group_block_read4::<N>(x, 0), sub_group_block_read4::<N>(x, N * 16));
    let each: Vector<u32, N> = sub_group_block_read(numbers, 0);
    sub_group_block_write4(output, 0, sub_group_shuffle(a, each));
    sub_group_block_write4(output, N * 16, sub_group_shuffle_down(a, b, each));
    sub_group_block_write4(output, N * 32, sub_group_shuffle_up(a, b, each));
    sub_group_block_write4(output, N * 48, sub_group_shuffle_xor(a, each));
    sub_group_block_write4(output, N * 64, sub_group_shuffle(a, uniform));
    sub_group_block_write4(output, N * 80, sub_group_shuffle_down(a, b, 2));
}

/// Blocks of a buffer, of every size, at known offsets and at staged offsets that may be anything.
#[kernel]
pub fn buffer_blocks<const N: usize>(input: &Buffer<u32>, output: &mut Buffer<u32>, from: u32, to: u32)
where
    Len<N>: SubGroup,
{
    sub_group_block_write(output, to, sub_group_block_read::<N>(input, from));
    let to = to + N * 4;
    sub_group_block_write2(output, to, sub_group_block_read2::<N>(input, from));
    let to = to + N * 8;
    sub_group_block_write4(output, to, sub_group_block_read4::<N>(input, from + 4));
    let to = to + N * 16;
    sub_group_barrier(MemFence::GLOBAL | MemFence::LOCAL);
    sub_group_block_write8(output, to, sub_group_block_read8::<N>(input, from + 8));
    sub_group_block_write(output, to + N * 32, sub_group_block_read::<N>(output, to + 4));
}

/// Blocks of a surface, of every size: read at the given position, and written at known positions and at the
/// given one.
#[kernel]
pub fn surface_blocks<const N: usize>(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32)
where
    Len<N>: SubGroup,
{
    sub_group_block_write(output, (0, 0), sub_group_block_read::<N>(input, (x, y)));
    sub_group_block_write2(output, (0, 1), sub_group_block_read2::<N>(input, (x, y + 1)));
    sub_group_block_write4(output, (4, 3), sub_group_block_read4::<N>(input, (x + 4, y)));
    let eight = sub_group_block_read8::<N>(input, (x, y - 2));
    sub_group_block_write8(output, (0, 7), eight);
    // Rounded down to whole dwords.
    sub_group_block_write8(output, (x - (x & 3), y + 15), eight);
}

/// Literal positions.
#[kernel]
pub fn literal_blocks(input: &Buffer<u32>, surface: &Surface2D, output: &mut Buffer<u32>) {
    sub_group_block_write(output, 16, sub_group_block_read::<8>(input, 4));
    sub_group_block_write2(output, 48, sub_group_block_read2::<8>(surface, (-3, 1)));
}

/// All ids of a work item in its sub-group.
#[kernel]
pub fn ids<const N: usize>(output: &mut Buffer<u32>)
where
    Len<N>: SubGroup,
{
    let at = (thread_origin_y() * 2 + thread_origin_x()) * (7 * N) * 4;
    let id = sub_group_local_id();
    sub_group_block_write(output, at, id);
    let sizes = Vector::<u32, N>::splat(sub_group_size::<N>() * 100 + max_sub_group_size::<N>());
    sub_group_block_write(output, at + N * 4, sizes);
    let groups = num_sub_groups() * 100 + enqueued_num_sub_groups() * 10 + sub_group_id();
    sub_group_block_write(output, at + N * 8, Vector::<u32, N>::splat(groups));
    let global: Vector<u32, N> = thread_origin_x() * sub_group_size::<N>() + sub_group_local_id();
    sub_group_block_write(output, at + N * 12, global);
}
