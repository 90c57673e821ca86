//! The commands of `cm-simulator`.

mod exec;

pub(crate) use exec::Exec;
