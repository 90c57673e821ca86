//! Built-in functions on registers. CM: the `cm_*` functions.
//!
//! The caller chooses the element type of the result: `avg::<u8, _>(a, b)`, as in CM's `cm_avg<uchar>(a, b)`,
//! or by the type of the variable that receives it. Functions whose names end in `_sat` limit the result to
//! the range of that type, like CM's flag `SAT`; the others wrap.

mod arith;
mod exact;
mod groups;
mod order;
mod register;
mod whole;

pub use arith::{
    add, add_sat, asr, asr_sat, avg, avg_sat, lsr, lsr_sat, mul, mul_sat, shl, shl_sat, shr, shr_sat, sub,
    sub_sat,
};
pub use groups::{dp4, dp4_any, dp4_sat, dp4_sat_any, sad2, sad2_any, sad2_sat, sad2_sat_any};
pub use order::{abs, abs_sat, max, max_sat, min, min_sat};
#[doc(hidden)] // of `Register`
pub use register::Composed;
pub use register::{Beside, Register};
pub use whole::{
    pack_mask, prod, prod_sat, reduced_max, reduced_max_sat, reduced_min, reduced_min_sat, sum, sum_sat,
    unpack_mask,
};
