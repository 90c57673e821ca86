//! Violations of limits.

#[cfg(test)]
mod tests;
mod words;

use thiserror::Error;
use words::{alternatives, array_elements, form_2d, limit_2d, media_limit, powers, region};

use super::block_form::BlockForm;
use super::numbers::{
    BARRIERS, BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH, DPAS_LANES, DPAS_ROWS, DWORD, DWORD_BLOCK, GROUP_THREADS,
    MEDIA_IO_WIDTH, OFFSET, OWORD, OWORD_BLOCK, PICTURE_PITCH, PICTURE_SIDE, PICTURE_WIDTH, QWORD,
    QWORD_BLOCK, REGISTER_FILES, SCATTERED_LANES, SHARED_BYTES, SIMD_LANES, SUB_GROUPS, TRANSPOSED_SIDE,
    VALUE_BYTES, VECTOR_SIZES, media_io_rows,
};

/// A rule of the language that a kernel breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// A `select` whose rows are not all in the matrix.
    #[error(
        "`select` of {size} rows, {stride} apart, from row {offset} does not lie inside a matrix of {rows} rows: \
         the first row may be 0 to {last}", last = region(*rows, *size, *stride)
    )]
    Rows {
        /// The first selected row.
        offset: i128,
        /// Selected rows.
        size: usize,
        /// Rows from one to the next.
        stride: usize,
        /// Rows of the matrix.
        rows: usize,
    },
    /// A `select` whose columns are not all in the matrix.
    #[error(
        "`select` of {size} columns, {stride} apart, from column {offset} does not lie inside a matrix of {columns} \
         columns: the first column may be 0 to {last}", last = region(*columns, *size, *stride)
    )]
    Columns {
        /// The first selected column.
        offset: i128,
        /// Selected columns.
        size: usize,
        /// Columns from one to the next.
        stride: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A `select` whose elements are not all in the vector.
    #[error(
        "`select` of {size} elements, {stride} apart, from element {offset} does not lie inside a vector of \
         {elements}: the first element may be 0 to {last}", last = region(*elements, *size, *stride)
    )]
    Elements {
        /// The first selected element.
        offset: i128,
        /// Selected elements.
        size: usize,
        /// Elements from one to the next.
        stride: usize,
        /// Elements of the vector.
        elements: usize,
    },
    /// A row that the matrix does not have.
    #[error("there is no row {offset} in a matrix of {rows} rows: the row may be 0 to {last}", last = rows.saturating_sub(1))]
    Row {
        /// The row.
        offset: i128,
        /// Rows of the matrix.
        rows: usize,
    },
    /// A column that the matrix does not have.
    #[error("there is no column {offset} in a matrix of {columns} columns: the column may be 0 to {last}", last = columns.saturating_sub(1))]
    Column {
        /// The column.
        offset: i128,
        /// Columns of the matrix.
        columns: usize,
    },
    /// An element that the object does not have.
    #[error("there is no element {offset} in an object of {elements} elements: the element may be 0 to {last}", last = elements.saturating_sub(1))]
    Element {
        /// The element.
        offset: i128,
        /// Elements of the object.
        elements: usize,
    },
    /// A region or an object without elements.
    #[error("a region of size zero: sizes are at least 1")]
    ZeroSize,
    /// A `select` with a stride of 0, or with a stride other than 1 for a size of 1.
    #[error(
        "`select` of size {size} with stride {stride}: strides are at least 1, and 1 where the size is 1"
    )]
    Stride {
        /// Selected rows, columns or elements.
        size: usize,
        /// From one to the next.
        stride: usize,
    },
    /// A `replicate` that reads behind the last element.
    #[error(
        "`replicate` from element {offset} reads element {last} of an object of {elements}: take fewer repetitions, a \
         shorter row or smaller strides", last = offset.saturating_add(*reach as i128)
    )]
    Replicate {
        /// The first element that is read.
        offset: i128,
        /// Elements from the first to the last one that is read.
        reach: usize,
        /// Elements of the object.
        elements: usize,
    },
    /// A `format` with another number of bytes.
    #[error("`format` of {bytes} bytes as {wanted} bytes: the sizes must be equal")]
    Format {
        /// Bytes of the object.
        bytes: usize,
        /// Bytes of the result.
        wanted: usize,
    },
    /// An operation on groups of neighbours that do not divide the elements.
    #[error(
        "groups of {width} elements in an object of {elements}: the number of elements must be a multiple of \
         {width}"
    )]
    Groups {
        /// Elements of the object.
        elements: usize,
        /// Elements of a group.
        width: usize,
    },
    /// A `dpas` with a number of rows or of sums in a row that no matrix engine has.
    #[error(
        "`dpas` of {rows} rows of {lanes} sums: it makes 1 to {DPAS_ROWS} rows of {few} sums (Xe-HPG) or {many} (from \
         Xe-HPC on)", few = DPAS_LANES[0], many = DPAS_LANES[1]
    )]
    Dpas {
        /// Rows of the result.
        rows: usize,
        /// Sums in a row.
        lanes: usize,
    },
    /// A media block that no message carries.
    #[error(
        "a media block of {rows} rows of {width} bytes: {}; `read_block` and `write_block` take larger blocks",
        media_limit(*width)
    )]
    MediaBlock {
        /// Rows.
        rows: usize,
        /// Bytes of a row.
        width: usize,
    },
    /// A written media block whose rows are not whole dwords.
    #[error("a media block write of rows of {width} bytes: the row width is a multiple of {DWORD}")]
    MediaWriteWidth {
        /// Bytes of a row.
        width: usize,
    },
    /// A media block that is written at a column that is not a whole dword.
    #[error(
        "a media block write to a byte column that is not a multiple of {DWORD}: the hardware writes whole dwords; begin \
         the block at a multiple of {DWORD}"
    )]
    MediaWriteColumn,
    /// A plane of a plane, or a field of a field.
    #[error(
        "a plane of another plane, or a field of a field: call `plane` on the surface, and `top_field` or `bottom_field` on \
         the surface or its plane"
    )]
    PartOfPart,
    /// A transposing read of a size or of elements that no message has.
    #[error(
        "a transposing read of {rows} rows of {columns} elements of {bytes} bytes: it takes {} rows and columns of \
         elements of {DWORD} bytes",
        powers(1, TRANSPOSED_SIDE)
    )]
    Transposed {
        /// Rows that are read.
        rows: usize,
        /// Elements of a row.
        columns: usize,
        /// Bytes of an element.
        bytes: usize,
    },
    /// A sub-group of an unsupported size.
    #[error("a sub-group of {size} work items: it has {}", powers(SUB_GROUPS.0, SUB_GROUPS.1))]
    SubGroup {
        /// Work items.
        size: usize,
    },
    /// SIMD control flow over an unsupported number of lanes.
    #[error("SIMD control flow over {lanes} lanes: it has {}", powers(SIMD_LANES.0, SIMD_LANES.1))]
    SimdLanes {
        /// Lanes.
        lanes: usize,
    },
    /// A region that is not in the table of `cl_intel_media_block_io`.
    #[error(
        "a media block region of {rows} rows of {width} bytes: the width is {DWORD} to {MEDIA_IO_WIDTH} \
         bytes in steps of {DWORD}, and there are at most {} rows of 4 bytes, {} of 8, {} of 12 or 16, {} of \
         20 to {MEDIA_IO_WIDTH}",
        media_io_rows(4),
        media_io_rows(8),
        media_io_rows(16),
        media_io_rows(MEDIA_IO_WIDTH)
    )]
    MediaBlockIo {
        /// Rows.
        rows: usize,
        /// Bytes of a row.
        width: usize,
    },
    /// A region of `cl_intel_media_block_io` at a known column that is not a whole dword.
    #[error("a media block region at byte column {column}: the column is a multiple of {DWORD}")]
    MediaBlockIoColumn {
        /// The byte column.
        column: i128,
    },
    /// A region of `cl_intel_media_block_io` at columns, computed from coordinates, that are not all whole dwords.
    #[error(
        "a media block region at byte columns that are not multiples of {DWORD}: x counts bytes, not texels"
    )]
    MediaBlockIoColumns,
    /// An oword block with a number of bytes that no message reads.
    #[error(
        "an oword block read of {bytes} bytes: blocks that are read have {OWORD} to {OWORD_BLOCK} bytes; {}",
        if *bytes < OWORD {
            "read more elements and select the first, or use `load` or `read_scattered`"
        } else {
            "read it in pieces, or use `read_linear`"
        }
    )]
    OwordRead {
        /// Bytes.
        bytes: usize,
    },
    /// An oword block with a number of bytes that no message writes.
    #[error(
        "an oword block write of {bytes} bytes: blocks that are written have {} bytes; {}",
        powers(OWORD, OWORD_BLOCK),
        if *bytes < OWORD {
            "use `store` or `write_scattered`"
        } else {
            "write it in pieces, or use `write_linear`"
        }
    )]
    OwordWrite {
        /// Bytes.
        bytes: usize,
    },
    /// A linear block that is not whole owords.
    #[error(
        "a linear block of {bytes} bytes: it has a multiple of {OWORD} bytes; read more elements, or write them with \
         `write_scattered`"
    )]
    WholeOwords {
        /// Bytes.
        bytes: usize,
    },
    /// A block of a buffer at a byte that is misaligned or out of range.
    #[error("a block at byte {offset} of a buffer: the offset is a multiple of {alignment}, 0 to {OFFSET}")]
    BlockOffset {
        /// The byte offset.
        offset: i128,
        /// Bytes that the offset is a multiple of.
        alignment: usize,
    },
    /// A block of a buffer at computed bytes that are not all aligned.
    #[error(
        "a block of a buffer at byte offsets that are not multiples of {alignment}, which the hardware would \
         round down: offsets count bytes, not elements{}",
        if *alignment == OWORD { "; `read_dwaligned`, `load` and `store` take multiples of 4" } else { "" }
    )]
    BlockAlignment {
        /// Bytes that the offset is a multiple of.
        alignment: usize,
    },
    /// An element number outside the range of buffers.
    #[error("an offset of {offset} elements into a buffer: it is 0 to {OFFSET}")]
    BufferElement {
        /// The element number.
        offset: i128,
    },
    /// A `load`, `store` or `prefetch` of a number of bytes that no message moves.
    #[error(
        "a block of {bytes} bytes: loads, stores and prefetches have {}, or {QWORD_BLOCK} if the elements have {QWORD} \
         bytes; move it in pieces",
        powers(DWORD, DWORD_BLOCK)
    )]
    DwordBlock {
        /// Bytes.
        bytes: usize,
    },
    /// A 2-D block that no message loads.
    #[error(
        "a 2-D block of {rows} rows of {columns} elements of {bytes} bytes{}: {}",
        form_2d(*form),
        limit_2d(*form)
    )]
    Load2d {
        /// The form of the block.
        form: BlockForm,
        /// Bytes of an element.
        bytes: usize,
        /// Rows of a block.
        rows: usize,
        /// Elements of a row.
        columns: usize,
    },
    /// A 2-D block that no message stores.
    #[error(
        "a 2-D block store of {rows} rows of {columns} elements of {bytes} bytes: it has 1 to {BLOCK_2D_STORED_ROWS} \
         rows of {DWORD} to {BLOCK_2D_WIDTH} bytes, a multiple of {DWORD}; store it in pieces"
    )]
    Store2d {
        /// Bytes of an element.
        bytes: usize,
        /// Rows.
        rows: usize,
        /// Elements of a row.
        columns: usize,
    },
    /// A 2-D block at a column that is not a whole dword.
    #[error(
        "a 2-D block at columns that are not whole dwords, which the hardware cannot start at: of elements of {bytes} \
         bytes the column is a multiple of {}",
        DWORD / bytes
    )]
    Column2d {
        /// Bytes of an element.
        bytes: usize,
    },
    /// 2-D blocks of a buffer whose rows are too short, too long or not whole elements and dwords.
    #[error(
        "2-D blocks of rows of {width} bytes: rows have {PICTURE_WIDTH} to {PICTURE_SIDE} bytes, a multiple of {multiple}"
    )]
    PictureWidth {
        /// Bytes of a row.
        width: i64,
        /// The number of bytes that it must be a multiple of.
        multiple: i64,
    },
    /// 2-D blocks of a buffer with an unsupported row pitch.
    #[error(
        "2-D blocks of rows {pitch} bytes apart: the pitch is a multiple of {PICTURE_PITCH}, at least the {width} bytes \
         of a row and at most {PICTURE_SIDE}"
    )]
    PicturePitch {
        /// Bytes from one row to the next.
        pitch: i64,
        /// Bytes of a row.
        width: i64,
    },
    /// 2-D blocks of a buffer with an unsupported number of rows.
    #[error("2-D blocks of {height} rows: there are 1 to {PICTURE_SIDE}")]
    PictureHeight {
        /// Rows.
        height: i64,
    },
    /// 2-D blocks of rows that do not all lie inside the buffer.
    #[error(
        "2-D blocks of {height} rows of {width} bytes, {pitch} bytes apart, which end at byte {end} of a buffer of {bytes} \
         bytes: make the buffer larger, or the rows fewer"
    )]
    PictureEnd {
        /// Bytes of a row.
        width: i64,
        /// Rows.
        height: i64,
        /// Bytes from one row to the next.
        pitch: i64,
        /// The byte behind the last row.
        end: i64,
        /// Bytes of the buffer.
        bytes: usize,
    },
    /// 2-D blocks of rows whose sizes are not known at the launch.
    #[error(
        "2-D blocks of a width, height or pitch that is not known when the kernel is launched: pass them as arguments of \
         the kernel, or as numbers of the host"
    )]
    PictureUnknown,
    /// A byte offset outside the range of buffers.
    #[error("an offset of {offset} bytes into a buffer: it is 0 to {OFFSET}")]
    BufferByte {
        /// The byte offset.
        offset: i128,
    },
    /// A scattered access with an unsupported number of lanes.
    #[error(
        "a scattered message of {lanes} elements: it takes {}; take them in groups",
        powers(1, SCATTERED_LANES)
    )]
    Lanes {
        /// Lanes.
        lanes: usize,
    },
    /// Scattered vectors of an unsupported length.
    #[error(
        "vectors of {elements} elements: scattered messages take vectors of {}; read or write them in parts",
        alternatives(&VECTOR_SIZES)
    )]
    Vectors {
        /// Elements of a vector.
        elements: usize,
    },
    /// A typed access with a register that does not have one row for each channel.
    #[error(
        "a register of {rows} rows in a typed access of {channels} channels: it has a row for each channel"
    )]
    Channels {
        /// Channels of the mask.
        channels: usize,
        /// Rows of the register.
        rows: usize,
    },
    /// A typed access of a plane or a field.
    #[error(
        "a typed access of a plane or a field: typed accesses take whole surfaces; pass the plane as a surface of its \
         own, and compute the rows of a field"
    )]
    TypedPart,
    /// Typed accesses and media blocks of the same surface.
    #[error(
        "typed accesses and media blocks of one surface: GPUs bind a surface for one of them; use one of them only, or \
         two kernels"
    )]
    TypedAndBlocks,
    /// A register object that is as large as the register file, or larger.
    #[error(
        "an object of {bytes} bytes does not fit the register file: objects are smaller than {file} \
         bytes"
    )]
    Object {
        /// Bytes.
        bytes: usize,
        /// Bytes of the register file.
        file: usize,
    },
    /// A size that no register file has.
    #[error(
        "a register file of {bytes} bytes: those of GPUs have {}, {} or {} bytes",
        REGISTER_FILES[0], REGISTER_FILES[1], REGISTER_FILES[2]
    )]
    RegisterFile {
        /// Bytes.
        bytes: usize,
    },
    /// A result of an operator that is too large.
    #[error(
        "a value of {bytes} bytes: the result of an operator has at most {VALUE_BYTES} bytes; compute fewer rows at a \
         time, or convert to narrower elements first"
    )]
    Value {
        /// Bytes.
        bytes: usize,
    },
    /// A host variable that changes under a staged condition or in a staged loop.
    #[error(
        "a host variable is changed under a staged condition or loop, which is known only when the kernel runs: give it a \
         staged type, e.g. `let mut n: u32`, or use a `Plane` or an `enum` inside of each arm"
    )]
    HostStore,
    /// A swap of variables of the kernel by reference.
    #[error(
        "variables of a kernel cannot be exchanged by reference, under a staged condition both would be: assign through \
         a third one, `let old = a; a = b; b = old;`"
    )]
    Exchange,
    /// An element that the array does not have.
    #[error("element {index} of an array of {count} elements: {}", array_elements(*count))]
    ArrayElement {
        /// The element.
        index: i128,
        /// Elements of the array.
        count: usize,
    },
    /// A copy of a variable whose value has changed since.
    #[error(
        "a copy of a variable that was stored since, or that an earlier iteration of the loop stored: the copy was made where \
         `#[kernel]` cannot see it, in a generic function, in a closure, or through a reference or a pattern; bind the value \
         with `let x = a;` in the kernel, or make the function a `#[function]`"
    )]
    StaleCopy,
    /// A dimension other than 0, 1 and 2.
    #[error("dimension {dimension} of a group of threads: the dimensions are 0, 1 and 2")]
    Dimension {
        /// The dimension.
        dimension: usize,
    },
    /// More shared local memory than a group has.
    #[error(
        "{bytes} bytes of shared local memory: a group of threads has {SHARED_BYTES}, and every array begins at \
         a multiple of {OWORD}; make the arrays smaller"
    )]
    SharedMemory {
        /// Bytes of all arrays.
        bytes: usize,
    },
    /// A barrier that not all threads of a group reach.
    #[error(
        "a barrier that not all threads of a group come to: a condition, a loop or a `return` before it depends \
         on the thread; put the barrier where all threads come"
    )]
    DivergentBarrier,
    /// An unsupported number of named barriers.
    #[error(
        "{count} named barriers: a kernel has 1 to {BARRIERS}, or {} if it also calls `barrier()`; use one barrier \
         several times, its uses follow each other", BARRIERS - 1
    )]
    NamedBarriers {
        /// Barriers.
        count: usize,
    },
    /// A named barrier that the kernel does not have.
    #[error("there is no named barrier {number} in a kernel with {count}: take a number below {count}")]
    NamedBarrier {
        /// The number of the barrier.
        number: i128,
        /// Barriers of the kernel.
        count: usize,
    },
    /// More producers or consumers of a named barrier than a group has threads.
    #[error(
        "{threads} producers or consumers of a named barrier: a group has at most {GROUP_THREADS} threads, so take 0 \
         to {GROUP_THREADS}"
    )]
    BarrierThreads {
        /// Producers or consumers.
        threads: i128,
    },
    /// A second call of `named_barriers`.
    #[error(
        "`named_barriers` is called twice: one call creates all named barriers of a kernel; pass them to functions by \
         reference"
    )]
    NamedBarriersTwice,
    /// A `format` of an array of shared local memory that does not have whole elements of the new type.
    #[error(
        "`format` of an array of {bytes} bytes of shared local memory as elements of {elem} bytes: the array must have \
         whole elements; make it longer"
    )]
    SharedView {
        /// Bytes of the array.
        bytes: usize,
        /// Bytes of a new element.
        elem: usize,
    },
    /// An array of shared local memory without elements.
    #[error("an array of shared local memory without elements: it has at least 1")]
    SharedElements,
    /// An array of shared local memory that is made under a staged condition or in a staged loop.
    #[error(
        "shared local memory under a staged condition or in a staged loop: `slm` makes an array for the whole \
         kernel; call it before"
    )]
    SharedUnderCondition,
    /// A host number that does not fit in the type of the other numbers.
    #[error(
        "the number {number} where the type has {least} to {most}: write one of these, or convert the other numbers to a \
         wider type"
    )]
    Integer {
        /// The number.
        number: i128,
        /// The least number of the type.
        least: i64,
        /// The largest number of the type.
        most: u64,
    },
    /// A host number of a register or an operator that does not fit in an `i32`.
    #[error(
        "the host number {number}, which is an `i32` for registers and operators and does not fit: name its type, \
         `n as u32`, `n as i64` or `n as f32`"
    )]
    HostNumber {
        /// The number.
        number: i128,
    },
    /// A pattern of a `match` that no number matches.
    #[error(
        "the pattern {number} of a `match` on numbers from {least} to {most}: no number matches it; leave it out"
    )]
    Pattern {
        /// The number.
        number: i128,
        /// The least number of the type.
        least: i64,
        /// The largest number of the type.
        most: u64,
    },
    /// A step of a loop that is not positive.
    #[error(
        "`step_by({step})`: a step is positive, because the loop would not end; swap the ends, or count down in a `while`"
    )]
    Step {
        /// The step.
        step: i128,
    },
    /// A coordinate of a surface that is not a signed 32-bit number.
    #[error(
        "coordinate {coordinate} is not a signed 32-bit number: take one from {} to {}",
        i32::MIN,
        i32::MAX
    )]
    Coordinate {
        /// The coordinate.
        coordinate: i128,
    },
    /// A kernel with too many operations to record.
    #[error(
        "recording the kernel takes more than {limit} operations: a host loop unrolls; make its bound a \
         staged number, such as an argument, so that it stays a loop"
    )]
    TooManyOperations {
        /// The most operations.
        limit: usize,
    },
    /// A function that calls itself without an end.
    #[error(
        "recording the kernel does not end: a function calls itself; a staged condition cannot stop it, a \
         host one can"
    )]
    Recursion,
}
