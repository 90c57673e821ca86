//! How to do common tasks with cm, one chapter per task.
//!
//! | Chapter | Question |
//! |---|---|
//! | [`images`] | How do I filter a PNG or JPEG file? |
//! | [`video`] | How do I process many frames without allocating surfaces for each? |
//! | [`debugging`] | My kernel computes the wrong result. How do I look inside? |
//! | [`testing`] | How do I test a kernel without a GPU? |
//! | [`timing`] | How long does my kernel take? |
//! | [`threads`] | How do I launch from several threads or from tokio, and limit the cores? |
//! | [`groups`] | How do threads share memory and wait for each other? |
//! | [`waves`] | How do threads read what their neighbours wrote? |
//! | [`errors`] | When are mistakes reported, and how do I handle errors? |
//! | [`glossary`] | What do "staged", "recorded" and "place" mean? |

#[doc = include_str!("../docs/guide/debugging.md")]
pub mod debugging {}

#[doc = include_str!("../docs/guide/errors.md")]
pub mod errors {}

#[doc = include_str!("../docs/guide/glossary.md")]
pub mod glossary {}

#[doc = include_str!("../docs/guide/groups.md")]
pub mod groups {}

#[doc = include_str!("../docs/guide/images.md")]
pub mod images {}

#[doc = include_str!("../docs/guide/testing.md")]
pub mod testing {}

#[doc = include_str!("../docs/guide/threads.md")]
pub mod threads {}

#[doc = include_str!("../docs/guide/timing.md")]
pub mod timing {}

#[doc = include_str!("../docs/guide/video.md")]
pub mod video {}

#[doc = include_str!("../docs/guide/waves.md")]
pub mod waves {}
