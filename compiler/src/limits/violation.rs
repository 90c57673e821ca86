//! Violations of limits.

use thiserror::Error;

use super::block_form::BlockForm;
use super::numbers::{
    BARRIERS, BLOCK_2D_LOADED_ROWS, BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH, DPAS_LANES, DPAS_ROWS, DWORD,
    DWORD_BLOCK, GROUP_THREADS, MEDIA_BYTES, MEDIA_IO_WIDTH, MEDIA_WIDTH, OFFSET, OWORD, OWORD_BLOCK,
    PICTURE_PITCH, PICTURE_SIDE, PICTURE_WIDTH, QWORD, QWORD_BLOCK, REGISTER_FILES, SCATTERED_LANES,
    SHARED_BYTES, SIMD_LANES, SUB_GROUPS, TRANSPOSED_SIDE, VALUE_BYTES, VECTOR_SIZES, media_io_rows,
};
use super::start::last_start;

/// A rule of the language that a kernel breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Violation {
    #[error(
        "`select` of {size} rows, {stride} apart, from row {offset} does not lie inside a matrix of {rows} rows: \
         the first row may be 0 to {last}", last = region(*rows, *size, *stride)
    )]
    Rows { offset: i128, size: usize, stride: usize, rows: usize },
    #[error(
        "`select` of {size} columns, {stride} apart, from column {offset} does not lie inside a matrix of {columns} \
         columns: the first column may be 0 to {last}", last = region(*columns, *size, *stride)
    )]
    Columns { offset: i128, size: usize, stride: usize, columns: usize },
    #[error(
        "`select` of {size} elements, {stride} apart, from element {offset} does not lie inside a vector of \
         {elements}: the first element may be 0 to {last}", last = region(*elements, *size, *stride)
    )]
    Elements { offset: i128, size: usize, stride: usize, elements: usize },
    #[error("row {offset} of a matrix that has rows 0 to {last}", last = rows - 1)]
    Row { offset: i128, rows: usize },
    #[error("column {offset} of a matrix that has columns 0 to {last}", last = columns - 1)]
    Column { offset: i128, columns: usize },
    #[error("element {offset} of an object that has elements 0 to {last}", last = elements - 1)]
    Element { offset: i128, elements: usize },
    #[error("a region of size zero: sizes are at least 1")]
    ZeroSize,
    #[error(
        "`select` of size {size} with stride {stride}: strides are at least 1, and 1 where the size is 1"
    )]
    Stride { size: usize, stride: usize },
    #[error(
        "`replicate` from element {offset} reads element {last} of an object of {elements}: take fewer repetitions, a \
         shorter row or smaller strides", last = offset + *reach as i128
    )]
    Replicate { offset: i128, reach: usize, elements: usize },
    #[error("`format` of {bytes} bytes as {wanted} bytes: the sizes must be equal")]
    Format { bytes: usize, wanted: usize },
    #[error(
        "groups of {width} elements in an object of {elements}: the number of elements must be a multiple of \
         {width}"
    )]
    Groups { elements: usize, width: usize },
    #[error(
        "`dpas` of {rows} rows of {lanes} sums: it makes 1 to {DPAS_ROWS} rows of {few} sums (Xe-HPG) or {many} (from \
         Xe-HPC on)", few = DPAS_LANES[0], many = DPAS_LANES[1]
    )]
    Dpas { rows: usize, lanes: usize },
    #[error(
        "a media block of {rows} rows of {width} bytes: rows take at most {MEDIA_WIDTH} bytes, the row pitch \
         (the next power of two, at least {DWORD}) times the rows at most {MEDIA_BYTES}, and there are at \
         most {most} rows; `read_block` and `write_block` take larger blocks", most = MEDIA_BYTES / DWORD
    )]
    MediaBlock { rows: usize, width: usize },
    #[error("a media block write of rows of {width} bytes: the row width is a multiple of {DWORD}")]
    MediaWriteWidth { width: usize },
    #[error(
        "a media block write to a byte column that is not a multiple of {DWORD}: the hardware writes whole \
         dwords"
    )]
    MediaWriteColumn,
    #[error(
        "a plane of another plane, or a field of a field: a surface has planes, and a plane has two fields"
    )]
    PartOfPart,
    #[error(
        "a transposing read of {rows} rows of {columns} elements of {bytes} bytes: it takes {} rows and columns of \
         elements of {DWORD} bytes",
        powers(1, TRANSPOSED_SIDE)
    )]
    Transposed { rows: usize, columns: usize, bytes: usize },
    #[error("a sub-group of {size} work items: it has {}", powers(SUB_GROUPS.0, SUB_GROUPS.1))]
    SubGroup { size: usize },
    #[error("SIMD control flow over {lanes} lanes: it has {}", powers(SIMD_LANES.0, SIMD_LANES.1))]
    SimdLanes { lanes: usize },
    #[error(
        "a media block region of {rows} rows of {width} bytes: the width is {DWORD} to {MEDIA_IO_WIDTH} \
         bytes in steps of {DWORD}, and there are at most {} rows of 4 bytes, {} of 8, {} of 12 or 16, {} of \
         20 to {MEDIA_IO_WIDTH}",
        media_io_rows(4),
        media_io_rows(8),
        media_io_rows(16),
        media_io_rows(MEDIA_IO_WIDTH)
    )]
    MediaBlockIo { rows: usize, width: usize },
    #[error("a media block region at byte column {column}: the column is a multiple of {DWORD}")]
    MediaBlockIoColumn { column: i128 },
    #[error(
        "a media block region at byte columns that are not multiples of {DWORD}: x counts bytes, not texels"
    )]
    MediaBlockIoColumns,
    #[error(
        "an oword block read of {bytes} bytes: blocks that are read have {OWORD} to {OWORD_BLOCK} bytes; \
         read it in pieces"
    )]
    OwordRead { bytes: usize },
    #[error(
        "an oword block write of {bytes} bytes: blocks that are written have {} bytes; write it in pieces",
        powers(OWORD, OWORD_BLOCK)
    )]
    OwordWrite { bytes: usize },
    #[error(
        "a linear block of {bytes} bytes: it has a multiple of {OWORD} bytes; read more elements, or write them with \
         `write_scattered`"
    )]
    WholeOwords { bytes: usize },
    #[error("a block at byte {offset} of a buffer: the offset is a multiple of {alignment}, 0 to {OFFSET}")]
    BlockOffset { offset: i128, alignment: usize },
    #[error(
        "a block of a buffer at byte offsets that are not multiples of {alignment}, which the hardware would \
         round down: offsets count bytes, not elements"
    )]
    BlockAlignment { alignment: usize },
    #[error("an offset of {offset} elements into a buffer: it is 0 to {OFFSET}")]
    BufferElement { offset: i128 },
    #[error(
        "a block of {bytes} bytes: loads, stores and prefetches have {}, or {QWORD_BLOCK} if the elements have {QWORD} \
         bytes; move it in pieces",
        powers(DWORD, DWORD_BLOCK)
    )]
    DwordBlock { bytes: usize },
    #[error(
        "a 2-D block of {rows} rows of {columns} elements of {bytes} bytes{}: {}",
        form_2d(*form),
        limit_2d(*form)
    )]
    Load2d { form: BlockForm, bytes: usize, rows: usize, columns: usize },
    #[error(
        "a 2-D block store of {rows} rows of {columns} elements of {bytes} bytes: it has 1 to {BLOCK_2D_STORED_ROWS} \
         rows of {DWORD} to {BLOCK_2D_WIDTH} bytes, a multiple of {DWORD}; store it in pieces"
    )]
    Store2d { bytes: usize, rows: usize, columns: usize },
    #[error(
        "a 2-D block at columns that are not whole dwords, which the hardware cannot start at: of elements of {bytes} \
         bytes the column is a multiple of {}",
        DWORD / bytes
    )]
    Column2d { bytes: usize },
    #[error(
        "2-D blocks of rows of {width} bytes: rows have {PICTURE_WIDTH} to {PICTURE_SIDE} bytes, a multiple of {multiple}"
    )]
    PictureWidth { width: i64, multiple: i64 },
    #[error(
        "2-D blocks of rows {pitch} bytes apart: the pitch is a multiple of {PICTURE_PITCH}, at least the {width} bytes \
         of a row and at most {PICTURE_SIDE}"
    )]
    PicturePitch { pitch: i64, width: i64 },
    #[error("2-D blocks of {height} rows: there are 1 to {PICTURE_SIDE}")]
    PictureHeight { height: i64 },
    #[error(
        "2-D blocks of {height} rows of {width} bytes, {pitch} bytes apart, which end at byte {end} of a buffer of {bytes} \
         bytes: make the buffer larger, or the rows fewer"
    )]
    PictureEnd { width: i64, height: i64, pitch: i64, end: i64, bytes: usize },
    #[error(
        "2-D blocks of a width, height or pitch that is not known when the kernel is launched: pass them as arguments of \
         the kernel, or as numbers of the host"
    )]
    PictureUnknown,
    #[error("an offset of {offset} bytes into a buffer: it is 0 to {OFFSET}")]
    BufferByte { offset: i128 },
    #[error(
        "a scattered message of {lanes} elements: it takes {}; take them in groups",
        powers(1, SCATTERED_LANES)
    )]
    Lanes { lanes: usize },
    #[error(
        "vectors of {elements} elements: scattered messages take vectors of {}; read or write them in parts",
        alternatives(&VECTOR_SIZES)
    )]
    Vectors { elements: usize },
    #[error(
        "a register of {rows} rows in a typed access of {channels} channels: it has a row for each channel"
    )]
    Channels { channels: usize, rows: usize },
    #[error(
        "a typed access of a plane or a field: typed accesses take whole surfaces; pass the plane as a surface of its \
         own, and compute the rows of a field"
    )]
    TypedPart,
    #[error(
        "typed accesses and media blocks of one surface: GPUs bind a surface for one of them; use one of them only, or \
         two kernels"
    )]
    TypedAndBlocks,
    #[error(
        "an object of {bytes} bytes does not fit the register file: objects are smaller than {file} \
         bytes"
    )]
    Object { bytes: usize, file: usize },
    #[error(
        "a register file of {bytes} bytes: those of GPUs have {}, {} or {} bytes",
        REGISTER_FILES[0], REGISTER_FILES[1], REGISTER_FILES[2]
    )]
    RegisterFile { bytes: usize },
    #[error(
        "a value of {bytes} bytes: the result of an operator has at most {VALUE_BYTES} bytes; compute fewer rows at a \
         time, or convert to narrower elements first"
    )]
    Value { bytes: usize },
    #[error(
        "a host variable is changed under a staged condition or loop: give it a staged type, e.g. `let mut \
         n: u32`"
    )]
    HostStore,
    #[error(
        "variables of a kernel cannot be exchanged by reference, under a staged condition both would be: assign through \
         a third one, `let old = a; a = b; b = old;`"
    )]
    Exchange,
    #[error("element {index} of an array of {count} elements: {}", array_elements(*count))]
    ArrayElement { index: i128, count: usize },
    #[error(
        "a copy of a variable that was stored since, or that an earlier iteration of the loop stored: the copy was made where \
         `#[kernel]` cannot see it, in a generic function, in a closure, or through a reference or a pattern; bind the value \
         with `let x = a;` in the kernel, or make the function a `#[function]`"
    )]
    StaleCopy,
    #[error("dimension {dimension} of a group of threads: the dimensions are 0, 1 and 2")]
    Dimension { dimension: usize },
    #[error(
        "{bytes} bytes of shared local memory: a group of threads has {SHARED_BYTES}, and every array begins at \
         a multiple of {OWORD}; make the arrays smaller"
    )]
    SharedMemory { bytes: usize },
    #[error(
        "a barrier that not all threads of a group come to: a condition, a loop or a `return` before it depends \
         on the thread; put the barrier where all threads come"
    )]
    DivergentBarrier,
    #[error(
        "{count} named barriers: a kernel has 1 to {BARRIERS}, or {} if it also calls `barrier()`; use one barrier \
         several times, its uses follow each other", BARRIERS - 1
    )]
    NamedBarriers { count: usize },
    #[error("named barrier {number} of a kernel with barriers 0 to {}", count.saturating_sub(1))]
    NamedBarrier { number: i128, count: usize },
    #[error(
        "{threads} producers or consumers of a named barrier: a group has at most {GROUP_THREADS} threads, so take 0 \
         to {GROUP_THREADS}"
    )]
    BarrierThreads { threads: i128 },
    #[error(
        "`named_barriers` is called twice: one call creates all named barriers of a kernel; pass them to functions by \
         reference"
    )]
    NamedBarriersTwice,
    #[error(
        "`format` of an array of {bytes} bytes of shared local memory as elements of {elem} bytes: the array must have \
         whole elements; make it longer"
    )]
    SharedView { bytes: usize, elem: usize },
    #[error("an array of shared local memory without elements: it has at least 1")]
    SharedElements,
    #[error(
        "shared local memory under a staged condition or in a staged loop: `slm` makes an array for the whole \
         kernel; call it before"
    )]
    SharedUnderCondition,
    #[error(
        "the number {number} where the type has {least} to {most}: write one of these, or convert the other numbers to a \
         wider type"
    )]
    Integer { number: i128, least: i64, most: u64 },
    #[error(
        "the host number {number}, which is an `i32` for registers and operators and does not fit: name its type, \
         `n as u32`, `n as i64` or `n as f32`"
    )]
    HostNumber { number: i128 },
    #[error(
        "the pattern {number} of a `match` on numbers from {least} to {most}: no number matches it; leave it out"
    )]
    Pattern { number: i128, least: i64, most: u64 },
    #[error(
        "`step_by({step})`: a step is positive, because the loop would not end; swap the ends, or count down in a `while`"
    )]
    Step { step: i128 },
    #[error("coordinate {coordinate} is not a signed 32-bit number")]
    Coordinate { coordinate: i128 },
    #[error(
        "recording the kernel takes more than {limit} operations: a host loop unrolls; make its bound a \
         kernel value (a scalar argument) so that it stays a loop"
    )]
    TooManyOperations { limit: usize },
    #[error(
        "recording the kernel does not end: a function calls itself; a staged condition cannot stop it, a \
         host one can"
    )]
    Recursion,
}

/// The last legal offset, for the messages; 0 if there is none.
fn region(total: usize, size: usize, stride: usize) -> usize {
    last_start(total, size, stride).unwrap_or(0)
}

/// The form of a 2-D block, for the messages.
fn form_2d(form: BlockForm) -> String {
    let how = match (form.is_transposed(), form.is_packed()) {
        (true, _) => ", transposed",
        (_, true) => ", packed",
        _ => "",
    };
    match form.blocks() {
        1 => how.to_owned(),
        blocks => format!("{how}, of {blocks} blocks"),
    }
}

/// The limit of loaded 2-D blocks, for the messages.
fn limit_2d(form: BlockForm) -> String {
    match (form.is_transposed(), form.is_packed()) {
        (true, _) => format!(
            "a transposed block has 1 to 8 rows of 1 to {BLOCK_2D_LOADED_ROWS} elements of {DWORD} bytes, or 1, 2 or 4 rows \
             of 8 elements of 8 bytes"
        ),
        (_, true) => format!(
            "a packed block has elements of 1 or 2 bytes and, in memory, at most {BLOCK_2D_LOADED_ROWS} rows of {DWORD} \
             bytes to 16 elements, a multiple of {DWORD} bytes; all blocks have rows of at most {BLOCK_2D_WIDTH} bytes"
        ),
        _ => format!(
            "it has 1 to {BLOCK_2D_LOADED_ROWS} rows of {DWORD} to {BLOCK_2D_WIDTH} bytes, a multiple of {DWORD}; all \
             blocks have rows of at most {BLOCK_2D_WIDTH} bytes, and there are 2 at most of elements of 4 bytes, 1 of 8"
        ),
    }
}

/// What is wrong with an index of an array, and the remedy.
fn array_elements(count: usize) -> String {
    match count.checked_sub(1) {
        None => "it has no elements; give it the length that the kernel uses".to_owned(),
        Some(last) => format!(
            "the elements are counted from 0, so the last one is element {last}; an index is a host number that is known \
             when the kernel is recorded"
        ),
    }
}

/// The powers of two from one to another, for the messages.
fn powers(least: usize, most: usize) -> String {
    let all = std::iter::successors(Some(least), |n| Some(n * 2)).take_while(|n| *n <= most);
    alternatives(&all.collect::<Vec<_>>())
}

/// Numbers: `1, 2 or 4`.
fn alternatives(all: &[usize]) -> String {
    let all: Vec<String> = all.iter().map(usize::to_string).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_numbers_of_the_limits() {
        for (violation, message) in [
            (
                Violation::MediaBlock { rows: 8, width: 64 },
                "a media block of 8 rows of 64 bytes: rows take at most 64 bytes, the row pitch (the next \
                 power of two, at least 4) times the rows at most 256, and there are at most 64 rows; \
                 `read_block` and `write_block` take larger blocks",
            ),
            (Violation::SimdLanes { lanes: 3 }, "SIMD control flow over 3 lanes: it has 2, 4, 8, 16 or 32"),
            (
                Violation::Transposed { rows: 3, columns: 8, bytes: 2 },
                "a transposing read of 3 rows of 8 elements of 2 bytes: it takes 1, 2, 4 or 8 rows and columns of \
                 elements of 4 bytes",
            ),
            (Violation::SubGroup { size: 4 }, "a sub-group of 4 work items: it has 8, 16 or 32"),
            (
                Violation::MediaBlockIo { rows: 9, width: 20 },
                "a media block region of 9 rows of 20 bytes: the width is 4 to 32 bytes in steps of 4, and \
                 there are at most 64 rows of 4 bytes, 32 of 8, 16 of 12 or 16, 8 of 20 to 32",
            ),
            (
                Violation::OwordWrite { bytes: 48 },
                "an oword block write of 48 bytes: blocks that are written have 16, 32, 64 or 128 bytes; \
                 write it in pieces",
            ),
            (
                Violation::OwordRead { bytes: 8 },
                "an oword block read of 8 bytes: blocks that are read have 16 to 128 bytes; read it in \
                 pieces",
            ),
            (
                Violation::DwordBlock { bytes: 12 },
                "a block of 12 bytes: loads, stores and prefetches have 4, 8, 16, 32, 64, 128 or 256, or 512 if the \
                 elements have 8 bytes; move it in pieces",
            ),
            (
                Violation::BlockOffset { offset: -4, alignment: 4 },
                "a block at byte -4 of a buffer: the offset is a multiple of 4, 0 to 2147483647",
            ),
            (
                Violation::Lanes { lanes: 3 },
                "a scattered message of 3 elements: it takes 1, 2, 4, 8, 16 or 32; take them in groups",
            ),
            (
                Violation::Vectors { elements: 5 },
                "vectors of 5 elements: scattered messages take vectors of 2, 3, 4 or 8; read or write them in parts",
            ),
            (
                Violation::WholeOwords { bytes: 40 },
                "a linear block of 40 bytes: it has a multiple of 16 bytes; read more elements, or write them with \
                 `write_scattered`",
            ),
            (
                Violation::Object { bytes: 5000, file: 4096 },
                "an object of 5000 bytes does not fit the register file: objects are smaller than 4096 bytes",
            ),
            (
                Violation::RegisterFile { bytes: 5000 },
                "a register file of 5000 bytes: those of GPUs have 4096, 8192 or 16384 bytes",
            ),
            (
                Violation::ArrayElement { index: 0, count: 0 },
                "element 0 of an array of 0 elements: it has no elements; give it the length that the kernel uses",
            ),
            (
                Violation::ArrayElement { index: 4, count: 4 },
                "element 4 of an array of 4 elements: the elements are counted from 0, so the last one is element 3; an \
                 index is a host number that is known when the kernel is recorded",
            ),
            (
                Violation::Value { bytes: 40000 },
                "a value of 40000 bytes: the result of an operator has at most 32768 bytes; compute fewer rows at a \
                 time, or convert to narrower elements first",
            ),
        ] {
            assert_eq!(violation.to_string(), message);
        }
    }
}
