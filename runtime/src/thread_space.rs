//! The media walker's thread space.

use std::sync::Arc;

use cm_compiler::ir::{DependencyPattern, Waves};

use crate::error::{Error, Result};
use crate::limits;

/// The number of kernel threads of a launch: `width` x `height`, one for each pair of coordinates. CM:
/// `CreateThreadSpace`.
///
/// `width` and `height` are 1 to 2047, the limit of the media walker since Skylake. In a kernel, a thread's
/// coordinates are `thread_origin_x()` and `thread_origin_y()`. Threads run in any order, unless
/// [`with_dependencies`](Self::with_dependencies) sets which threads wait for which.
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
    dependencies: DependencyPattern,
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
            Ok(Self { width, height, dependencies: DependencyPattern::NONE })
        } else {
            Err(Error::ThreadSpace { width, height })
        }
    }

    /// Returns the same thread space, where each thread starts when the threads named by the pattern have completed,
    /// and sees what they wrote. CM: `SelectThreadDependencyPattern`, `SetThreadDependencyPattern`.
    ///
    /// - The CPU and GPUs run the threads in waves: threads that wait only for threads of earlier waves run at the same
    ///   time. On a GPU each wave is a launch, with only a barrier between launches.
    /// - Two threads of a wave must not write the same bytes, and no thread may read what another one writes. If this
    ///   is not proven, the CPU runs the threads of a wave one after the other, in the same order on every machine. A
    ///   GPU runs them in any order, and a warning says so.
    /// - CM's `cm_wait` and `cm_signal` are [`wait`](../cm/slm/fn.wait.html) and [`signal`](../cm/slm/fn.signal.html),
    ///   which do nothing in a thread space: a thread has already waited when it starts.
    ///
    /// [The guide](../cm/guide/waves/index.html) has a chapter.
    ///
    /// ```
    /// use cm::DependencyPattern;
    /// use cm::prelude::*;
    ///
    /// /// Each thread adds a row of 16 bytes to the one above.
    /// #[kernel]
    /// fn running_sum(image: &mut Surface2D) {
    ///     let y = thread_origin_y() + 1;
    ///     let sum = image.read::<u8, 1, 16>(0, y - 1) + image.read::<u8, 1, 16>(0, y);
    ///     image.write(0, y, &sum.convert::<u8>());
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut image = Surface2D::from_bytes(&device, Format::R8, 16, 9, &[2; 16 * 9])?;
    /// let space = ThreadSpace::new(1, 8)?.with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    /// running_sum::launch(&device, space, &mut image)?;
    /// assert_eq!(image.to_vec()?[8 * 16], 9 * 2);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn with_dependencies(self, dependencies: DependencyPattern) -> Self {
        Self { dependencies, ..self }
    }

    /// Returns the same thread space, where each thread has only some of the dependencies of the pattern: bit `n` of
    /// `mask(x, y)` says whether the thread at `(x, y)` waits for the thread of vector `n` of
    /// [`DependencyPattern::vectors`]. CM: `AssociateThreadWithMask`.
    ///
    /// Threads run as early as they can. This finds the wave of each thread once; the result can be used for
    /// many launches, which take a reference to it.
    ///
    /// ```
    /// use cm::DependencyPattern;
    /// use cm::prelude::*;
    ///
    /// /// Each thread adds a row of 16 bytes to the one above, except in the first row of a slice of 4 rows.
    /// #[kernel]
    /// fn running_sum(image: &mut Surface2D) {
    ///     let y = thread_origin_y();
    ///     let mut sum = image.read::<u8, 1, 16>(0, y);
    ///     if y % 4 != 0 {
    ///         sum += image.read::<u8, 1, 16>(0, y - 1);
    ///     }
    ///     image.write(0, y, &sum);
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut image = Surface2D::from_bytes(&device, Format::R8, 16, 8, &[2; 16 * 8])?;
    /// let space = ThreadSpace::new(1, 8)?.with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    /// let slices = space.with_dependency_masks(|_, y| if y % 4 == 0 { 0 } else { 1 });
    /// running_sum::launch(&device, &slices, &mut image)?;
    /// assert_eq!(image.read_rect(0, 0, 1, 8)?, [2, 4, 6, 8, 2, 4, 6, 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn with_dependency_masks(self, mut mask: impl FnMut(usize, usize) -> u8) -> MaskedThreadSpace {
        let size = [self.width as u32, self.height as u32];
        let waves = Waves::masked(self.dependencies, size, |[x, y]| mask(x as usize, y as usize));
        if waves.count() == 1 {
            // No thread waits.
            return MaskedThreadSpace { space: self.with_dependencies(DependencyPattern::NONE), waves: None };
        }
        MaskedThreadSpace { space: self, waves: Some(Arc::new(waves)) }
    }

    /// Which threads wait for which.
    ///
    /// ```
    /// use cm::DependencyPattern;
    /// use cm::prelude::*;
    /// assert_eq!(ThreadSpace::new(4, 4)?.dependencies(), DependencyPattern::NONE);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn dependencies(self) -> DependencyPattern {
        self.dependencies
    }

    /// The number of threads in a row. [`ThreadSpace`] has an example.
    #[must_use]
    pub const fn width(self) -> usize {
        self.width
    }

    /// The number of rows. [`ThreadSpace`] has an example.
    #[must_use]
    pub const fn height(self) -> usize {
        self.height
    }
}

/// A thread space where each thread has only some of the dependencies of a pattern; see
/// [`ThreadSpace::with_dependency_masks`]. A launch takes a reference to it. CM: `AssociateThreadWithMask`.
///
/// ```
/// use cm::DependencyPattern;
/// use cm::prelude::*;
///
/// let space = ThreadSpace::new(4, 4)?.with_dependencies(DependencyPattern::WAVEFRONT);
/// // Columns wait only for the columns on their left, except in the first row.
/// let masked = space.with_dependency_masks(|_, y| if y == 0 { 0 } else { 0b01 });
/// assert_eq!((masked.width(), masked.height()), (4, 4));
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaskedThreadSpace {
    space: ThreadSpace,
    /// `None` if no thread waits for another one.
    waves: Option<Arc<Waves>>,
}

impl MaskedThreadSpace {
    /// The number of threads in a row. [`MaskedThreadSpace`] has an example.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.space.width()
    }

    /// The number of rows. [`MaskedThreadSpace`] has an example.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.space.height()
    }

    /// The thread space without masks.
    pub(crate) const fn space(&self) -> ThreadSpace {
        self.space
    }

    pub(crate) const fn waves(&self) -> Option<&Arc<Waves>> {
        self.waves.as_ref()
    }
}
