//! Kernels as data: structured, typed by element x rows x columns, every instruction with its line in the source.
//!
//! ```text
//! file 0 "src/main.rs"
//! kernel k(input: read surface, output: write surface, table: read buffer u16, gain: f32) {
//!   %0: u32 = thread x @0:12:17
//!   ...
//! }
//! ```
//!
//! Values are defined once and live until the end of their block, in the blocks inside it as well; what changes are the
//! variables, which are loaded and stored. A scalar is 1 x 1 and a vector one row. Nothing here knows Rust's generics,
//! devices or GPUs.

mod inst;
mod interpret;
mod parse;
mod print;
mod ty;
mod verify;

pub use inst::{Bits, Block, Inst, Location, Op, Span};
pub use interpret::{
    BUDGET, InterpretArg, InterpretBuffer, InterpretError, InterpretSurface, interpret, interpret_within,
};
pub use parse::{ParseError, parse};
pub use ty::{Kind, Type};
pub use verify::{BrokenRule, VerifyError, verify};

use crate::kernel::ParamKind;

/// The number of a value, unique in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

/// The number of a variable, unique in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable(pub u32);

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in the source.
    pub name: String,
    /// What it takes.
    pub kind: ParamKind,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Block,
}
