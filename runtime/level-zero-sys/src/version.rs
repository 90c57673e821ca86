//! The macros of the header that take arguments.

/// The number of an API version, as in [`ze_api_version_t`](crate::ze_api_version_t).
///
/// ```
/// use level_zero_sys::{ZE_API_VERSION_1_3, ZE_MAKE_VERSION};
///
/// assert_eq!(ZE_MAKE_VERSION(1, 3), ZE_API_VERSION_1_3.0);
/// ```
#[allow(non_snake_case)] // the name in the header
#[must_use]
pub const fn ZE_MAKE_VERSION(major: u32, minor: u32) -> u32 {
    major << 16 | minor & 0xffff
}

/// The major version of an API version.
#[allow(non_snake_case)] // the name in the header
#[must_use]
pub const fn ZE_MAJOR_VERSION(version: u32) -> u32 {
    version >> 16
}

/// The minor version of an API version.
#[allow(non_snake_case)] // the name in the header
#[must_use]
pub const fn ZE_MINOR_VERSION(version: u32) -> u32 {
    version & 0xffff
}
