//! The threads of a thread space that a thread waits for.

use std::fmt;

use thiserror::Error;

use crate::limits::{DEPENDENCIES, DEPENDENCY_HIGH, DEPENDENCY_LOW, MACRO_BLOCK};

/// The threads of a thread space that each thread waits for, as vectors from it to them. CM:
/// `CM_DEPENDENCY_PATTERN`, `SelectThreadDependencyPattern`, `SetThreadDependencyPattern`.
///
/// The thread at `(x, y)` starts when the threads at `(x + dx, y + dy)` have completed, for all vectors `(dx, dy)`
/// whose thread exists.
///
/// | Pattern | Vectors |
/// |---|---|
/// | [`NONE`](Self::NONE) | none: threads run in any order |
/// | [`VERTICAL_WAVE`](Self::VERTICAL_WAVE) | `(-1, 0)` |
/// | [`HORIZONTAL_WAVE`](Self::HORIZONTAL_WAVE) | `(0, -1)` |
/// | [`WAVEFRONT`](Self::WAVEFRONT) | `(-1, 0)`, `(0, -1)` |
/// | [`WAVEFRONT26`](Self::WAVEFRONT26) | `(-1, 0)`, `(0, -1)`, `(1, -1)` |
/// | [`WAVEFRONT26Z`](Self::WAVEFRONT26Z), [`WAVEFRONT26ZIG`](Self::WAVEFRONT26ZIG) | `(-1, 1)`, `(-1, 0)`, `(-1, -1)`, `(0, -1)`, `(1, -1)` |
/// | [`WAVEFRONT26X`](Self::WAVEFRONT26X) | `(-1, 3)`, `(-1, 1)`, `(-1, -1)`, `(0, -1)`, `(0, -2)`, `(0, -3)`, `(1, -3)` |
/// | [`wavefront26zi`](Self::wavefront26zi) | `(-1, 1)`, `(-2, 0)`, `(-1, 0)`, `(-1, -1)`, `(0, -1)`, `(1, -1)`, `(1, 0)` |
/// | [`custom`](Self::custom) | up to 8 custom vectors without a circle |
///
/// The vectors of `WAVEFRONT26Z`, `WAVEFRONT26X` and `wavefront26zi` lead in circles. With these patterns a
/// thread waits only for threads that come earlier in CM's order of dispatch: the blocks of 2 x 2 threads
/// (`WAVEFRONT26Z`) or of 1 x 4 threads (`WAVEFRONT26X`), or the macro blocks, in raster order. The threads
/// of a block come from left to right and from top to bottom; in a macro block all even columns come before
/// the odd ones.
///
/// ```
/// use cm::DependencyPattern;
/// use cm::prelude::*;
///
/// let space = ThreadSpace::new(120, 68)?.with_dependencies(DependencyPattern::WAVEFRONT26);
/// assert_eq!(space.dependencies().vectors(), [[-1, 0], [0, -1], [1, -1]]);
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DependencyPattern {
    /// The used vectors come first.
    vectors: [[i8; 2]; DEPENDENCIES],
    count: usize,
    block: Blocks,
    order: Order,
}

/// The order in which the threads of a block are dispatched.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Order {
    /// Row by row.
    Rows,
    /// First the even columns, then the odd ones.
    EvenColumns,
}

/// Blocks of threads that are dispatched one after the other: their columns and rows.
type Blocks = [u8; 2];

/// The slope of patterns with blocks of four threads: a block comes after the one on its left, and its threads after
/// those of the block above on the right that they wait for.
const BLOCK_SLOPE: [i64; 2] = [4, 6];

/// Why vectors do not form a dependency pattern.
///
/// ```
/// use cm::{DependencyError, DependencyPattern};
/// assert_eq!(DependencyPattern::custom(&[[9, 0]]), Err(DependencyError::Range { vector: [9, 0] }));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum DependencyError {
    /// More vectors than the hardware has.
    #[error("a dependency pattern of {count} vectors: it has at most {limit}", limit = DEPENDENCIES)]
    TooMany {
        /// The number of vectors.
        count: usize,
    },
    /// A vector that is too long.
    #[error(
        "a dependency on the thread at ({}, {}): each number is {low} to {high}",
        vector[0], vector[1], low = DEPENDENCY_LOW, high = DEPENDENCY_HIGH
    )]
    Range {
        /// The vector.
        vector: [i32; 2],
    },
    /// A macro block that is too large, or has no pairs of columns.
    #[error(
        "a macro block of {width} x {height} threads: it has an even number of columns, 2 to {limit}, and 1 to {limit} rows",
        limit = MACRO_BLOCK
    )]
    MacroBlock {
        /// Columns of threads.
        width: usize,
        /// Rows of threads.
        height: usize,
    },
    /// Vectors with which a thread waits for itself.
    #[error(
        "the dependencies {vectors:?} lead in a circle, so that threads wait for each other forever: let all of \
         them lead in one direction, such as to the left and up"
    )]
    Circle {
        /// The vectors.
        vectors: Vec<[i32; 2]>,
    },
}

impl DependencyPattern {
    /// No dependencies: threads run in any order. CM: `CM_NONE_DEPENDENCY`.
    pub const NONE: Self = Self::named(&[], [1, 1]);
    /// Each thread waits for the left one, so that columns run one after the other. CM: `CM_VERTICAL_WAVE`.
    pub const VERTICAL_WAVE: Self = Self::named(&[[-1, 0]], [1, 1]);
    /// Each thread waits for the one above, so that rows run one after the other. CM: `CM_HORIZONTAL_WAVE`.
    pub const HORIZONTAL_WAVE: Self = Self::named(&[[0, -1]], [1, 1]);
    /// Each thread waits for the left one and the one above. CM: `CM_WAVEFRONT`.
    pub const WAVEFRONT: Self = Self::named(&[[-1, 0], [0, -1]], [1, 1]);
    /// Each thread waits for the left one, the one above and the one above on the right. CM: `CM_WAVEFRONT26`.
    pub const WAVEFRONT26: Self = Self::named(&[[-1, 0], [0, -1], [1, -1]], [1, 1]);
    /// Each thread waits for those of its eight neighbours that come earlier in blocks of 2 x 2 threads. CM:
    /// `CM_WAVEFRONT26Z`.
    pub const WAVEFRONT26Z: Self = Self::named(&[[-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]], [2, 2]);
    /// The same as [`WAVEFRONT26Z`](Self::WAVEFRONT26Z). CM: `CM_WAVEFRONT26ZIG`.
    pub const WAVEFRONT26ZIG: Self = Self::WAVEFRONT26Z;
    /// Threads wait for those of their and the neighbouring blocks of 1 x 4 threads that come earlier. CM:
    /// `CM_WAVEFRONT26X`.
    pub const WAVEFRONT26X: Self =
        Self::named(&[[-1, 3], [-1, 1], [-1, -1], [0, -1], [0, -2], [0, -3], [1, -3]], [1, 4]);

    const fn named(vectors: &[[i8; 2]], block: Blocks) -> Self {
        let mut all = [[0; 2]; DEPENDENCIES];
        let mut count = 0;
        while count < vectors.len() {
            all[count] = vectors[count];
            count += 1;
        }
        Self { vectors: all, count, block, order: Order::Rows }
    }

    /// Edges of blocks of a picture, as a deblocking filter processes them: threads in even columns have the vertical
    /// edges, threads in odd columns the horizontal edges. The edges of a macro block of `width` x `height`
    /// threads come before those of the next one, its vertical edges before its horizontal ones. CM:
    /// `CM_WAVEFRONT26ZI` and `Set26ZIMacroBlockSize`.
    ///
    /// A thread waits for those of its neighbours that come earlier. This is the same for all patterns of CM's
    /// `Set26ZIDispatchPattern`: they differ only in the order of threads that do not wait for each other.
    ///
    /// # Errors
    /// [`DependencyError::MacroBlock`] if the width is not an even number from 2 to 16, or the height not 1 to 16.
    ///
    /// ```
    /// use cm::{DependencyError, DependencyPattern};
    ///
    /// let pattern = DependencyPattern::wavefront26zi(16, 8)?;
    /// assert_eq!(pattern.vectors(), [[-1, 1], [-2, 0], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]]);
    /// assert_eq!(DependencyPattern::wavefront26zi(3, 8), Err(DependencyError::MacroBlock { width: 3, height: 8 }));
    /// # Ok::<(), DependencyError>(())
    /// ```
    pub fn wavefront26zi(width: usize, height: usize) -> Result<Self, DependencyError> {
        let most = usize::from(MACRO_BLOCK);
        if !(2..=most).contains(&width) || !width.is_multiple_of(2) || !(1..=most).contains(&height) {
            return Err(DependencyError::MacroBlock { width, height });
        }
        let vectors = [[-1, 1], [-2, 0], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]];
        let pattern = Self::named(&vectors, [width as u8, height as u8]);
        Ok(Self { order: Order::EvenColumns, ..pattern })
    }

    /// A custom pattern: the thread at `(x, y)` waits for the threads at `(x + dx, y + dy)`, for each `[dx, dy]`. CM:
    /// `SetThreadDependencyPattern`.
    ///
    /// There are at most 8 vectors of numbers from -8 to 7.
    ///
    /// # Errors
    /// [`DependencyError`] if there are too many, if a number is out of range, or if the vectors lead in a circle,
    /// so that a thread would wait for itself. `[0, 0]` is a circle.
    ///
    /// ```
    /// use cm::{DependencyError, DependencyPattern};
    ///
    /// // The thread two columns to the left.
    /// assert!(DependencyPattern::custom(&[[-2, 0]]).is_ok());
    /// let circle = DependencyPattern::custom(&[[-1, 0], [1, -1], [0, 1]]);
    /// assert!(matches!(circle, Err(DependencyError::Circle { .. })));
    /// ```
    pub fn custom(vectors: &[[i32; 2]]) -> Result<Self, DependencyError> {
        if vectors.len() > DEPENDENCIES {
            return Err(DependencyError::TooMany { count: vectors.len() });
        }
        let mut short = vec![];
        for &vector in vectors {
            if !vector.iter().all(|n| (DEPENDENCY_LOW..=DEPENDENCY_HIGH).contains(n)) {
                return Err(DependencyError::Range { vector });
            }
            short.push(vector.map(|n| n as i8));
        }
        let pattern = Self::named(&short, [1, 1]);
        match pattern.slope([1, 1]) {
            Some(_) => Ok(pattern),
            None => Err(DependencyError::Circle { vectors: vectors.to_vec() }),
        }
    }

    /// The vectors to the threads that each thread waits for.
    #[must_use]
    pub fn vectors(&self) -> &[[i8; 2]] {
        &self.vectors[..self.count]
    }

    /// Whether the thread at the first coordinates waits for the thread at the second coordinates, if it has a vector
    /// to it.
    pub(super) fn counts(&self, thread: [i64; 2], other: [i64; 2]) -> bool {
        let [width, height] = self.block.map(i64::from);
        // A custom vector always counts; its blocks are single threads, whose order is that of the waves.
        let number = |[x, y]: [i64; 2]| {
            let part = match self.order {
                Order::Rows => 0,
                // Blocks have whole pairs of columns.
                Order::EvenColumns => x.rem_euclid(2),
            };
            [y.div_euclid(height), x.div_euclid(width), part, y, x]
        };
        self.block == [1, 1] || number(other) < number(thread)
    }

    /// The number of waves by which the next block to the right and the next block below come later, such that there
    /// are as few waves as possible; `None` if the vectors lead in a circle.
    ///
    /// Vectors without a circle are in a cone. The sum of the normals of its two sides is a slope, and its numbers are
    /// at most twice those of the longest vector.
    pub(super) fn slope(&self, [width, height]: [i64; 2]) -> Option<[i64; 2]> {
        match (self.order, self.block()) {
            (Order::Rows, [1, 1]) => {}
            (Order::Rows, _) => return Some(BLOCK_SLOPE),
            // The vertical edges of a row of a block and the edges next to them take these waves, and so do the
            // vertical edges of a column. A test checks that the waits of a block take no more.
            (Order::EvenColumns, [width, height]) => return Some([width / 2 + 3, height + 2]),
        }
        let most = -2 * i64::from(DEPENDENCY_LOW);
        let later = |[x, y]: [i64; 2]| {
            self.vectors().iter().all(|&[dx, dy]| x * i64::from(dx) + y * i64::from(dy) < 0)
        };
        let slopes = (-most..=most).flat_map(|x| (-most..=most).map(move |y| [x, y]));
        slopes
            .filter(|&slope| later(slope))
            .min_by_key(|[x, y]| (x.abs() * (width - 1) + y.abs() * (height - 1), x.abs() + y.abs()))
    }

    /// The columns and rows of the blocks that are dispatched one after the other.
    pub(super) fn block(&self) -> [i64; 2] {
        self.block.map(i64::from)
    }
}

impl fmt::Debug for DependencyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::NONE, "NONE"),
            (Self::VERTICAL_WAVE, "VERTICAL_WAVE"),
            (Self::HORIZONTAL_WAVE, "HORIZONTAL_WAVE"),
            (Self::WAVEFRONT, "WAVEFRONT"),
            (Self::WAVEFRONT26, "WAVEFRONT26"),
            (Self::WAVEFRONT26Z, "WAVEFRONT26Z"),
            (Self::WAVEFRONT26X, "WAVEFRONT26X"),
        ];
        match names.iter().find(|(known, _)| known == self) {
            Some((_, name)) => f.write_str(name),
            None if self.order == Order::EvenColumns => {
                write!(f, "wavefront26zi({}, {})", self.block[0], self.block[1])
            }
            None => f.debug_list().entries(self.vectors()).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_checked() {
        assert_eq!(DependencyPattern::custom(&[]), Ok(DependencyPattern::NONE));
        assert_eq!(DependencyPattern::custom(&[[-1, 0], [0, -1]]), Ok(DependencyPattern::WAVEFRONT));
        let eight = [[-1, 0], [-2, 0], [-3, 0], [-4, 0], [-5, 0], [-6, 0], [-7, 0], [-8, 0]];
        assert!(DependencyPattern::custom(&eight).is_ok());
        let nine = [&eight[..], &[[0, -1]]].concat();
        assert_eq!(DependencyPattern::custom(&nine), Err(DependencyError::TooMany { count: 9 }));
        for vector in [[8, 0], [0, 8], [-9, 0], [0, -9]] {
            assert_eq!(DependencyPattern::custom(&[vector]), Err(DependencyError::Range { vector }));
        }
    }

    #[test]
    fn macro_blocks_are_checked() {
        for (width, height) in [(0, 1), (1, 1), (3, 2), (18, 1), (2, 0), (2, 17)] {
            let error = DependencyPattern::wavefront26zi(width, height).unwrap_err();
            assert_eq!(error, DependencyError::MacroBlock { width, height });
            assert!(error.to_string().contains(&format!("{width} x {height}")), "{error}");
        }
        for (width, height) in [(2, 1), (16, 16)] {
            assert!(DependencyPattern::wavefront26zi(width, height).is_ok());
        }
    }

    /// Tries all sums of few vectors.
    #[test]
    fn circles_are_refused() {
        let all: Vec<[i32; 2]> = (-2..3).flat_map(|x| (-2..3).map(move |y| [x, y])).collect();
        let mut circles = 0;
        for (n, a) in all.iter().enumerate() {
            for (k, b) in all.iter().enumerate().skip(n) {
                for c in &all[k..] {
                    let counts =
                        (0..9).flat_map(|i| (0..9).flat_map(move |j| (0..9).map(move |k| [i, j, k])));
                    let circle = counts
                        .skip(1)
                        .any(|[i, j, k]| (0..2).all(|axis| i * a[axis] + j * b[axis] + k * c[axis] == 0));
                    let found = DependencyPattern::custom(&[*a, *b, *c]);
                    assert_eq!(found.is_err(), circle, "{a:?} {b:?} {c:?}");
                    circles += usize::from(circle);
                }
            }
        }
        assert!((1..2925).contains(&circles), "{circles} of all sets");
        let error = DependencyPattern::custom(&[[-1, 0], [1, 0]]).unwrap_err();
        assert!(error.to_string().contains("[[-1, 0], [1, 0]] lead in a circle"), "{error}");
    }

    #[test]
    fn patterns_show_their_names() {
        assert_eq!(format!("{:?}", DependencyPattern::WAVEFRONT26X), "WAVEFRONT26X");
        assert_eq!(format!("{:?}", DependencyPattern::custom(&[[-2, 1]]).unwrap()), "[[-2, 1]]");
        assert_eq!(format!("{:?}", DependencyPattern::wavefront26zi(4, 2).unwrap()), "wavefront26zi(4, 2)");
    }
}
