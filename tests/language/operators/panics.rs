//! Illegal operations in plain Rust that show only at run time panic at the line of the user, with the message of
//! the language.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use cm::prelude::*;

thread_local! {
    static WHERE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// The message and the line of the panic of `f`.
fn panic_of<T>(what: &str, f: impl FnOnce() -> T) -> (String, u32) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let at = info.location().map(|at| (at.file().to_owned(), at.line()));
            WHERE.set(at);
            before(info);
        }));
    });
    let payload = panic::catch_unwind(AssertUnwindSafe(|| {
        f();
    }))
    .expect_err(what);
    let (file, line) = WHERE.take().expect("a panic has a location");
    assert!(file.ends_with("panics.rs"), "{what}: the panic is reported in {file}:{line}, not at the call");
    let message = payload.downcast_ref::<String>().cloned();
    (message.unwrap_or_else(|| (*payload.downcast_ref::<&str>().expect("a message")).to_owned()), line)
}

/// Checks the message, and that the line is that of the call.
macro_rules! panics {
    ($($call:expr => $message:literal;)*) => {$(
        let (message, line) = panic_of(stringify!($call), || $call);
        assert_eq!(message, $message, "{}", stringify!($call));
        // An expression in a macro keeps its own line; `line!()` is the line of the macro call.
        assert!(line > FIRST_LINE, "{}: reported at line {line}", stringify!($call));
    )*};
}

/// This precedes all calls that panic.
const FIRST_LINE: u32 = line!();

#[test]
fn host_offsets_outside() {
    let v = Vector::<u8, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let m = Matrix::from_array([[0i16; 5]; 3]);
    // `usize` variables, because the compiler would check literals in code for kernels.
    let at = |n: usize| n;
    panics! {
        v.select::<2, 1>(at(7)) => "`select` of 2 elements, 1 apart, from element 7 does not lie inside a vector of 8: the first element may be 0 to 6";
        v.select::<2, 5>(-1i8) => "`select` of 2 elements, 5 apart, from element -1 does not lie inside a vector of 8: the first element may be 0 to 2";
        v.select::<8, 1>(1u64 << 40) => "`select` of 8 elements, 1 apart, from element 1099511627776 does not lie inside a vector of 8: the first element may be 0 to 0";
        m.select::<2, 1, 2, 1>(at(2), at(0)) => "`select` of 2 rows, 1 apart, from row 2 does not lie inside a matrix of 3 rows: the first row may be 0 to 1";
        m.select::<2, 1, 2, 3>(0, 2i64) => "`select` of 2 columns, 3 apart, from column 2 does not lie inside a matrix of 5 columns: the first column may be 0 to 1";
        m.select::<2, 1, 2, 3>(0, u64::MAX) => "`select` of 2 columns, 3 apart, from column 18446744073709551615 does not lie inside a matrix of 5 columns: the first column may be 0 to 1";
        m.row(at(3)) => "there is no row 3 in a matrix of 3 rows: the row may be 0 to 2";
        m.row(-3isize) => "there is no row -3 in a matrix of 3 rows: the row may be 0 to 2";
        m.column(at(5)) => "there is no column 5 in a matrix of 5 columns: the column may be 0 to 4";
        m.get(at(0), at(5)) => "there is no column 5 in a matrix of 5 columns: the column may be 0 to 4";
        m.get(at(3), at(0)) => "there is no row 3 in a matrix of 3 rows: the row may be 0 to 2";
        v.get(at(8)) => "there is no element 8 in an object of 8 elements: the element may be 0 to 7";
        v.replicate_w::<2, 4>(at(5)) => "`replicate` from element 5 reads element 8 of an object of 8: take fewer repetitions, a shorter row or smaller strides";
        v.replicate_w::<2, 4>(at(8)) => "`replicate` from element 8 reads element 11 of an object of 8: take fewer repetitions, a shorter row or smaller strides";
        m.replicate_vs_w::<2, 5, 3>(at(1), at(3)) => "`replicate` from element 8 reads element 15 of an object of 15: take fewer repetitions, a shorter row or smaller strides";
    }
}

#[test]
fn host_offsets_of_places_outside() {
    let mut v = Vector::<u8, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let mut m = Matrix::from_array([[0i16; 5]; 3]);
    let at = |n: usize| n;
    panics! {
        v.select_mut::<2, 1>(at(7)).assign(1) => "`select` of 2 elements, 1 apart, from element 7 does not lie inside a vector of 8: the first element may be 0 to 6";
        v.select_mut::<4, 2>(0).select_mut::<2, 1>(at(3)).assign(1) => "`select` of 2 elements, 1 apart, from element 3 does not lie inside a vector of 4: the first element may be 0 to 2";
        v.get_mut(at(8)).assign(1) => "there is no element 8 in an object of 8 elements: the element may be 0 to 7";
        m.row_mut(at(3)).assign(1) => "there is no row 3 in a matrix of 3 rows: the row may be 0 to 2";
        m.column_mut(at(5)).assign(1) => "there is no column 5 in a matrix of 5 columns: the column may be 0 to 4";
        m.get_mut(at(0), at(9)).assign(1) => "there is no column 9 in a matrix of 5 columns: the column may be 0 to 4";
        m.select_mut::<2, 2, 5, 1>(at(1), 0).assign(1) => "`select` of 2 rows, 2 apart, from row 1 does not lie inside a matrix of 3 rows: the first row may be 0 to 0";
        m.select_mut::<2, 2, 5, 1>(0, 0).row_mut(at(2)).assign(1) => "there is no row 2 in a matrix of 2 rows: the row may be 0 to 1";
    }
    assert_eq!((v.to_array(), m.to_array()), ([0, 1, 2, 3, 4, 5, 6, 7], [[0; 5]; 3]), "nothing was written");
}

#[test]
fn forms_without_bounds() {
    let v = Vector::<u8, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
    let m = Matrix::from_array([[0i16; 5]; 3]);
    panics! {
        v.select_any::<0, 1>(0) => "a region of size zero: sizes are at least 1";
        v.select_any::<2, 0>(0) => "`select` of size 2 with stride 0: strides are at least 1, and 1 where the size is 1";
        v.select_any::<1, 2>(0) => "`select` of size 1 with stride 2: strides are at least 1, and 1 where the size is 1";
        v.select_any::<9, 1>(0) => "`select` of 9 elements, 1 apart, from element 0 does not lie inside a vector of 8: the first element may be 0 to 0";
        m.select_any::<4, 1, 5, 1>(0, 0) => "`select` of 4 rows, 1 apart, from row 0 does not lie inside a matrix of 3 rows: the first row may be 0 to 0";
        m.select_any::<3, 1, 3, 3>(0, 0) => "`select` of 3 columns, 3 apart, from column 0 does not lie inside a matrix of 5 columns: the first column may be 0 to 0";
        v.format_matrix_any::<u32, 1, 3>() => "`format` of 8 bytes as 12 bytes: the sizes must be equal";
        m.format_matrix_any::<u8, 2, 5>() => "`format` of 30 bytes as 10 bytes: the sizes must be equal";
        v.replicate_vs_w_hs_any::<3, 4, 1, 0>(0) => "`replicate` from element 0 reads element 8 of an object of 8: take fewer repetitions, a shorter row or smaller strides";
        Vector::<f64, 2048>::splat_any(0) => "an object of 16384 bytes does not fit the register file: objects are smaller than 16384 bytes";
        Matrix::<u8, 64, 256>::constant_any([[0; 256]; 64]) => "an object of 16384 bytes does not fit the register file: objects are smaller than 16384 bytes";
    }
}
