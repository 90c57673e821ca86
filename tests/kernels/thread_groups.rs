//! Kernels of groups, with shared local memory and barriers.

use cm::prelude::*;

/// Transposes 16 x 16 tiles of a square matrix of `size` columns: a group of 16 threads has a tile, a thread
/// a row of it.
#[kernel]
pub fn transpose(input: &Buffer<u32>, output: &mut Buffer<u32>, size: u32) {
    let tile = slm::<u32, 256>();
    let row = local_id(0);
    tile.write(row * 64, &input.read::<16>(((group_id(1) * 16 + row) * size + group_id(0) * 16) * 4));
    barrier();
    let mut column = Vector::<u32, 16>::splat(0);
    column.vector_assign(row, 16);
    output.write(((group_id(0) * 16 + row) * size + group_id(1) * 16) * 4, &tile.read_scattered(0, &column));
}

/// The sum of the elements of each group, by repeated halving: 16 elements per thread, the group size is a
/// power of two.
#[kernel]
pub fn group_sums(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let sums = slm::<i32, 128>();
    let (own, first) = (linear_local_id(), Vector::<u32, 1>::splat(0));
    let sum = math::sum::<i32, _>(input.read::<16>(linear_global_id() * 64));
    sums.write_scattered(own, &first, &Vector::<i32, 1>::splat(sum));
    barrier();
    let mut half = linear_local_size() / 2;
    while half > 0 {
        if own < half {
            let both = sums.read_scattered(own, &first) + sums.read_scattered(own + half, &first);
            sums.write_scattered(own, &first, &both);
        }
        barrier();
        half = half / 2;
    }
    if own == 0 {
        output.write_scattered(linear_group_id(), &first, &sums.read_scattered(0, &first));
    }
}

/// The prefix sums of the elements of a group, one element per thread.
#[kernel]
pub fn prefix_sums(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let sums = slm::<i32, 256>();
    let (own, first) = (linear_local_id(), Vector::<u32, 1>::splat(0));
    sums.write_scattered(own, &first, &input.read_scattered(linear_global_id(), &first));
    barrier();
    // The two halves of the memory alternate, so that one barrier for each iteration is enough.
    let (mut step, mut from, mut to): (u32, u32, u32) = (1, 0, 128);
    while step < linear_local_size() {
        let mut sum: Vector<i32, 1> = sums.read_scattered(from + own, &first);
        if own >= step {
            sum += sums.read_scattered(from + own - step, &first);
        }
        sums.write_scattered(to + own, &first, &sum);
        barrier();
        let next = to;
        to = from;
        from = next;
        step = step * 2;
    }
    output.write_scattered(linear_global_id(), &first, &sums.read_scattered(from + own, &first));
}

/// Counts how often each byte occurs in the data of a group: 64 bytes per thread.
#[kernel]
pub fn histograms(input: &Buffer<u8>, output: &mut Buffer<u32>) {
    let bins = slm::<u32, 256>();
    let (own, size) = (linear_local_id(), linear_local_size());
    let mut at = own;
    while at < 16 {
        bins.write(at * 64, &Vector::<u32, 16>::splat(0));
        at = at + size;
    }
    barrier();
    for part in 0..4 {
        bins.write_atomic(atomic::Inc, &input.read::<16>(linear_global_id() * 64 + part * 16));
    }
    barrier();
    at = own;
    while at < 16 {
        output.write(linear_group_id() * 1024 + at * 64, &bins.read::<16>(at * 64));
        at = at + size;
    }
}

/// The element of the right neighbour, with work between the halves of the barrier.
#[kernel]
pub fn neighbours(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let shared = slm::<u32, 128>();
    let mut own = Vector::<u32, 1>::splat(0);
    own.assign(linear_local_id());
    shared.write_scattered(0, &own, &input.read_scattered(linear_global_id(), &(own * 0)));
    signal();
    let next = (own + 1) % linear_local_size();
    wait();
    output.write_scattered(linear_global_id(), &(own * 0), &shared.read_scattered(0, &next));
}

// Blocks have at least 32 bytes: the compiler gathers blocks of 16 bytes with offsets that the emulator
// misreads.
/// Every access to shared memory, for all element sizes, inside of arrays and out of bounds; 64 numbers for
/// each thread. `far` is the out-of-bounds offset. The input is the contents of the arrays, followed by 0, 1,
/// 2, 3.
#[kernel]
pub fn accesses(input: &Buffer<u32>, output: &mut Buffer<u32>, far: u32) {
    let bytes = slm::<u8, 64>();
    let words = slm::<i16, 20>();
    let dwords = slm::<u32, 24>();
    let guard = slm::<u32, 8>();
    let own = linear_local_id();
    if own == 0 {
        let first = input.read::<16>(0);
        bytes.write(0, &first.format::<u8>());
        words.write(0, &Vector::<i16, 16>::splat(-7));
        words.write_scattered(16, &Vector::from_array([0u32, 1, 2, 3]), &Vector::<i16, 4>::splat(-7));
        dwords.write(0, &first);
        dwords.write(64, &Vector::<u32, 8>::splat(9));
        guard.write(0, &Vector::<u32, 8>::splat(0xabcd));
    }
    barrier();
    let four = input.read::<4>(64);
    let mut found = Vector::<u32, 64>::splat(0);
    found.select_mut::<16, 1>(0).assign(bytes.read::<32>(16).select::<16, 1>(0));
    found.select_mut::<8, 1>(16).assign(words.read_dwaligned::<16>(4).select::<8, 1>(6));
    found.select_mut::<8, 1>(24).assign(dwords.read_dwaligned::<8>(own * 4 + 4));
    found.select_mut::<4, 1>(32).assign(words.read_scattered(far, &four));
    found.select_mut::<4, 1>(36).assign(bytes.read_scattered(62, &four));
    found.select_mut::<4, 1>(40).assign(dwords.read::<8>(far * 4).select::<4, 1>(0));
    found.select_mut::<8, 1>(44).assign(dwords.read_dwaligned::<8>(far * 4 + 4));
    barrier();
    if own == 0 {
        dwords.write(far * 4, &Vector::<u32, 8>::splat(1));
        words.write_scattered(far, &four, &Vector::<i16, 4>::splat(5));
        bytes.write_scattered(0, &Vector::from_array([64u32, 63]), &Vector::<u8, 2>::splat(6));
        bytes.write_scattered(0, &Vector::from_array([u32::MAX, 60]), &Vector::<u8, 2>::splat(8));
    }
    fence();
    barrier();
    found.select_mut::<2, 1>(52).assign(bytes.read_scattered(62, &Vector::from_array([0u32, 1])));
    found.select_mut::<4, 1>(54).assign(words.read_scattered(16, &four));
    found.select_mut::<4, 1>(58).assign(guard.read::<8>(0).select::<4, 1>(4));
    barrier();
    let old = guard.fetch_atomic(atomic::Add(&Vector::<u32, 2>::splat(2)), &Vector::from_array([0u32, 8]));
    // The result depends on the order of threads; out-of-bounds elements are 0.
    guard.write_atomic(atomic::Max(&old), &Vector::from_array([7u32, 1]));
    barrier();
    found.select_mut::<2, 1>(62).assign(guard.read_scattered(0, &Vector::from_array([0u32, 1])));
    output.write(linear_global_id() * 256, &found.select::<32, 1>(0));
    output.write(linear_global_id() * 256 + 128, &found.select::<32, 1>(32));
}

/// Byte-addressed and masked accesses to shared memory: 16 numbers for each thread, which is a group.
#[kernel]
pub fn masked_accesses(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let cells = slm::<u32, 16>();
    let guard = slm::<u32, 4>();
    let v = input.read::<16>(linear_global_id() * 64);
    let lanes = Vector::from_array([0u32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    cells.write(0, &v);
    guard.write(0, &Vector::<u32, 4>::splat(11));
    cells.write_scaled_masked(&(v > 100), 4, &(lanes * 4), &v);
    cells.write_scattered_masked(0x00ff, 8, &lanes, &(v + 1));
    cells.write_scaled(0, &Vector::from_array([1u32, 64]), &Vector::<u32, 2>::splat(7));
    cells.write_atomic_masked(&(v & 1), atomic::Inc, &(lanes & 3));
    let old = cells.fetch_atomic_masked(0xf0f0, atomic::Sub(&v), &(15 - lanes));
    let at = linear_global_id() * 128;
    output.write(at, &(cells.read_scaled_masked(0x7fff, 2, &(lanes * 4)) + guard.read::<4>(0).get(0)));
    output.write(at + 64, &old);
}

/// Blocks of dwords of shared memory, at any dword of an array and out of bounds; another array follows.
#[kernel]
pub fn shared_blocks(input: &Buffer<u32>, output: &mut Buffer<u32>, far: u32) {
    let cells = slm::<u32, 80>();
    let guard = slm::<u32, 4>();
    cells.store(0, &input.load::<64>(4));
    cells.store(256, &input.load::<16>(260));
    guard.write(0, &Vector::<u32, 4>::splat(11));
    cells.store(20, &input.load::<8>(12));
    cells.store(far, &Vector::<u32, 32>::splat(5));
    cells.store(far + 7, &Vector::<u32, 1>::splat(6));
    output.store(0, &cells.load::<64>(64));
    output.store(256, &cells.load::<16>(0));
    output.store(320, &cells.load::<32>(far));
    output.store(448, &guard.load::<4>(0));
}

/// Atomic operations on shared words and floats, by concurrent threads; another array follows each array.
#[kernel]
pub fn shared_atomics(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let words = slm::<i16, 5>();
    let guard = slm::<u32, 4>();
    let sums = slm::<f32, 3>();
    let halves = slm::<f16, 3>();
    let lanes = Vector::from_array([0u32, 1, 2, 3, 4, 5, 6, 7]);
    if linear_local_id() == 0 {
        words.write_scattered(0, &lanes, &Vector::<i16, 8>::splat(-3));
        guard.write(0, &Vector::<u32, 4>::splat(77));
        sums.write_scattered(0, &lanes, &Vector::<f32, 8>::splat(0.5f32));
        halves.write_scattered(0, &lanes, &Vector::<f16, 8>::splat(f16::from_f32(3.0)));
    }
    barrier();
    let v = input.read::<8>(linear_local_id() * 32);
    words.write_atomic(atomic::Add(&v.convert::<i16>()), &lanes);
    words.write_atomic(atomic::Max(&Vector::<i16, 8>::splat(-100)), &(lanes & 1));
    sums.write_atomic(atomic::Add(&v.convert::<f32>()), &(lanes & 3));
    sums.write_atomic(atomic::Max(&v.convert::<f32>()), &lanes);
    halves.write_atomic(atomic::Sub(&v.convert::<f16>()), &lanes);
    barrier();
    if linear_local_id() == 0 {
        output.write(0, &words.read_scattered(0, &lanes).convert::<u32>());
        output.write(32, &sums.read_scattered(0, &lanes).format::<u32>());
        output.write(64, &(halves.read_scattered(0, &lanes) * -1).convert::<u32>());
        output.write(96, &guard.read::<4>(0));
    }
}

/// Doubles the elements of a thread in shared memory.
#[function]
fn doubled(shared: &Slm<u32, 128>, at: u32) {
    shared.write(at, &(shared.read::<8>(at) * 2));
}

/// A helper that takes shared memory.
#[kernel]
pub fn with_helper(output: &mut Buffer<u32>) {
    let shared = slm::<u32, 128>();
    let at = linear_local_id() * 32;
    shared.write(at, &Vector::<u32, 8>::splat(linear_local_id()));
    doubled(&shared, at);
    output.write(linear_global_id() * 32, &shared.read::<8>(at));
}
