//! CM's promotion table: the common type of two operands.

use half::f16;

use super::element::{Elem, Numeric};

/// The type in which CM combines an element of `Self` with one of `Rhs`: the type of C's usual arithmetic conversions.
/// `half` with an integer is `half`, and with `float` it is `float`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{Rhs}` have no common element type: `bf16` and `tf32` have no arithmetic, write `.convert::<f32>()`",
    note = "operators take u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64",
    note = "in a function of any elements `T: Elem` they take no `T`: compute with `x.convert::<i32>()`, whose result `.convert()` \
            makes a `T` again"
)]
pub trait Promote<Rhs: Elem>: Elem {
    /// The common type.
    type Output: Numeric;
}

/// The common type of `T` and `U`.
pub type Promoted<T, U> = <T as Promote<U>>::Output;

/// The type in which CM shifts an element of `Self` by a count of type `Count`: the promoted left side.
///
/// Only integers can be shifted; this is a bound of the operator, not of this trait.
#[diagnostic::on_unimplemented(
    message = "`{Count}` elements cannot count the bits of a shift",
    label = "the count is not an integer",
    note = "shift counts are integers; `.convert::<i32>()` makes some"
)]
pub trait ShiftBy<Count: Elem>: Elem {
    /// The promoted type.
    type Output: Elem;
}

macro_rules! shifts {
    ($($count:ident)*) => {$(
        impl<T: Elem> ShiftBy<$count> for T {
            type Output = T::Widened;
        }
    )*};
}

cm_compiler::for_each_integer!(shifts);

macro_rules! promote {
    ($($left:ident => $u8:ident $i8:ident $u16:ident $i16:ident $u32:ident $i32:ident
        $u64:ident $i64:ident $f16:ident $f32:ident $f64:ident;)*) => {$(
        promote! { @row $left: u8 $u8, i8 $i8, u16 $u16, i16 $i16, u32 $u32, i32 $i32,
            u64 $u64, i64 $i64, f16 $f16, f32 $f32, f64 $f64 }
    )*};
    (@row $left:ident: $($right:ident $out:ident),*) => {$(
        impl Promote<$right> for $left {
            type Output = $out;
        }
    )*};
}

// Columns:  u8  i8  u16 i16 u32 i32 u64 i64 f16 f32 f64
promote! {
    u8  =>   i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64;
    i8  =>   i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64;
    u16 =>   i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64;
    i16 =>   i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64;
    u32 =>   u32 u32 u32 u32 u32 u32 u64 i64 f16 f32 f64;
    i32 =>   i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64;
    u64 =>   u64 u64 u64 u64 u64 u64 u64 u64 f16 f32 f64;
    i64 =>   i64 i64 i64 i64 i64 i64 u64 i64 f16 f32 f64;
    f16 =>   f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f64;
    f32 =>   f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64;
    f64 =>   f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64;
}
