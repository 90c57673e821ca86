//! The waves of a thread space with dependencies: threads that run at the same time.
//!
//! ```text
//! line <- affine (all threads have the vectors of a pattern) <- masked (each thread has some of them) <- Waves
//! ```

mod affine;
mod line;
mod masked;

use std::sync::Arc;

use affine::AffineWaves;
pub use line::Line;
use masked::MaskedWaves;

use super::dependency::DependencyPattern;

/// The threads of a space in waves: a thread waits only for threads of earlier waves.
///
/// ```
/// use cm::DependencyPattern;
/// use cm::ir::Waves;
///
/// let waves = Waves::new(DependencyPattern::WAVEFRONT, [3, 2]);
/// let threads = |wave| waves.lines(wave).flat_map(|line| (0..line.count).map(move |n| line.origin(n)));
/// assert_eq!(waves.count(), 4);
/// assert_eq!(threads(1).collect::<Vec<_>>(), [[1, 0], [0, 1]]);
/// ```
#[derive(Clone, Debug)]
pub struct Waves(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Affine(AffineWaves),
    Masked(Arc<MaskedWaves>),
}

impl Waves {
    /// The waves of a space with this number of columns and rows of threads.
    #[must_use]
    pub fn new(pattern: DependencyPattern, size: [u32; 2]) -> Self {
        Self(Kind::Affine(AffineWaves::new(pattern, size)))
    }

    /// The waves of a space where the thread at `[x, y]` has only some vectors of the pattern: bit `n` of
    /// `mask([x, y])` says whether it has vector `n`. A thread is in the first wave that is possible.
    #[must_use]
    pub fn masked(pattern: DependencyPattern, size: [u32; 2], mask: impl FnMut([u32; 2]) -> u8) -> Self {
        Self(Kind::Masked(Arc::new(MaskedWaves::new(pattern, size, mask))))
    }

    /// The number of waves. Some may be empty.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Affine(waves) => waves.count(),
            Kind::Masked(waves) => waves.count(),
        }
    }

    /// The threads of a wave, none of which waits for another one.
    pub fn lines(&self, wave: usize) -> impl Iterator<Item = Line> + '_ {
        let (affine, masked) = self.kinds();
        let affine = affine.into_iter().flat_map(move |waves| waves.lines(wave));
        affine.chain(masked.into_iter().flat_map(move |waves| waves.lines(wave)))
    }

    /// The threads of the largest wave.
    #[must_use]
    pub fn widest(&self) -> usize {
        let threads = |wave| self.lines(wave).map(|line| line.count as usize).sum();
        (0..self.count()).map(threads).max().unwrap_or(0)
    }

    /// The possible differences between the coordinates of two threads of a wave, perhaps with others.
    pub fn differences(&self) -> impl Iterator<Item = [i64; 2]> + '_ {
        let (affine, masked) = self.kinds();
        let affine = affine.into_iter().flat_map(AffineWaves::differences);
        affine.chain(masked.into_iter().flat_map(MaskedWaves::differences))
    }

    fn kinds(&self) -> (Option<&AffineWaves>, Option<&MaskedWaves>) {
        match &self.0 {
            Kind::Affine(waves) => (Some(waves), None),
            Kind::Masked(waves) => (None, Some(waves)),
        }
    }
}
