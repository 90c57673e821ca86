//! Seals the element types: code without bounds checks relies on what their implementations do. What the
//! language needs of other crates' traits is here too, where it is no promise to users.

use half::f16;
use num_traits::AsPrimitive;

pub trait Sealed:
    Copy
    + AsPrimitive<u8>
    + AsPrimitive<i8>
    + AsPrimitive<u16>
    + AsPrimitive<i16>
    + AsPrimitive<u32>
    + AsPrimitive<i32>
    + AsPrimitive<u64>
    + AsPrimitive<i64>
    + AsPrimitive<f16>
    + AsPrimitive<f32>
    + AsPrimitive<f64>
{
}
