//! The text of recorded kernels: [`parse()`] reads the text that a [`Function`](crate::ir::Function) prints.

mod parse;
mod print;

pub use parse::{ParseError, parse};
