//! Kernels with features that the CPU implements differently for one thread and for several side by side.

use cm::prelude::*;

/// Staged offsets and places that differ between threads.
#[kernel]
pub fn staged_offsets(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 4, 16>(x * 8, y * 4);
    let mut out: Matrix<u8, 4, 8> = block.select::<4, 1, 8, 1>(0, x % 9);
    out.row_mut(x % 4).select_mut::<4, 2>(y % 2).assign(block.row(y % 4).select::<4, 3>(x % 7));
    out.get_mut(x % 4, y % 8).assign(block.get(y % 4, x % 16) + 1);
    output.write(x * 8, y * 4, &out);
}

/// `format` between rows of different lengths, `replicate`, masks from integers, regions of several forms.
#[kernel]
pub fn shapes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x, y);
    let mut words = block.format::<u16, 2, 8>();
    words.row_mut(1).merge(words.row(0), 0b1010_0110);
    words
        .format_mut::<u32, 4, 2>()
        .column_mut(1)
        .assign(words.format::<u32, 8, 1>().select::<4, 2, 1, 1>(0, 0));
    let mut out = words.format::<u8, 4, 8>();
    out.row_mut(2).assign(block.replicate::<4, 3, 2, 5>(0, 1));
    out.select_mut::<2, 2, 4, 2>(1, 0).assign(block.select::<2, 3, 4, 2>(0, 1));
    out ^= thread_origin_x();
    output.write(x, y, &out);
}

/// Strided elements of all sizes, several in a word, read and written.
#[kernel]
pub fn strides(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 32>(x, y);
    let words = block.format::<u16, 4, 16>();
    let dwords = block.format::<u32, 4, 8>();
    let mut out = block;
    out.select_mut::<4, 1, 16, 2>(0, 1).assign(block.select::<4, 1, 16, 2>(0, 0) * 3);
    out.select_mut::<2, 2, 7, 4>(0, 3).assign(block.select::<2, 1, 7, 4>(1, 2) + 1);
    out.select_mut::<3, 1, 4, 8>(1, 5).assign(block.select::<3, 1, 4, 8>(0, 7) ^ 85);
    out.format_mut::<u16, 4, 16>()
        .select_mut::<4, 1, 8, 2>(0, 1)
        .assign(words.select::<4, 1, 8, 2>(0, 0) ^ words.select::<4, 1, 8, 2>(0, 1));
    out.format_mut::<i16, 4, 16>().select_mut::<3, 1, 4, 4>(1, 2).assign(words.select::<3, 1, 4, 4>(0, 3));
    out.format_mut::<u32, 4, 8>()
        .select_mut::<4, 1, 4, 2>(0, 1)
        .assign(dwords.select::<4, 1, 4, 2>(0, 1) + dwords.select::<4, 1, 4, 2>(0, 0));
    output.write(x, y, &out);
}

/// Regions with gaps that change, of elements of all sizes, of all rows and of some.
#[kernel]
pub fn gaps(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 32>(x, y);
    let words = block.format::<u16, 4, 16>();
    let dwords = block.format::<u32, 4, 8>();
    let mut out = block;
    out.select_mut::<4, 1, 16, 2>(0, 1) += block.select::<4, 1, 16, 1>(0, 9);
    out.select_mut::<4, 1, 16, 2>(0, 0).merge(200u8, &(block.select::<4, 1, 16, 1>(0, 3) > 99));
    out.select_mut::<2, 2, 7, 4>(1, 3) ^= block.select::<2, 1, 7, 1>(0, 5);
    out.select_mut::<3, 1, 4, 8>(1, 6) -= block.select::<3, 1, 4, 1>(0, 1);
    out.format_mut::<u16, 4, 16>().select_mut::<4, 1, 8, 2>(0, 1) += words.select::<4, 1, 8, 1>(0, 4);
    out.format_mut::<i16, 4, 16>().select_mut::<2, 1, 4, 4>(2, 2) ^= words.select::<2, 1, 4, 1>(0, 7);
    out.format_mut::<u32, 4, 8>().select_mut::<4, 1, 4, 2>(0, 1) += dwords.select::<4, 1, 4, 1>(0, 2);
    output.write(x, y, &out);
}

/// Every third element, of all sizes, read and written: of all rows, of some rows, of incomplete rows, and an
/// odd number of elements.
#[kernel]
pub fn thirds(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 48, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 48>(x, y);
    let (words, dwords) = (block.format::<u16, 4, 24>(), block.format::<u32, 4, 12>());
    let mut out = block;
    out.select_mut::<4, 1, 16, 3>(0, 0).assign(block.select::<4, 1, 16, 3>(0, 2) * 3);
    out.select_mut::<4, 1, 16, 3>(0, 1) += block.select::<4, 1, 16, 3>(0, 1);
    out.select_mut::<2, 2, 16, 3>(1, 2) ^= block.select::<2, 1, 16, 3>(1, 0);
    out.select_mut::<3, 1, 11, 3>(1, 4) += block.select::<3, 1, 11, 3>(0, 6);
    out.row_mut(2).select_mut::<16, 3>(1) += block.row(3).select::<16, 3>(0);
    for i in 0..3 {
        out.format_mut::<u16, 4, 24>().select_mut::<4, 1, 8, 3>(0, i) +=
            words.select::<4, 1, 8, 3>(0, (i + 2) % 3);
        out.format_mut::<i32, 4, 12>().select_mut::<4, 1, 4, 3>(0, i) ^=
            dwords.select::<4, 1, 4, 3>(0, (i + 1) % 3) >> 1;
    }
    let line = block.format::<u8, 1, 192>().row(0).select::<57, 1>(9);
    let mut odd: Vector<u8, 57> = (line + 1).convert();
    odd.select_mut::<19, 3>(2).assign(line.select::<19, 3>(1) ^ line.select::<19, 3>(0));
    out.format_mut::<u8, 1, 192>().row_mut(0).select_mut::<57, 1>(31) += odd;
    let long = block.format::<u64, 4, 6>();
    out.format_mut::<u64, 4, 6>().select_mut::<4, 1, 2, 3>(0, 2) ^= long.select::<4, 1, 2, 3>(0, 1);
    output.write(x, y, &out);
}

/// Columns with gaps, where the blocks of neighbouring threads overlap, are separate, are adjacent or are not
/// in one row; and blocks that need several messages.
#[kernel]
pub fn in_place_columns(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let over = input.read_block::<u8, 10, 18>(x * 8 - 1, y * 4 - 1);
    let mut out: Matrix<u8, 4, 8> =
        (over.select::<4, 2, 8, 2>(2, 1) + over.select::<4, 2, 8, 2>(0, 2)).convert();
    out += over.select::<4, 1, 8, 2>(6, 3);
    out.select_mut::<4, 1, 4, 1>(0, 2).assign(
        out.select::<4, 1, 4, 1>(0, 4) ^ over.select::<4, 1, 4, 4>(0, 5) + over.select::<4, 1, 4, 4>(1, 0),
    );
    let apart = input.read::<u16, 4, 16>(x * 40, y * 2);
    out ^= apart.select::<4, 1, 8, 2>(0, 1);
    out.row_mut(1).assign(out.row(1) + apart.row(2).select::<4, 4>(3).replicate::<2>());
    let beside = input.read::<u8, 8, 16>(x * 16, y * 4);
    out ^= beside.select::<4, 2, 8, 2>(0, 1);
    out += beside.select::<4, 2, 8, 2>(1, 0);
    let turned = input.read_block::<u32, 9, 5>(y * 4, x * 8 - 2);
    out.select_mut::<4, 1, 2, 1>(0, 5)
        .assign(turned.select::<4, 2, 2, 4>(1, 0) + turned.select::<4, 2, 2, 2>(2, 2));
    out.row_mut(3).assign(out.row(3) ^ over.row(y % 10).select::<8, 2>(x % 4));
    output.write(x * 8, y * 4, &out);
}

/// The largest block that is read in place, and a larger one; and regions with odd rows of one and of a register.
#[kernel]
pub fn large_blocks(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let largest = input.read_block::<u8, 16, 64>(x - 30, y - 9);
    let larger = input.read_block::<u8, 17, 64>(x - 30, y - 9);
    let sum = largest.select::<4, 1, 8, 1>(12, 56) + larger.select::<4, 4, 8, 2>(3, 1);
    let mut odd: Matrix<u8, 16, 29> = largest.select::<16, 1, 29, 1>(0, 35);
    odd = math::max::<u8, _>(odd, largest.select::<16, 1, 29, 1>(0, 1));
    let words: Matrix<u16, 16, 18> = (largest.select::<16, 1, 18, 1>(0, 7) * 259).convert();
    let least = math::min::<u16, _>(words.select::<16, 1, 15, 1>(0, 0), words.select::<16, 1, 15, 1>(0, 3));
    let odd = odd.select::<4, 1, 8, 1>(11, 20) ^ least.select::<4, 1, 8, 1>(12, 7);
    output.write(x, y, &(sum ^ odd).convert::<u8>());
}

/// Blocks of which only regions are used, where the blocks of neighbouring threads overlap, are separate, are
/// at the same place, or are not in one row.
#[kernel]
pub fn in_place(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 4, 32>(x * 8 - 5, y * 4 - 1);
    let mut out = block.select::<4, 1, 8, 1>(0, 3);
    out.select_mut::<2, 1, 8, 1>(1, 0)
        .assign(out.select::<2, 1, 8, 1>(1, 0) + block.select::<2, 2, 8, 1>(0, 7));
    for i in 0..4 {
        out.row_mut(i).assign(out.row(i) ^ block.row(3 - i).select::<8, 1>(i * 7));
    }
    out.row_mut(0).assign(out.row(0) + block.row(x % 4).select::<8, 1>(y % 25));
    out.row_mut(1).assign(out.row(1) + block.row(y % 4).select::<8, 1>(11));
    let apart = input.read::<u16, 2, 8>(x * 40, y * 2);
    out.row_mut(2).assign(out.row(2) ^ apart.row(1).select::<8, 1>(0));
    let mirrored = input.read::<u8, 4, 16>((14 - x) * 8, y * 4);
    out ^= mirrored.select::<4, 1, 8, 1>(0, 5);
    let same = input.read::<u8, 4, 12>(16, 8);
    out += same.select::<4, 1, 8, 1>(0, 4);
    let turned = input.read::<u8, 8, 4>(y * 4, x * 8 - 2);
    out.select_mut::<4, 1, 4, 1>(0, 4)
        .assign(turned.select::<4, 2, 4, 1>(1, 0) + out.select::<4, 1, 4, 1>(0, 4));
    let next = input.read::<u32, 4, 8>(x * 8, y * 4);
    out ^= next.select::<4, 1, 2, 1>(0, 3).format::<u8, 4, 8>();
    output.write(x * 8, y * 4, &out);
}

/// Blocks of neighbouring threads with gaps between them, mirrored, one below the other, and across the
/// edges.
#[kernel]
pub fn apart(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let mut out = input.read::<u8, 4, 8>(x * 24, y * 4);
    let mirrored = input.read::<u8, 4, 16>(120 - x * 16, y * 4 - 2);
    out ^= mirrored.select::<4, 1, 8, 1>(0, 7);
    let below = input.read::<u8, 8, 16>(y * 16 - 3, x * 3);
    out += below.select::<4, 2, 8, 1>(1, 2);
    let up = input.read::<u16, 4, 4>(y * 8, 25 - x * 2);
    out ^= up.format::<u8, 4, 8>();
    output.write(x * 8, y * 4, &out);
}

/// Elements that continue in the next row of their object: `replicate`, and elements of `format_mut` that
/// begin in one row and end in the next.
#[kernel]
pub fn across(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x, y);
    let mut out = block;
    out.select_mut::<1, 1, 4, 1>(0, 0).assign(block.replicate::<1, 0, 4, 2>(0, 3).format::<u8, 1, 4>());
    let words = block.format::<u16, 4, 4>();
    let far = words.replicate::<1, 0, 2, 2>(1, 3);
    out.format_mut::<u16, 4, 4>().select_mut::<1, 1, 2, 1>(1, 2).assign(far.format::<u16, 1, 2>());
    let mut odd: Matrix<u8, 2, 6> = block.select::<2, 1, 6, 1>(1, 1);
    odd.format_mut::<u32, 1, 3>().select_mut::<1, 1, 2, 1>(0, 1) += 0x01ff_02ffu32;
    out.select_mut::<2, 1, 6, 1>(2, 0).assign(odd);
    let mut column: Matrix<u8, 4, 1> = block.select::<4, 1, 1, 1>(0, 5);
    column.format_mut::<u16, 2, 1>().select_mut::<2, 1, 1, 1>(0, 0) += 300u16;
    out.select_mut::<4, 1, 1, 1>(0, 7).assign(column);
    output.write(x, y, &out);
}

/// Columns and other short runs of bytes: of all element sizes, of objects with short rows, up to the last
/// byte.
#[kernel]
pub fn columns(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 16);
    let block = input.read::<u8, 16, 16>(x, y);
    let mut out = block;
    for i in 0..16 {
        out.row_mut(i).assign(block.column(15 - i));
    }
    let (words, dwords, long) =
        (block.format::<u16, 16, 8>(), block.format::<u32, 16, 4>(), block.format::<u64, 16, 2>());
    out.select_mut::<7, 1, 2, 1>(0, 14).assign(block.select::<7, 1, 2, 1>(3, 5) + 1);
    out.select_mut::<6, 1, 3, 1>(9, 13).assign(block.select::<6, 1, 3, 1>(10, 12) ^ 3);
    out.select_mut::<5, 1, 1, 1>(9, 3).assign(words.select::<5, 1, 1, 1>(11, 7) >> 3);
    out.select_mut::<9, 1, 1, 1>(0, 0).assign(block.format::<u8, 128, 2>().select::<9, 1, 1, 1>(119, 1) + 5);
    out.select_mut::<3, 1, 1, 1>(12, 9).assign(block.format::<u8, 256, 1>().select::<3, 1, 1, 1>(253, 0) + 7);
    out.select_mut::<4, 1, 4, 1>(3, 4)
        .assign(block.select::<4, 2, 4, 1>(9, 10) ^ block.select::<4, 1, 4, 3>(12, 6));
    out.format_mut::<u16, 16, 8>().column_mut(5).assign(words.column(7) + words.column(6));
    out.format_mut::<u32, 16, 4>().select_mut::<7, 2, 1, 1>(1, 0).assign(dwords.select::<7, 1, 1, 1>(9, 3));
    out.format_mut::<u32, 16, 4>().column_mut(2).assign(dwords.column(3) ^ dwords.column(0));
    out.format_mut::<u64, 16, 2>()
        .select_mut::<3, 1, 1, 1>(4, 1)
        .assign(long.column(1).select::<3, 5, 1, 1>(1, 0));
    out.row_mut(15).assign(block.iselect(block.row(3) & 15, block.row(5) >> 3) + 1);
    out.row_mut(14).assign(block.format::<u8, 1, 256>().row(0).iselect(block.row(2)));
    output.write(x, y, &out);
}

/// Elements of all sizes selected by index, in vectors and matrices, with indices out of range.
#[kernel]
pub fn tables(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 32>(x, y);
    let (words, dwords) = (block.format::<u16, 4, 16>(), block.format::<u32, 4, 8>());
    let mut out = block;
    out.row_mut(0).assign(block.row(3).iselect(block.row(1) >> 2));
    out.row_mut(1).assign(block.iselect(block.row(0) & 7, block.row(2) >> 1));
    let far = words.iselect(words.row(0) & 3, words.row(1) >> 10);
    let mixed = (far >> 4) ^ words.row(2).iselect(words.row(3) >> 11) ^ block.get(2, y % 32);
    out.format_mut::<u16, 4, 16>().row_mut(2).assign(mixed);
    out.format_mut::<u32, 4, 8>().row_mut(3).assign(
        dwords.iselect(dwords.row(1) & 1, dwords.row(2) >> 28) + dwords.row(3).iselect(dwords.row(0) >> 27),
    );
    let long = block.format::<u64, 4, 4>();
    let mixed = long.iselect(words.row(0).select::<4, 4>(0) & 1, words.row(1).select::<4, 2>(3) >> 13);
    out.format_mut::<u64, 4, 4>()
        .row_mut(0)
        .assign(long.row(3).iselect(words.row(3).select::<4, 1>(7) & 7) ^ mixed);
    output.write(x, y, &out);
}

/// Conversions between all kinds of numbers, saturated and not.
#[kernel]
pub fn conversions_f64(input: &Surface2D, output: &mut Surface2D, by: f32, bias: Vector<i16, 8>) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y());
    let v = input.read::<f32, 1, 8>(x, y).row(0);
    let scaled = v * by;
    let bytes: Vector<u8, 8> = scaled.convert();
    let signed: Vector<i8, 8> = scaled.convert();
    let words: Vector<i16, 8> = scaled.convert();
    let unsigned: Vector<u16, 8> = scaled.saturate();
    let ints: Vector<i32, 8> = scaled.convert();
    let natural: Vector<u32, 8> = scaled.convert();
    let long: Vector<i64, 8> = scaled.convert();
    let half: Vector<f16, 8> = scaled.convert();
    let double: Vector<f64, 8> = v.convert();
    let rounded: Vector<u8, 8> = (double * 300.0).saturate();
    let mut sum = ints ^ bytes ^ (signed << 3) ^ (words << 5) ^ (unsigned << 7);
    sum += bias;
    let mut all: Vector<u32, 8> = (natural ^ sum).convert();
    all ^= long;
    all ^= half.format::<u16>();
    all ^= rounded;
    output.write(x, y, &all);
}

/// Many floats converted to bytes and words, a few more than fill whole registers.
#[kernel]
pub fn narrowed(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 7);
    let v = input.read::<f32, 7, 8>(x, y);
    let bytes: Matrix<u8, 7, 8> = (v * 0.5f32).convert();
    let signed: Matrix<i8, 7, 8> = v.convert();
    let words: Matrix<i16, 7, 8> = (v * 300.0f32).convert();
    let unsigned: Matrix<u16, 7, 8> = (v - 4.0f32).saturate();
    let mut all: Matrix<u32, 7, 8> = (signed ^ (bytes << 8)).convert();
    all ^= (words << 16) ^ (unsigned << 5);
    output.write(x, y, &all);
}

/// Every access to buffers; each thread writes its own part.
#[kernel]
pub fn buffers(input: &Surface2D, output: &mut Surface2D, table: &Buffer<u8>, own: &mut Buffer<u16>) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 2, 8>(x * 8, y * 2);
    let offset = (y * 15 + x) * 32;
    let found = table.read_scattered(x, &block.format::<u8, 1, 16>().row(0));
    own.write(offset, &(found * 3 + table.read::<16>(offset)).convert::<u16>());
    let back = own.read::<16>(offset) + table.read_dwaligned::<16>(offset + 4);
    output.write(x * 8, y * 2, &back.convert::<u8>().format::<u8, 2, 8>());
}

/// Vectors of elements at places that differ between threads; each thread writes its own part.
#[kernel]
pub fn vectors(input: &Surface2D, output: &mut Surface2D, table: &Buffer<u32>, own: &mut Buffer<u32>) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let at: Vector<u32, 16> = input.read::<u8, 2, 8>(x * 8, y * 2).format::<u8, 1, 16>().row(0).convert();
    let first = (y * 15 + x) * 64;
    let places = Vector::from_array([0u32, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]);
    let fours = table.load_vectors::<4, 16>(x, &at);
    own.store_vectors(first, &places, &(fours + 1u32));
    let pairs = table.load_vectors_masked::<2, 16>(0xb7d1, 3, &at);
    own.store_vectors_masked(&(at > 64), first + 1, &places, &pairs);
    let back = own.load_vectors::<4, 16>(first, &(60u32 - places));
    output.write(
        x * 8,
        y * 2,
        &((back.row(0) + back.row(1)) ^ back.row(3)).convert::<u8>().format::<u8, 2, 8>(),
    );
}

/// A staged condition, so these threads run one by one.
#[kernel]
pub fn branches(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut block = input.read::<u8, 4, 8>(x, y);
    if block.get(0, 0) > 99 {
        block += 7;
    }
    let mut rounds = block.get(1, 1) % 5;
    while rounds > 0 {
        block.row_mut(2).assign(block.row(2) * 3 + 1);
        rounds -= 1;
    }
    output.write(x, y, &block);
}

/// Conditions that are the same for all threads of a row, so that these run in pairs with AVX-512.
#[kernel]
pub fn branches_of_rows(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut block = input.read::<u8, 4, 8>(x, y);
    if y % 8 == 4 {
        block += 7;
    }
    let mut rounds = y % 5;
    while rounds > 0 {
        block.row_mut(2).assign(block.row(2) * 3 + 1);
        rounds -= 1;
        if rounds == 2 {
            break;
        }
    }
    let factor: u32 = match y % 3 {
        0 => 2,
        1 => y + 1,
        _ => 5,
    };
    for n in 0..y % 7 {
        if n == 1 || y == 12 {
            continue;
        }
        block.row_mut(1).assign(block.row(1) * factor + n);
        if n > 4 {
            output.write(x, y, &block);
            return;
        }
    }
    output.write(x, y, &block);
}

/// Windows of vectors at constant, host and staged columns, the last ones too: of bytes, words, dwords and qwords.
#[kernel]
pub fn windows(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 4, 40>(x, y);
    let mut out = Matrix::<u8, 4, 16>::splat(0);
    for r in 0..4 {
        let bytes: Vector<u8, 40> = (block.row(r) ^ 85).convert();
        let words: Vector<u16, 36> = (block.row(r).select::<36, 1>(3) * 259).convert();
        let dwords: Vector<i32, 20> = (block.row(r).select::<20, 1>(9) * -70000).convert();
        let qwords: Vector<u64, 11> = (block.row(r).select::<11, 1>(2) * 0x1_0001_0001u64).convert();
        let mut sum: Vector<i32, 16> = bytes.select::<16, 1>(24).convert();
        for k in 0..5 {
            sum += words.select::<16, 1>(4 * k + 1);
            sum ^= bytes.select::<16, 1>(5 * k);
        }
        sum += words.select::<16, 1>(20);
        sum ^= words.select::<16, 1>(x & 31);
        sum -= bytes.select::<16, 1>(y & 63);
        sum ^= dwords.select::<16, 1>(3) + dwords.select::<16, 1>(4);
        sum.select_mut::<8, 1>(4).assign(sum.select::<8, 1>(4) ^ qwords.select::<8, 1>(3));
        sum.select_mut::<4, 1>(0).assign(sum.select::<4, 1>(0) ^ dwords.select::<4, 1>(15));
        out.row_mut(r).assign(sum ^ (sum >> 8) ^ (sum >> 16));
    }
    output.write(x, y, &out);
}
