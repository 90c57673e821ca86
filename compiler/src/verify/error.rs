//! Errors of a function.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use crate::elem::ElemType;
use crate::ir::{Label, Location, Type, Value, Variable};
use crate::limits::{MAX_DEPTH, Violation};
use crate::ops::Precision;

/// The result of a check.
pub(super) type Result<T> = std::result::Result<T, BrokenRule>;

/// An instruction or parameter that breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The function.
    pub function: String,
    /// The position of the instruction in the source; `None` for a parameter.
    pub location: Option<Location>,
    /// The rule.
    pub rule: Box<BrokenRule>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`", self.function)?;
        if let Some(location) = &self.location {
            write!(f, ", {location}")?;
        }
        write!(f, ": {}", self.rule)
    }
}

impl std::error::Error for VerifyError {}

/// A broken rule of the IR.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum BrokenRule {
    #[error("`{value}` is defined twice")]
    Redefined { value: Value },
    #[error("`{value}` is used before it is defined")]
    Undefined { value: Value },
    #[error("`{value}` is used outside of the block that defines it")]
    OutOfScope { value: Value },
    #[error("`{variable}` is declared twice")]
    Redeclared { variable: Variable },
    #[error("`{variable}` is used before it is declared")]
    Undeclared { variable: Variable },
    #[error("`{variable}` is used outside of the block that declares it")]
    VariableOutOfScope { variable: Variable },
    #[error("the number of `{value}` is too large: numbers are below 2147483648")]
    ValueNumber { value: Value },
    #[error("the number of `{variable}` is too large: numbers are below 2147483648")]
    VariableNumber { variable: Variable },
    #[error("`{label}` labels two blocks")]
    Relabelled { label: Label },
    #[error("`break {label}` is not inside of the block that `{label}` labels")]
    Unlabelled { label: Label },
    #[error("the instruction is never reached: the one before it leaves the block")]
    Unreachable,
    #[error("the condition of the loop is never reached: its first block is left")]
    ConditionUnreachable,
    #[error("`{op}` must have a result")]
    MissingResult { op: &'static str },
    #[error("`{op}` has no result")]
    UnexpectedResult { op: &'static str },
    #[error("the type is `{found}`, but {expected} is needed")]
    Type { expected: Cow<'static, str>, found: Type },
    #[error("the operand `{value}` is `{found}`, but {expected} is needed")]
    Operand { value: Value, expected: Cow<'static, str>, found: Type },
    #[error("{rows} x {columns} elements; an object has 1 to {most}")]
    Shape { rows: usize, columns: usize, most: usize },
    #[error("`{op}` is not defined for `{elem}` elements")]
    Element { op: &'static str, elem: ElemType },
    #[error("`{op}` cannot take `{operand}` elements as `{common}`")]
    Common { op: &'static str, common: ElemType, operand: ElemType },
    #[error("`{op}` cannot saturate; convert its result with `saturate`")]
    Saturate { op: &'static str },
    #[error(
        "`dpas` of the factors `{}` and `{}`: both are integers of the same size, or floats of the same format",
        b.name(), a.name()
    )]
    Factors { b: Precision, a: Precision },
    #[error("`{op}` reduces no register; `add`, `mul`, `min`, `max`, `and`, `or` and `xor` do")]
    Reduces { op: &'static str },
    #[error("{found} operands for `{op}`, which takes {expected}")]
    Operands { op: &'static str, expected: usize, found: usize },
    #[error("{found} elements for a constant of {expected}")]
    ConstantLength { expected: usize, found: usize },
    #[error("{bits:#x} has more bits than `{elem}`")]
    ConstantBits { elem: ElemType, bits: u64 },
    #[error("rows of {width} elements do not divide a region of {count} elements")]
    RegionWidth { width: usize, count: usize },
    #[error("the last element of the region, {last}, lies outside of an object of {count} elements")]
    RegionOutside { last: u128, count: usize },
    #[error("a region with a stride of {stride} elements: strides are below 65536")]
    RegionStride { stride: usize },
    #[error("the region has an element twice, so that it cannot be replaced")]
    RegionOverlaps,
    #[error("a format of {source_bytes} bytes as {bytes} bytes")]
    FormatSize { source_bytes: usize, bytes: usize },
    #[error("{values} values for a text with {holes} holes")]
    Holes { holes: usize, values: usize },
    #[error("`{hole}` does not print `{ty}`")]
    Hole { hole: String, ty: Type },
    #[error("parameter {param} of {count}")]
    NoParameter { param: usize, count: usize },
    #[error("parameter {param} is not a surface")]
    NotASurface { param: usize },
    #[error("parameter {param} is not a 3-D surface")]
    NotASurface3d { param: usize },
    #[error("parameter {param} is not a uniform value")]
    NotAUniform { param: usize },
    #[error("parameter {param} is not a buffer")]
    NotABuffer { param: usize },
    #[error("parameter {param} is one that the kernel may not write")]
    NotWritable { param: usize },
    #[error(transparent)]
    Limit(#[from] Violation),
    #[error("`{op}` in a kernel without named barriers")]
    NoNamedBarriers { op: &'static str },
    #[error("more than {MAX_DEPTH} blocks inside each other")]
    Nesting,
}
