//! The media walker's thread space.

use crate::error::{Error, Result};
use crate::limits;

/// The number of kernel threads of a launch: `width` x `height`, one for each pair of coordinates. CM:
/// `CreateThreadSpace`.
///
/// `width` and `height` are 1 to 2047, the limit of the media walker since Skylake. In a kernel, a thread's
/// coordinates are `thread_origin_x()` and `thread_origin_y()`.
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
    /// The largest width and height.
    pub const MAX: usize = limits::THREAD_SPACE;

    /// Creates a thread space of `width` x `height` threads.
    ///
    /// # Errors
    /// [`Error::ThreadSpace`] if `width` or `height` is 0 or above [`MAX`](Self::MAX).
    ///
    /// ```
    /// use cm::prelude::*;
    /// // One thread for each block of 32 x 8 bytes of a surface, rounded up.
    /// let (width, height) = (1920_usize, 1080_usize);
    /// let space = ThreadSpace::new(width.div_ceil(32), height.div_ceil(8))?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn new(width: usize, height: usize) -> Result<Self> {
        let legal = 1..=Self::MAX;
        if legal.contains(&width) && legal.contains(&height) {
            Ok(Self { width, height })
        } else {
            Err(Error::ThreadSpace { width, height })
        }
    }

    /// The number of threads in a row.
    #[must_use]
    pub const fn width(self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub const fn height(self) -> usize {
        self.height
    }
}
