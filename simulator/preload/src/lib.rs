//! The library that `cm-simulator run` preloads. It intercepts calls to the C library, and handles those for
//! the files of a simulated Intel GPU; all others are passed on.
//!
//! Before a program opens the render node, the only cost of each call is a comparison of its path, or a read
//! of a counter.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod directories;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod files;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod next;

/// A program can find this symbol with `dlsym` if and only if it runs with the simulated GPU.
#[unsafe(no_mangle)]
pub static cm_simulator_present: i32 = 1;
