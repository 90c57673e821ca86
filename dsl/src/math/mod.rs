//! Built-in functions, element by element: CM's `cm_*` functions.
//!
//! The caller chooses the elements of the result, as CM's `cm_avg<uchar>(a, b)` does: `avg::<u8, _>(a, b)`, or by the type
//! of the variable that takes it. A form whose name ends in `_sat` limits the result to the range of the type, as CM's
//! flag `SAT` does; the other one wraps.

mod groups;
mod register;

pub use groups::{dp4, dp4_any, dp4_sat, dp4_sat_any, sad2, sad2_any, sad2_sat, sad2_sat_any};
pub use register::{Beside, Register};
