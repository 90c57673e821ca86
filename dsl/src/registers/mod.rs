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

pub(crate) use matrix::select_region as matrix_region;
pub(crate) use vector::select_region as vector_region;
