//! The commands of `cm-simulator`.

#[cfg(target_os = "linux")]
mod doctor;
mod exec;
#[cfg(target_os = "linux")]
mod library;
#[cfg(target_os = "linux")]
mod packages;
#[cfg(target_os = "linux")]
mod run;

#[cfg(target_os = "linux")]
pub(crate) use doctor::Doctor;
pub(crate) use exec::Exec;
#[cfg(target_os = "linux")]
pub(crate) use run::Run;
