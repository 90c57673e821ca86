//! Why a text is not a function.

use std::borrow::Cow;

use thiserror::Error;

/// Why a text is not a function.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The line of the text, from 1.
    pub line: u32,
    /// What could have stood there.
    pub expected: Cow<'static, str>,
    /// What stands there.
    pub found: String,
}

/// What a part of a text is, or why it is none.
pub(super) type Result<T> = std::result::Result<T, ParseError>;
