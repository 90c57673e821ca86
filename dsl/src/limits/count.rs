//! Numbers as types: `Len<N>` is a length, `U<N>` the same number as a typenum type. Also shapes.

use typenum::{B0, B1, UInt, UTerm};

/// A length as a type: the lengths that a register object can have, 0 to 1024, multiples of 8 up to 4096, and multiples of
/// 64 up to 16320.
#[derive(Clone, Copy, Debug)]
pub struct Len<const N: usize>;

/// The rows and columns of a register object, for `where` bounds. A vector of N elements is `Shape<1, N>`.
#[derive(Clone, Copy, Debug)]
pub struct Shape<const R: usize, const C: usize>;

/// The lengths in the table.
#[diagnostic::on_unimplemented(
    message = "this size, stride or offset is a parameter whose bound is missing, or no register object has it",
    label = "not known here, too large, or above 1024 and not a multiple of 8",
    note = "an object is smaller than the 4096 bytes of the register file; for GPUs with larger register files write \
            `#[kernel(register_file = 8192)]`",
    note = "sizes above 1024 elements are multiples of 8",
    note = "a size that is a parameter is not known here: repeat the bound of `Shape` or `Len` that is required \
            below, with the names of `cm::limits`, e.g. `where Shape<1, N>: IntegerMask`"
)]
pub trait Count {
    /// The typenum number.
    type UInt;
}

/// The typenum number of `N`.
pub type U<const N: usize> = <Len<N> as Count>::UInt;

/// From a typenum number back to a length.
#[diagnostic::on_unimplemented(
    message = "the result would have a size that no register object has",
    label = "too large, or above 1024 elements and not a multiple of 8",
    note = "an object is smaller than the 4096 bytes of the register file; sizes above 1024 elements are \
            multiples of 8"
)]
pub trait ToLen {
    /// The `Len` of the number.
    type Len;
}

cm_macros::__counts!();
