//! The table of entry points; `bindings.rs` lists them.

use std::fmt;

use thiserror::Error;

use crate::bindings::{Api, ZE_API_VERSION_CURRENT};
use crate::{ZE_MAJOR_VERSION, ZE_MINOR_VERSION};

/// An entry point that the loader of this machine does not have.
///
/// What the loader has and the *driver* has not is no `MissingEntryPoint`: the call then gives
/// [`ZE_RESULT_ERROR_UNSUPPORTED_FEATURE`](crate::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE), or
/// [`ZE_RESULT_ERROR_UNINITIALIZED`](crate::ZE_RESULT_ERROR_UNINITIALIZED) where the loader stands between
/// programs and several drivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the Level Zero loader has no `{name}`, which is in version {}.{} of the API: update the loader (package \
     libze1) and the driver (package intel-opencl-icd or libze-intel-gpu1)",
    ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT.0),
    ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT.0)
)]
pub struct MissingEntryPoint {
    /// Its name in the specification.
    pub name: &'static str,
}

/// Makes [`Api`] of the list of entry points and their types.
macro_rules! entry_points {
    ($($(#[$doc:meta])* $name:ident: $pointer:ident,)*) => {
        /// The entry points of the core API.
        ///
        /// Fields and methods have the names of the specification. The method gives the function, or the
        /// [`MissingEntryPoint`](crate::MissingEntryPoint) that names it:
        ///
        /// ```
        /// use level_zero_sys::{Api, ZE_RESULT_SUCCESS, ze_init_flags_t, ze_result_t};
        ///
        /// unsafe extern "C" fn init(_: ze_init_flags_t) -> ze_result_t {
        ///     ZE_RESULT_SUCCESS
        /// }
        ///
        /// // A table of one's own, as tests need it; the usual one is that of a `Loader`.
        /// let api = Api { zeInit: Some(init), ..Api::default() };
        /// // SAFETY: `init` does nothing.
        /// assert_eq!(unsafe { api.zeInit()?(0) }, ZE_RESULT_SUCCESS);
        /// assert_eq!(api.zeDriverGet().unwrap_err().name, "zeDriverGet");
        /// # Ok::<(), level_zero_sys::MissingEntryPoint>(())
        /// ```
        #[derive(Clone, Default)]
        pub struct Api {
            $(
                #[doc = concat!("`", stringify!($name), "`, if the loader has it.")]
                pub $name: Option<$pointer>,
            )*
        }

        impl Api {
            /// The names of all entry points, in the order of the header.
            pub const ENTRY_POINTS: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The table of what `resolve` finds: it is asked once for each of [`Api::ENTRY_POINTS`], and
            /// gives the address of the function of that name, or null.
            ///
            /// # Safety
            ///
            /// Every address that is not null is the entry point of that name in the Level Zero
            /// specification, and stays callable for as long as anybody has this table, a clone of it, or a
            /// function out of it.
            #[must_use]
            pub unsafe fn load(mut resolve: impl FnMut(&CStr) -> *const c_void) -> Self {
                Self {
                    $($name: {
                        let name = const {
                            match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                                Ok(name) => name,
                                Err(_) => panic!("names contain no zero"),
                            }
                        };
                        // SAFETY: null is `None`; by the contract of this function everything else is a
                        // function of the prototype that the header gives this name.
                        unsafe { core::mem::transmute::<*const c_void, Option<$pointer>>(resolve(name)) }
                    },)*
                }
            }

            /// The names of the entry points that are not there.
            pub fn missing(&self) -> impl Iterator<Item = &'static str> + use<> {
                [$((stringify!($name), self.$name.is_none())),*]
                    .into_iter()
                    .filter_map(|(name, missing)| missing.then_some(name))
            }

            $(
                $(#[$doc])*
                ///
                /// # Errors
                ///
                /// [`MissingEntryPoint`](crate::MissingEntryPoint) if the loader does not have it.
                #[inline]
                pub fn $name(&self) -> Result<$pointer, crate::MissingEntryPoint> {
                    self.$name.ok_or(crate::MissingEntryPoint { name: stringify!($name) })
                }
            )*
        }
    };
}
pub(crate) use entry_points;

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Addresses say nothing; what is missing does.
        let missing: Vec<_> = self.missing().collect();
        f.debug_struct("Api")
            .field("present", &(Self::ENTRY_POINTS.len() - missing.len()))
            .field("missing", &missing)
            .finish()
    }
}
