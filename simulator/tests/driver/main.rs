//! The device under Intel's driver. Each test starts this program again with `cm-simulator run`, to run one
//! of the probes.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod level_zero;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod probes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod processes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod run;
