//! Built-in functions on registers. CM: the `cm_*` functions.
//!
//! The caller chooses the element type of the result: `avg::<u8, _>(a, b)`, as in CM's `cm_avg<uchar>(a, b)`,
//! or by the type of the variable that receives it. Functions whose names end in `_sat` clamp the result to the
//! range of that type, like CM's flag `SAT`; the others wrap.

mod arith;
mod bits;
mod composed;
mod dpas;
mod exact;
mod functions;
mod groups;
mod inverse;
mod order;
mod payload;
mod register;
mod trees;
mod whole;

pub use crate::ops::{S4, U4};
pub use arith::{
    add, add_sat, asr, asr_sat, avg, avg_sat, lsr, lsr_sat, mul, mul_sat, shl, shl_sat, shr, shr_sat, sub,
    sub_sat,
};
pub use bits::{
    BFN_X, BFN_Y, BFN_Z, addc, bf_extract, bf_insert, bf_reverse, bfn, cbit, div, fbh, fbl, imul, lzd,
    modulo, quot, rol, ror, subb,
};
pub use composed::{fma, frc, line, lrp, mad, pln};
pub use dpas::{Columns, FourBits, Rows, Sums, Vnni, dpas, dpas_4bit, vnni};
pub use functions::{
    cos, div_ieee, exp, inv, log, pow, rndd, rnde, rndu, rndz, rsqrt, sin, sincos, sqrt, sqrt_ieee,
};
pub use groups::{
    dp2, dp2_any, dp2_sat, dp2_sat_any, dp3, dp3_any, dp3_sat, dp3_sat_any, dp4, dp4_any, dp4_sat,
    dp4_sat_any, dp4a, dp4a_sat, dph, dph_any, dph_sat, dph_sat_any, sad2, sad2_any, sad2_sat, sad2_sat_any,
    sada2, sada2_sat,
};
pub use inverse::{acos, asin, atan, atan2, tanh};
pub use order::{abs, abs_sat, max, max_sat, min, min_sat};
pub use payload::{bf_cvt, bf_cvt_f32, f16tof32, f32tof16, tf32_cvt};
#[doc(hidden)] // of `Register`
pub use register::Composed;
pub use register::{Beside, Register};
pub use whole::{
    pack_mask, prod, prod_sat, reduced_max, reduced_max_sat, reduced_min, reduced_min_sat, sum, sum_sat,
    unpack_mask,
};
