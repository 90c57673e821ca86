//! Structures that say what they are.

use crate::ze_structure_type_t;

/// A structure that begins with `stype` and `pNext`.
///
/// Its `Default` has the `stype` that belongs to it, no extension (`pNext` is null), and zero in all other
/// fields:
///
/// ```
/// use level_zero_sys::{Descriptor, ZE_MODULE_FORMAT_IL_SPIRV, ZE_STRUCTURE_TYPE_MODULE_DESC, ze_module_desc_t};
///
/// let code = [0x0723_0203_u32];
/// let desc = ze_module_desc_t {
///     format: ZE_MODULE_FORMAT_IL_SPIRV,
///     inputSize: size_of_val(&code),
///     pInputModule: code.as_ptr().cast(),
///     ..ze_module_desc_t::new()
/// };
/// assert_eq!(desc.stype, ZE_STRUCTURE_TYPE_MODULE_DESC);
/// assert!(desc.pNext.is_null() && desc.pBuildFlags.is_null());
/// ```
pub trait Descriptor: Default {
    /// The value of `stype`.
    const STYPE: ze_structure_type_t;

    /// The same as `Default::default()`.
    #[must_use]
    fn new() -> Self {
        Self::default()
    }
}
