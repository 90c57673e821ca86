//! Raw bindings of the core API of [Level Zero], the low-level interface to Intel GPUs.
//!
//! Nothing is linked. [`Loader::load`] opens the Level Zero loader of the machine when the program runs, so
//! that one program works with it, without it, and with an old one: an entry point that is not there is a
//! [`MissingEntryPoint`] of the one call that wanted it.
//!
//! ```
//! use level_zero_sys::Loader;
//!
//! // SAFETY: what is installed under the names of the Level Zero loader is the Level Zero loader.
//! match unsafe { Loader::load() } {
//!     Ok(loader) => println!("found {}", loader.name()),
//!     Err(error) => println!("{error}"),
//! }
//! ```
//!
//! # Calls
//!
//! [`Api`] is the table of entry points. Each has a field and a method, both with the name in the
//! specification, which also says what the arguments mean:
//!
//! ```
//! use level_zero_sys::{Api, Descriptor, MissingEntryPoint, ZE_RESULT_SUCCESS, ze_context_desc_t};
//! use level_zero_sys::{ze_context_handle_t, ze_driver_handle_t, ze_result_t};
//! use std::ptr;
//!
//! /// # Safety
//! ///
//! /// `driver` is a handle that `api` gave.
//! unsafe fn context(
//!     api: &Api,
//!     driver: ze_driver_handle_t,
//! ) -> Result<(ze_result_t, ze_context_handle_t), MissingEntryPoint> {
//!     let mut context = ptr::null_mut();
//!     let desc = ze_context_desc_t::new(); // with its `stype`, no extension, all else zero
//!     // SAFETY: the driver is valid, and both pointers are to locals that outlive the call.
//!     let result = unsafe { api.zeContextCreate()?(driver, &desc, &mut context) };
//!     Ok((result, context))
//! }
//! ```
//!
//! # What is here
//!
//! | | |
//! |---|---|
//! | types and constants | names of the header. Enumerations are numbers (`ze_result_t(0x78000001)`), because drivers know values that this header does not; flags are `u32` constants. A field called `type` is `type_` |
//! | [`Descriptor`], `Default` | structures with the right `stype`, and zero otherwise |
//! | [`result_name`] | the official name of a result; `Display` of [`ze_result_t`] gives name and number |
//! | [`Api`] | all entry points of the core API, experimental ones too. Not here: `zes*` (management), `zet*` (tools), `zel*` (the loader's own, with the tracing callbacks) |
//! | [`Loader`] | the library they come from |
//!
//! # Where it comes from
//!
//! `src/bindings.rs` and `src/layout.rs` are written by the program in `generate/` from `ze_api.h` of
//! Debian's package
//! `libze-dev`; their first lines name the versions. `cargo run --locked -- --check` in that folder fails if
//! they are not what it would write. Building this crate needs neither header nor libclang. Sizes and offsets
//! are those of the C compiler on 64-bit systems, checked whenever this crate is compiled for one.
//!
//! [Level Zero]: https://spec.oneapi.io/level-zero/latest/

mod api;
#[cfg(target_pointer_width = "64")]
mod assertions;
mod bindings;
mod descriptor;
#[cfg(target_pointer_width = "64")]
mod layout;
mod loader;
mod result;
mod version;

pub use api::MissingEntryPoint;
pub use bindings::*;
pub use descriptor::Descriptor;
pub use loader::{Attempt, LoadError, Loader};
pub use version::{ZE_MAJOR_VERSION, ZE_MAKE_VERSION, ZE_MINOR_VERSION};
