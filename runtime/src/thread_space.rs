//! The media walker's thread space.

use crate::error::{Error, Result};
use crate::limits;

/// How many threads run a kernel: `width` x `height`, one for each pair of coordinates. CM:
/// `CreateThreadSpace`.
///
/// Each way it is 1 to 2047 threads, the limit of the media walker from Skylake on.
///
/// ```
/// use cm::prelude::*;
/// let space = ThreadSpace::new(10, 20)?;
/// assert_eq!((space.width(), space.height()), (10, 20));
/// assert!(ThreadSpace::new(0, 1).is_err());
/// assert!(ThreadSpace::new(2048, 1).is_err());
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadSpace {
    width: usize,
    height: usize,
}

impl ThreadSpace {
    /// The most threads each way.
    pub const MAX: usize = limits::THREAD_SPACE;

    /// A thread space of `width` x `height` threads.
    ///
    /// # Errors
    /// [`Error::ThreadSpace`] if one of them is 0 or above [`MAX`](Self::MAX).
    pub fn new(width: usize, height: usize) -> Result<Self> {
        let legal = 1..=Self::MAX;
        if legal.contains(&width) && legal.contains(&height) {
            Ok(Self { width, height })
        } else {
            Err(Error::ThreadSpace { width, height })
        }
    }

    /// Threads of a row.
    #[must_use]
    pub const fn width(self) -> usize {
        self.width
    }

    /// Rows of threads.
    #[must_use]
    pub const fn height(self) -> usize {
        self.height
    }
}
