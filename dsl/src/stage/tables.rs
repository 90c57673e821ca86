//! Constant arrays, whose elements host numbers choose.

use cm_compiler::limits;
use cm_macros::op;

use crate::backend::Backend;
use crate::elem::HostInteger;

/// A constant array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a constant array",
    label = "not an array",
    note = "in kernels a name in capitals with an index is a constant array or slice: a type of your own \
            needs a method instead"
)]
pub trait Table {
    /// The number of elements.
    fn count(table: &Self) -> usize;
}

impl<V> Table for [V] {
    fn count(table: &Self) -> usize {
        table.len()
    }
}

impl<V, const N: usize> Table for [V; N] {
    fn count(_: &Self) -> usize {
        N
    }
}

impl<A: Table + ?Sized> Table for &A {
    fn count(table: &Self) -> usize {
        A::count(table)
    }
}

/// The index of an element of a constant array.
#[diagnostic::on_unimplemented(
    message = "a constant array is indexed by a host number, not by `{Self}`",
    label = "not a host number",
    note = "host numbers are literals, constants and the numbers of loops over host ranges",
    note = "a register has elements that are chosen while the kernel runs: `Vector::from_array(TABLE).get(i)`, or \
            `.iselect(indices)` for several"
)]
pub trait TableIndex {
    /// The number.
    fn number(index: Self) -> i128;
}

#[diagnostic::do_not_recommend]
impl<T: HostInteger> TableIndex for T {
    fn number(index: T) -> i128 {
        index.to_i128()
    }
}

/// The index `i` of an element of `table`, if there is one.
#[op]
pub fn of_table<B: Backend, A: Table + ?Sized, I: TableIndex>(table: &A, i: I) -> usize {
    match limits::array_element(I::number(i), A::count(table)) {
        Ok(index) => index,
        Err(broken) => {
            B::violation(broken);
            // The recording ends with the error, immediately if there is no element.
            0
        }
    }
}
