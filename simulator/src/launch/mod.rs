//! Launches without a driver: groups of threads on memory that the caller provides.

mod groups;
mod world;

pub use groups::{Error, Groups, Statistics, WORK_ITEMS};
pub use world::World;
