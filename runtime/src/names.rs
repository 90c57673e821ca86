//! The values that names stand for, as command lines and settings write them.

use std::fmt::Display;
use std::str::FromStr;

use crate::engine::CpuEngine;
use crate::error::{Error, Result};
use crate::format::Format;

/// The format with this name, in upper or lower case.
///
/// ```
/// use cm::prelude::*;
/// for &format in Format::ALL {
///     assert_eq!(format.to_string().parse::<Format>()?, format);
/// }
/// assert_eq!("nv12".parse::<Format>()?, Format::Nv12);
/// assert!("Rgb8".parse::<Format>().unwrap_err().to_string().contains("R8, R16, R32"));
/// # Ok::<(), cm::Error>(())
/// ```
impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("a format", Self::ALL, name, str::eq_ignore_ascii_case)
    }
}

/// The engine with this name, `native` or `ir`, as in `CM_CPU_ENGINE`.
///
/// ```
/// use cm::CpuEngine;
/// assert_eq!("ir".parse::<CpuEngine>()?, CpuEngine::Ir);
/// assert!("gpu".parse::<CpuEngine>().is_err());
/// # Ok::<(), cm::Error>(())
/// ```
impl FromStr for CpuEngine {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named("an engine", Self::ALL, name, |a, b| a == b)
    }
}

fn named<T: Copy + Display>(
    what: &'static str,
    all: &[T],
    name: &str,
    same: impl Fn(&str, &str) -> bool,
) -> Result<T> {
    let found = all.iter().find(|value| same(&value.to_string(), name));
    found.copied().ok_or_else(|| Error::UnknownName {
        what,
        name: name.to_owned(),
        expected: all.iter().map(T::to_string).collect::<Vec<_>>().join(", "),
    })
}
