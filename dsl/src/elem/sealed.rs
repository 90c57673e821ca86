//! Seals the element types: code without bounds checks relies on their implementations. The traits of other crates that
//! the language needs are here too, outside the public interface.

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
