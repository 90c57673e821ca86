//! Matrices, vectors and scalars in registers, and places inside them.

mod common;
mod cpu_values;
mod instead;
#[cfg(feature = "generic-array")]
mod interop;
mod len;
mod matrix;
mod objects;
mod offset;
mod per_lane;
mod place;
mod scalar;
mod transforms;
mod vector;
mod views;

pub use instead::{
    ComparesByMethod, ComputesElements, HasOrder, Ordered, RegisterIndex, SumsElements, Unsatisfied, ordered,
};
pub use len::{FormatVector, Repeated, Times, VectorLen, VectorOf, VectorRefOf};
pub use objects::{
    Contiguous, ElementRef, Every, Matrix, MatrixRef, Part, RowOf, Strided, Vector, VectorRef, Whole,
};
pub use offset::{
    BarrierNumber, ColumnOffset, Counts, ElementColumn, ElementOffset, ElementRow, Limit, Lit, Offset,
    Position, ReplicateElement, RowOffset, SelectOffset,
};
pub use per_lane::PerLane;
pub(crate) use scalar::host_element;
pub use scalar::{IntoScalar, Scalar, ScalarLike};
pub use views::{MatrixRegions, MatrixView, VectorRegions, VectorView, Views, views};
