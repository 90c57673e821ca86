//! The library that the entry points come from.

use std::error::Error as _;
use std::ffi::{OsStr, c_void};
use std::ptr;

use libloading::Library;
use thiserror::Error;

use crate::bindings::Api;

/// The Level Zero loader of this machine: the library that finds the drivers.
///
/// Once opened it stays in the process until that ends. The loader and its drivers start threads and register
/// functions that the C runtime calls at exit; unloading them beneath those is a crash, and no version says
/// that it is not. So the functions of [`Loader::api`] are good for ever, whoever keeps them.
#[derive(Debug, Clone)]
pub struct Loader {
    api: Api,
    name: String,
}

impl Loader {
    /// The names under which [`Loader::load`] looks for the library, in this order.
    ///
    /// The name without a version is there only if the development package is installed.
    pub const NAMES: &'static [&'static str] =
        if cfg!(windows) { &["ze_loader.dll"] } else { &["libze_loader.so.1", "libze_loader.so"] };

    /// Opens the loader where the system has it.
    ///
    /// This starts no driver: [`Api::zeInit`] does.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the system cannot open any of [`Loader::NAMES`]. Entry points that are missing are no
    /// error here.
    ///
    /// # Safety
    ///
    /// What the system finds first under these names is a Level Zero loader: its initialization runs in this
    /// process, and its functions are what the specification says.
    pub unsafe fn load() -> Result<Self, LoadError> {
        // SAFETY: passed on to the caller.
        unsafe { open(Self::NAMES) }
    }

    /// Opens the library at `path`, or as the system finds it if this is only a name.
    ///
    /// It must be the loader (`libze_loader.so.1`), not a driver (`libze_intel_gpu.so.1`): drivers have entry
    /// points of the same names, but need the loader to set them up.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the system cannot open it.
    ///
    /// # Safety
    ///
    /// As [`Loader::load`], of the library at `path`.
    pub unsafe fn load_from(path: impl AsRef<OsStr>) -> Result<Self, LoadError> {
        // SAFETY: passed on to the caller.
        unsafe { open(&[path.as_ref()]) }
    }

    /// The entry points.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The name or path under which the library was found.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The first of the libraries that can be opened.
///
/// # Safety
///
/// As [`Loader::load`], for all of them.
unsafe fn open<N: AsRef<OsStr>>(names: &[N]) -> Result<Loader, LoadError> {
    let mut attempts = Vec::new();
    for name in names {
        let text = name.as_ref().to_string_lossy().into_owned();
        // SAFETY: the caller vouches for what runs when a library of this name is initialized.
        match unsafe { library(name.as_ref()) } {
            Ok(library) => {
                // SAFETY: addresses come from the symbols of a library that the caller knows to be a Level
                // Zero loader, by their own names; it is never unloaded, see below.
                let api = unsafe {
                    Api::load(|symbol| match library.get::<*const c_void>(symbol) {
                        Ok(found) => found.try_as_raw_ptr().unwrap_or(ptr::null_mut()),
                        Err(_) => ptr::null(),
                    })
                };
                // For the life of the process: see `Loader`.
                std::mem::forget(library);
                return Ok(Loader { api, name: text });
            }
            Err(error) => attempts.push(Attempt::failed(text, &error)),
        }
    }
    Err(LoadError { attempts })
}

/// Opens a library as the system finds it.
///
/// # Safety
///
/// As [`Loader::load`].
#[cfg(not(windows))]
unsafe fn library(name: &OsStr) -> Result<Library, libloading::Error> {
    // SAFETY: passed on to the caller.
    unsafe { Library::new(name) }
}

/// Opens a library from the folder of the program or the system's, never from the current folder or `PATH`,
/// where anybody may have put one. What a library at a path needs may stand beside it.
///
/// # Safety
///
/// As [`Loader::load`].
#[cfg(windows)]
unsafe fn library(name: &OsStr) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{
        LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, Library as WindowsLibrary,
    };
    let is_only_a_name = std::path::Path::new(name).components().count() == 1;
    // The second flag is refused for paths that are not absolute.
    let (path, flags) = match std::path::absolute(name) {
        Ok(path) if !is_only_a_name => {
            (path.into_os_string(), LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR)
        }
        _ => (name.to_owned(), LOAD_LIBRARY_SEARCH_DEFAULT_DIRS),
    };
    // SAFETY: passed on to the caller.
    unsafe { WindowsLibrary::load_with_flags(path, flags) }.map(Library::from)
}

/// No library that could be opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "no Level Zero loader: {}; install the loader (package libze1) and the driver (package intel-opencl-icd \
     or libze-intel-gpu1; on Windows both come with the graphics driver)",
    list(attempts)
)]
#[non_exhaustive]
pub struct LoadError {
    /// What was tried, in this order.
    pub attempts: Vec<Attempt>,
}

/// A library that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The name or path.
    pub name: String,
    /// What the system says about it.
    pub message: String,
}

impl Attempt {
    fn failed(name: String, error: &libloading::Error) -> Self {
        // The error itself only says which function failed, the system's words are its source. They often
        // begin with the name.
        let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        let message = message.strip_prefix(&format!("{name}: ")).map(str::to_owned).unwrap_or(message);
        Self { name, message }
    }
}

fn list(attempts: &[Attempt]) -> String {
    let texts: Vec<_> =
        attempts.iter().map(|Attempt { name, message }| format!("`{name}` ({message})")).collect();
    texts.join(", ")
}
