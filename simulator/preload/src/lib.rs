//! The library that `cm-simulator run` preloads: it stands between a program and the C library, and answers for the files of
//! a simulated Intel GPU. All other calls go on to the C library.
//!
//! Nothing happens before a program opens the render node. Until then each call costs a comparison of its path, or a read of
//! a counter.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod directories;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod files;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod next;

/// A program finds this name with `dlsym` exactly if it runs with the simulated GPU.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static cm_simulator_present: i32 = 1;
