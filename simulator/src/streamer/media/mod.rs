//! The media pipeline: threads of `MEDIA_OBJECT` and `MEDIA_OBJECT_WALKER`, which have positions and may
//! depend on each other.

mod command;
mod crew;
mod loops;
#[cfg(test)]
mod patterns;
mod scoreboard;
mod task;
#[cfg(test)]
mod tests;

pub(super) use command::{Common, MediaWalker, Object};
pub(super) use crew::run;
pub(super) use scoreboard::Scoreboard;
pub(super) use task::{Objects, Task};
