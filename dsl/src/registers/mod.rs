//! Register objects: matrices, vectors, scalars, and the places inside them.

mod common;
mod cpu_values;
mod interop;
mod matrix;
mod place;
mod scalar;
mod vector;

pub use matrix::Matrix;
pub use place::{Contiguous, ElementRef, MatrixRef, Strided, VectorRef, VectorRefOf, Whole};
pub use scalar::Scalar;
pub use vector::{Vector, VectorLen, VectorOf};
