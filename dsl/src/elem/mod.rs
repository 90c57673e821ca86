//! Element types of registers, their conversions, and CM's promotion rules.

mod angle;
mod arith;
mod bits;
mod convert;
mod element;
mod float;
mod host;
mod promote;
mod sealed;
mod short;
mod storage;
mod tensor;

pub(crate) use angle::{SMALL_ANGLE, sine_of_small};
pub use arith::{Arith, Bits};
pub use bits::{Dword, OfBits};
pub use cm_compiler::elem::ElemType;
pub(crate) use convert::f16_from_f64;
pub use element::{Convert, Elem, Int, Numeric};
pub(crate) use element::{bits_of, is_byte, is_long};
pub use float::{Functions, Single};
pub use half::{bf16, f16};
pub use host::HostInteger;
pub(crate) use host::host_integers;
pub use promote::{Promote, Promoted, ShiftBy};
pub(crate) use storage::is_storage;
pub use tensor::tf32;
