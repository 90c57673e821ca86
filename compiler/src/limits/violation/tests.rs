//! The texts of violations.

use super::*;

#[test]
fn messages_name_the_numbers_of_the_limits() {
    for (violation, message) in [
        (
            Violation::MediaBlock { rows: 8, width: 64 },
            "a media block of 8 rows of 64 bytes: a row counts as 64 bytes, and a block has at most 256 bytes, which \
             are 4 such rows; `read_block` and `write_block` take larger blocks",
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
             write it in pieces, or use `write_linear`",
        ),
        (
            Violation::OwordWrite { bytes: 8 },
            "an oword block write of 8 bytes: blocks that are written have 16, 32, 64 or 128 bytes; \
             use `store` or `write_scattered`",
        ),
        (
            Violation::OwordRead { bytes: 8 },
            "an oword block read of 8 bytes: blocks that are read have 16 to 128 bytes; read more elements and \
             select the first, or use `load` or `read_scattered`",
        ),
        (
            Violation::OwordRead { bytes: 144 },
            "an oword block read of 144 bytes: blocks that are read have 16 to 128 bytes; read it in pieces, or use \
             `read_linear`",
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
            Violation::Row { offset: 9, rows: 8 },
            "there is no row 9 in a matrix of 8 rows: the row may be 0 to 7",
        ),
        (
            Violation::MediaWriteColumn,
            "a media block write to a byte column that is not a multiple of 4: the hardware writes whole dwords; begin the \
             block at a multiple of 4",
        ),
        (
            Violation::NamedBarrier { number: 2, count: 2 },
            "there is no named barrier 2 in a kernel with 2: take a number below 2",
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
