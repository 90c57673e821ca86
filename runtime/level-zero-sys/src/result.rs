//! Results as text.

use std::fmt;

use crate::{result_name, ze_result_t};

/// The official name and the number: drivers, logs and search engines have now the one, now the other.
///
/// ```
/// use level_zero_sys::{ZE_RESULT_ERROR_UNINITIALIZED, ze_result_t};
///
/// assert_eq!(ZE_RESULT_ERROR_UNINITIALIZED.to_string(), "ZE_RESULT_ERROR_UNINITIALIZED (0x78000001)");
/// assert_eq!(ze_result_t(0x7fff_0000).to_string(), "unknown result (0x7fff0000)");
/// ```
impl fmt::Display for ze_result_t {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:#x})", result_name(*self).unwrap_or("unknown result"), self.0)
    }
}
