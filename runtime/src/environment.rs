//! Choices that are made by environment variables.

use crate::error::Error;

/// The choice that an environment variable makes, if it is set. `parse` returns the legal values for any other value.
///
/// # Errors
/// [`Error::Environment`] if the value is not legal.
pub(crate) fn choice<T>(
    variable: &'static str,
    parse: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Result<Option<T>, Error> {
    let Some(value) = std::env::var_os(variable) else { return Ok(None) };
    // No legal value has the character that stands for bytes that are no text.
    let value = value.to_string_lossy().into_owned();
    match parse(&value) {
        Ok(choice) => Ok(Some(choice)),
        Err(expected) => Err(Error::Environment { variable, value, expected }),
    }
}
