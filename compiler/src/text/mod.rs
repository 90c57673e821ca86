//! The text of kernels: [`parse()`] reads what `Display` of a [`Function`](crate::ir::Function) writes.

mod parse;
mod print;

pub use parse::{ParseError, parse};
