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

/// The largest block that is read in place, and a larger one.
#[kernel]
pub fn large_blocks(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let largest = input.read_block::<u8, 16, 64>(x - 30, y - 9);
    let larger = input.read_block::<u8, 17, 64>(x - 30, y - 9);
    let sum = largest.select::<4, 1, 8, 1>(12, 56) + larger.select::<4, 4, 8, 2>(3, 1);
    output.write(x, y, &sum.convert::<u8>());
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

/// The results of operators have a name, and regions of them are operands.
#[kernel]
pub fn two_passes(input: &Surface2D, output: &mut Surface2D, factor: u8) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let m = input.read_block::<u8, 6, 12>(x.convert::<i32>() - 2, y.convert::<i32>() - 1);
    let sums: Matrix<u16, 4, 12> = (m.select::<4, 1, 12, 1>(0, 0)
        + m.select::<4, 1, 12, 1>(1, 0) * factor
        + m.select::<4, 1, 12, 1>(2, 0))
    .convert();
    let all =
        sums.select::<4, 1, 8, 1>(0, 0) + sums.select::<4, 1, 8, 1>(0, 4) + sums.select::<4, 1, 8, 1>(0, 2);
    output.write(x, y, &(all >> 4).convert::<u8>());
}

/// Trees of operators that are large enough for loops over rows: on regions of registers and of the surface, with
/// staged offsets and numbers, on every second row, and on rows as short as vectors.
#[kernel]
pub fn trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 20, y * 8);
    let m: Matrix<u8, 8, 32> = (input.read::<u8, 8, 32>(x * 20 + 1, y * 8) ^ 85).convert();
    let mut sum: Matrix<i16, 8, 20> =
        (block.select::<8, 1, 20, 1>(0, 0) - block.select::<8, 1, 20, 1>(0, 5) * (x % 3) + 7).convert();
    sum += (3 * m.select::<8, 1, 20, 1>(0, x % 13) - block.select::<8, 1, 20, 1>(0, 2)) >> (y % 4);
    sum -= sum.select::<8, 1, 20, 1>(0, 0) / 4 + y;
    let mut out: Matrix<u8, 8, 20> = (sum + 255 - m.select::<8, 1, 20, 1>(0, 12)).saturate();
    let short = (m.select::<8, 1, 12, 1>(0, x % 9) + 1) * 2 - block.select::<8, 1, 12, 1>(0, 20);
    out.select_mut::<8, 1, 12, 1>(0, 4).assign(out.select::<8, 1, 12, 1>(0, 1) ^ short);
    let odd = (block.select::<4, 2, 20, 1>(1, 11) | m.select::<4, 2, 20, 1>(0, 0)) & 0x5a;
    out.select_mut::<4, 2, 20, 1>(0, 0) += odd;
    let bright: Matrix<u8, 8, 20> =
        (m.select::<8, 1, 20, 1>(0, 1) * 0.25f32 + block.select::<8, 1, 20, 1>(0, x % 2) * 0.5f32).convert();
    let rows: Vector<u8, 32> = (m.row(x % 8) * 3 + block.row((x + y) % 8)).convert();
    out.row_mut(3).select_mut::<20, 1>(0).assign(rows.select::<20, 1>(7));
    let whole: Matrix<u8, 3, 32> =
        (m.select::<3, 1, 32, 1>(x % 6, 0) - m.select::<3, 1, 32, 1>(2, 0) * 2).convert();
    out.select_mut::<3, 1, 16, 1>(5, 4).assign(whole.select::<3, 1, 16, 1>(0, 16));
    let line = m.format::<u8>();
    let shifted: Vector<u8, 160> = (line.select::<160, 1>(y % 64) * 5 + line.select::<160, 1>(95)).convert();
    output.write(x * 20, y * 8, &(out ^ bright ^ shifted.format_matrix::<u8, 8, 20>()).convert::<u8>());
}

/// Comparisons in trees: of regions, bytes beside longer numbers, negative numbers and floats; as masks of bytes, words and
/// floats, as numbers, with a name, and of registers that change afterwards.
#[kernel]
pub fn masks_of_trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 16, y * 8);
    let m: Matrix<i16, 8, 32> = (input.read::<u8, 8, 32>(x * 16 + 1, y * 8) - 85).convert();
    let mid = block.select::<8, 1, 16, 1>(0, 4);
    let peak =
        (mid > block.select::<8, 1, 16, 1>(0, 3)) & (mid >= block.select::<8, 1, 16, 1>(0, 5)) | (x >= mid);
    let mut out = Matrix::<u8, 8, 16>::splat(3);
    out.merge(mid, peak);
    out.merge(out + 1, (m.select::<8, 1, 16, 1>(0, 2) < -20) ^ (mid == 7));
    let mut words: Matrix<i16, 8, 16> = (m.select::<8, 1, 16, 1>(0, x % 9) * 2).convert();
    words.merge(-1, &(words - m.select::<8, 1, 16, 1>(0, 1) > y));
    words.merge_else(words, 5, (words != -1) & (300 > mid) & (block.select::<8, 1, 16, 1>(0, 9) <= 200));
    let mut bits = Matrix::<u16, 8, 16>::splat(0);
    for i in 0..5 {
        bits |= (block.select::<8, 1, 16, 1>(0, i * 2) < mid).convert::<u16>() << i;
    }
    let halves: Matrix<f32, 8, 16> = (m.select::<8, 1, 16, 1>(0, 3) * 0.5f32).convert();
    let mut light = halves;
    light.merge(1.5f32, (halves < 0.0f32) | (halves * 3.0f32 >= 90.0f32));
    let low = words.row(2) < m.row(x % 8).select::<16, 1>(0);
    words.row_mut(2).merge(9, low);
    out.row_mut(1).merge(77, low & (bits.row(1) > 3));
    output.write(x * 16, y * 8, &(out + words + bits + light.convert::<i16>()).convert::<u8>());
}

/// Trees with names that are used once, twice in a tree and in loops, whose operands change afterwards, and
/// that another name hides; and trees that are converted by an assignment.
#[kernel]
pub fn named_trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 8, 32>(x * 16, y * 8);
    let m: Matrix<i16, 8, 32> = (input.read::<u8, 8, 32>(x * 16 + 1, y * 8) ^ 85).convert();
    let sum = block.select::<8, 1, 16, 1>(0, 1) * 3 + m.select::<8, 1, 16, 1>(0, 2) * x;
    let mut out: Matrix<i16, 8, 16> = ((sum + 128) >> 2).convert();
    let mean = (block.select::<8, 1, 16, 1>(0, 3) + out) / 2;
    let squared: Matrix<i16, 8, 16> = (mean * mean - mean).convert();
    let before = out + 1;
    out += squared;
    let twice = out.select::<8, 1, 16, 1>(0, 0) * 2 - 1;
    out -= before;
    out += twice;
    let low = m.select::<8, 1, 16, 1>(0, x % 7) & 15;
    for i in 0..3 {
        let factor = if i == 1 { 3 } else { i + 1 };
        let step = low * factor;
        out += step + i;
    }
    let value = out ^ squared;
    let value = (value + 5).saturate::<u8>();
    let mut bytes = Matrix::<u8, 8, 16>::splat(7);
    let across = m.row(2).select::<16, 1>(3) * 2 + block.row(5).select::<16, 1>(y % 8);
    bytes.row_mut(1).assign(across);
    bytes.row_mut(2).assign(bytes.row(1) + 3);
    bytes
        .select_mut::<2, 2, 16, 1>(4, 0)
        .assign(m.select::<2, 1, 16, 1>(1, 4) - low.select::<2, 1, 16, 1>(6, 0));
    let light = block.select::<8, 1, 16, 1>(0, x % 3) * 0.5f32 + 0.25f32;
    let mut halves = Matrix::<i16, 8, 16>::splat(0);
    halves.assign(light * 3.0f32);
    let difference = m.select::<8, 1, 16, 1>(0, 9) - block.select::<8, 1, 16, 1>(0, 3);
    let apart = math::abs::<u8, _>(difference);
    let far = math::max::<i16, _>(m.select::<8, 1, 16, 1>(0, 1) * 2 - out, block.select::<8, 1, 16, 1>(0, 0));
    let near = math::min_sat::<u8, _>(far - 3, 77);
    let root = math::sqrt(light * light + 2.0f32);
    let other = math::abs::<i16, _>(out - squared) - math::abs::<i16, _>(squared - 1);
    let wide: Matrix<i16, 8, 16> = block.select::<8, 1, 16, 1>(0, 2).convert();
    let apart_by_four: Matrix<f32, 8, 4> = block.select::<8, 1, 4, 4>(0, 5).convert();
    let kept: Matrix<i32, 8, 16> = out.convert();
    out += wide * 3;
    for i in 0..2 {
        out += (wide - 300) * i;
    }
    let quarters = (apart_by_four * 0.25f32 + apart_by_four.select::<8, 1, 4, 1>(0, 0)).convert::<i16>();
    out.select_mut::<8, 1, 4, 1>(0, 6).assign(quarters + block.select::<8, 1, 4, 1>(0, 5));
    let bits = value ^ bytes ^ halves ^ apart ^ far ^ near ^ other ^ root.convert::<u8>() ^ (kept - out);
    output.write(x * 16, y * 8, &bits.convert::<u8>());
}

/// Trees that are converted where they are declared: to fewer bits, signed ones, floats and back, and then used once, also in
/// a difference that is limited; and columns of blocks that begin in those of the thread before.
#[kernel]
pub fn converted_names(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 12, 20>(x, y);
    let sums: Matrix<u16, 8, 20> =
        (block.select::<8, 1, 20, 1>(0, 0) + block.select::<8, 1, 20, 1>(4, 0) * 3).convert();
    let near = sums.select::<8, 1, 16, 1>(0, 0) + sums.select::<8, 1, 16, 1>(0, 4);
    let cut: Matrix<u8, 8, 16> = (near * 3 - 700).convert();
    let signed: Matrix<i8, 8, 16> = (block.select::<8, 1, 16, 1>(1, 2) * 2 - 5).convert();
    let mixed = (cut * 5 - signed * 9).convert::<i16>();
    let light: Matrix<f32, 8, 16> = (mixed * 3).convert();
    let halves: Matrix<i16, 8, 16> = (light * 0.5f32 + 0.25f32).convert();
    let shifted: Matrix<u16, 8, 16> = (halves << 5).convert();
    let mut out = ((shifted >> 3) - 20).convert::<u8>();
    let high: Matrix<i16, 8, 16> = (block.select::<8, 1, 16, 1>(2, 1) * 257).convert();
    let low = (block.select::<8, 1, 16, 1>(0, 4) * -129).convert::<i16>();
    out ^= (high - low).saturate::<i8>();
    let words = input.read_block::<u16, 10, 12>(x, y);
    let products: Matrix<u32, 8, 12> =
        (words.select::<8, 1, 12, 1>(0, 0) * 7 + words.select::<8, 1, 12, 1>(2, 0)).convert();
    let both = products.select::<8, 1, 8, 1>(0, 0) + products.select::<8, 1, 8, 1>(0, 4);
    out.select_mut::<8, 1, 8, 1>(0, 8).assign(out.select::<8, 1, 8, 1>(0, 8) ^ (both >> 5));
    output.write(x, y, &out);
}

/// Functions of trees whose numbers 16 bits hold, just hold, and do not hold.
#[kernel]
pub fn functions_of_trees(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let (a, b) = (block.select::<8, 1, 16, 1>(0, 0), block.select::<8, 1, 16, 1>(0, 1));
    let inside = math::abs::<i32, _>(a * 64 - b * 64);
    let highest = math::abs::<i32, _>(a * 128 - b + 127);
    let too_high = math::abs::<i32, _>(a * 128 - b + 128);
    let lowest = math::abs::<i32, _>(b * -128 - a + 127);
    let too_low = math::abs::<i32, _>(b * -128 - a + 126);
    let ones = math::cbit(a * 3u32 - b);
    let short = math::abs_sat::<u8, _>(a - b * 3);
    let out = inside ^ highest * 3 ^ too_high * 5 ^ lowest * 7 ^ too_low * 9 ^ ones * 11 ^ short;
    output.write(x, y, &(out ^ (out >> 8)).convert::<u8>());
}

/// Rows of threads one beside the other, apart, and the same for all. Limited sums that 16 bits hold, just hold, and do not
/// hold.
#[kernel]
pub fn sides(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read_block::<u8, 6, 36>(x, y);
    let apart = input.read_block::<u8, 4, 32>(x * 2, y);
    let same = input.read_block::<u8, 4, 32>(7, y);
    let weights: Matrix<i16, 4, 32> = (apart ^ 85).convert();
    let (a, b) = (block.select::<4, 1, 32, 1>(0, 0), block.select::<4, 1, 32, 1>(1, 3));
    let held = (a * 128 - b + 127).saturate::<u8>();
    let not_held = (a * 128 - b + 128).saturate::<i16>();
    let low_held = (b * -128 - a + 127).saturate::<i8>();
    let low_not_held = (b * -128 - a + 126).saturate::<i16>();
    let beside = (block.select::<4, 1, 32, 1>(2, 1) + apart * 2 - same).saturate::<u8>();
    let all_beside =
        (block.select::<4, 1, 32, 1>(0, 1) - block.select::<4, 1, 32, 1>(1, 2) * 3).saturate::<i8>();
    let mixed =
        (block.select::<4, 1, 32, 1>(2, 4) * weights + block.select::<4, 1, 32, 1>(0, 2)).convert::<u16>();
    let floats =
        (block.select::<4, 1, 32, 1>(1, 1) * 0.5f32 + block.select::<4, 1, 32, 1>(0, 3)).saturate::<u8>();
    let numbers =
        (block.select::<4, 1, 32, 1>(1, 4) + x - block.select::<4, 1, 32, 1>(2, 0)).convert::<u16>();
    let words =
        not_held ^ low_not_held ^ (not_held >> 8) ^ (low_not_held >> 8) ^ mixed ^ (mixed >> 8) ^ numbers;
    let bytes = held ^ low_held ^ beside ^ all_beside ^ floats;
    output.write(x, y, &(words ^ bytes).convert::<u8>());
}

/// Loops that change one register, which are computed in strips of one row.
#[kernel]
pub fn loops(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 8, 40>(x, y);
    let m: Matrix<u8, 8, 40> = (input.read_block::<u8, 8, 40>(x + 3, y) ^ 85).convert();
    let mut a: Matrix<f32, 6, 32> = m.select::<6, 1, 32, 1>(1, 2).convert();
    for i in 0..3 {
        for j in 0..3 {
            a += block.select::<6, 1, 32, 1>(i, j) * 0.5f32;
            a *= m.select::<6, 1, 32, 1>(i, 2 * j) & 3;
        }
    }
    let mut b: Matrix<i32, 7, 20> = m.select::<7, 1, 20, 1>(0, 1).convert();
    for i in 0..2 {
        b -= block.select::<7, 1, 20, 1>(i, 4) * 3;
        b ^= m.select::<7, 1, 20, 1>(i, 7);
    }
    let bits = a.select::<4, 1, 16, 1>(0, 3).convert::<i32>() ^ b.select::<4, 1, 16, 1>(3, 4);
    output.write(x, y, &(bits ^ (bits >> 8)).convert::<u8>());
}

/// The same in strips of several rows, and of parts of a row.
#[kernel]
pub fn long_loops(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    let block = input.read_block::<u8, 8, 40>(x, y);
    let m: Matrix<u8, 8, 40> = (input.read_block::<u8, 8, 40>(x + 3, y) ^ 85).convert();
    let mut c: Matrix<u64, 6, 8> = m.select::<6, 1, 8, 1>(2, 9).convert();
    for k in 1..4u64 {
        c *= m.select::<6, 1, 8, 1>(0, 3) + k;
        c += block.select::<6, 1, 8, 1>(1, 5);
    }
    let mut d: Matrix<i32, 8, 16> = m.select::<8, 1, 16, 1>(0, 20).convert();
    for k in 1..4 {
        d *= m.select::<8, 1, 16, 1>(0, 5) + k;
        d += block.select::<8, 1, 16, 1>(0, 6);
    }
    let rows: Matrix<i32, 4, 40> = m.select::<4, 1, 40, 1>(2, 0).convert();
    let line = rows.format::<i32>();
    let mut e = line;
    for k in 0..3i32 {
        e -= line * k;
        e |= line;
    }
    let mut bits: Matrix<i32, 4, 16> =
        (e.format::<i32, 4, 40>().select::<4, 1, 16, 1>(0, 20) ^ d.select::<4, 1, 16, 1>(3, 0)).convert();
    bits.select_mut::<4, 1, 8, 1>(0, 2)
        .assign(bits.select::<4, 1, 8, 1>(0, 2) ^ c.select::<4, 1, 8, 1>(2, 0));
    output.write(x, y, &(bits ^ (bits >> 8)).convert::<u8>());
}

/// Factors of `several`.
const FACTORS: [[i16; 3]; 2] = [[4, -22, 58], [88, 3, -7]];

/// Several statements that change one register, without and with a loop, and one alone; factors from an array of the host.
#[kernel]
pub fn several(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read_block::<u8, 9, 32>(x, y);
    let mut a = Matrix::<i32, 8, 16>::splat(128);
    a += block.select::<8, 1, 16, 1>(0, 0) * 4;
    a ^= block.select::<8, 1, 16, 1>(0, 1);
    a -= block.select::<8, 1, 16, 1>(0, 2) * FACTORS[1][0];
    let mut b = Matrix::<i32, 8, 16>::splat(-5);
    for i in 0..2 {
        for j in 0..3 {
            b += block.select::<8, 1, 16, 1>(i, j) * FACTORS[i][j];
            b *= FACTORS[1 - i][j] as i32;
        }
    }
    let mut c: Matrix<i32, 8, 16> = block.select::<8, 1, 16, 1>(0, 3).convert();
    for factors in FACTORS {
        let factor = factors[0];
        c -= block.select::<8, 1, 16, 1>(1, 5) * factor;
    }
    let bits = a ^ b ^ c;
    output.write(x, y, &(bits ^ (bits >> 8)).convert::<u8>());
}

/// Sums that are shifted to the right and divided: those that 16 bits hold, just hold, and do not hold, with signs and without.
#[kernel]
pub fn shifted(input: &Surface2D, output: &mut Surface2D, step: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let (a, b) = (block.select::<8, 1, 16, 1>(0, 0), block.select::<8, 1, 16, 1>(0, 1));
    let mut bits: Matrix<i32, 8, 16> = ((a * 128 + b * 128 + 255) >> 8).convert();
    bits ^= ((a * 128 + b * 128 + 256) >> 8) * 3;
    bits ^= ((a * 64 - b * 128 - 128) >> 5) * 5;
    bits ^= ((a * 64 - b * 128 - 129) >> 5) * 7;
    bits ^= ((a * 256 - b) >> 3) * 9;
    let unsigned: Matrix<u32, 8, 16> = ((a * 3u32 - b) >> 9).convert();
    bits ^= unsigned * 11;
    let ninths: Matrix<i32, 8, 16> = ((a * 257) / 9).convert();
    bits ^= ninths * 13;
    let sevenths: Matrix<i32, 8, 16> = ((a - b * 128) / 7).convert();
    bits ^= sevenths * 15;
    let by_number: Matrix<i32, 8, 16> = ((a * step - b) >> 4).convert();
    bits ^= by_number * 17;
    bits ^= ((a * 255 + b + 127) >> 8).saturate::<u8>();
    let turned: Matrix<i32, 8, 16> = ((a * 128 + b) >> 33).convert();
    bits ^= turned * 19;
    output.write(x, y, &(bits ^ (bits >> 8) ^ (bits >> 16)).convert::<u8>());
}

/// Shifts to the left by numbers that differ between threads, are the same, and are constant, up to the number of bits and
/// beyond; most of the results are cut to 8 or 16 bits.
#[kernel]
pub fn shifted_left(input: &Surface2D, output: &mut Surface2D, step: i32) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let block = input.read::<u8, 8, 32>(x, y);
    let (a, b) = (block.select::<8, 1, 16, 1>(0, 0), block.select::<8, 1, 16, 1>(0, 1));
    let own = thread_origin_x().convert::<i32>() * 3 - 5;
    let mut words = Matrix::<u16, 8, 16>::splat(1);
    let mut bytes = Matrix::<u8, 8, 16>::splat(3);
    let mut bit = 0;
    for _i in 0..4 {
        for _j in 0..3 {
            words ^= ((a * 3 - b) << bit) - (b << own) * 5;
            bytes ^= (((a < b) << bit) + (a ^ 7)) & ((b | a) << step);
            bit += 3;
        }
    }
    let bits: Matrix<u8, 8, 16> = ((a < b) | ((a == b) << 1) ^ ((b >= 9) << 7) & (a << 2)).convert();
    let long: Matrix<i32, 8, 16> = (((a - b) << bit) + ((a * 5) << own)).convert();
    let all = long ^ (long >> 8) ^ (long >> 16) ^ (long >> 24) ^ words ^ (words >> 8) ^ bytes ^ bits;
    output.write(x, y, &all.convert::<u8>());
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
