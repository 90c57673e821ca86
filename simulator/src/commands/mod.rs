//! The commands of `cm-simulator`.

mod doctor;
mod library;
mod packages;
mod run;

pub(crate) use doctor::Doctor;
pub(crate) use run::Run;
