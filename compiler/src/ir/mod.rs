//! Kernels as data: structured, typed by element x rows x columns, every instruction with its line in the
//! source.
//!
//! ```text
//! file 0 "src/main.rs"
//! kernel k(input: read surface, output: write surface, table: read buffer u16, gain: f32) {
//!   %0: u32 = thread x @0:12:17
//!   ...
//! }
//! ```
//!
//! Values are defined once and live until the end of their block, in the blocks inside it as well; what
//! changes are the variables, which are loaded and stored. A scalar is 1 x 1 and a vector one row. Nothing
//! here knows Rust's generics, devices or GPUs.

mod function;
mod inst;
mod ty;
mod visit;

pub use function::{Function, Param, ParamKind};
pub use inst::{Axis, Bits, Block, Inst, Location, Op, Operands, Region};
pub use ty::{Kind, Type, Value, Variable};
