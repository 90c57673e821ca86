//! The waves of threads that have only some of the vectors of a pattern.
//!
//! They have no formula: the wave of each thread is the length of the longest chain of threads that it waits for. The
//! waves of the whole pattern are an order in which these lengths can be computed. The threads of a wave are listed as
//! the fewest lines along the lines of the pattern, rows or columns.

use super::affine::AffineWaves;
use super::line::Line;
use crate::ir::dependency::DependencyPattern;

/// The pairs of threads after which differences between threads of a wave are no longer searched.
const PAIRS: u64 = 1 << 24;

/// Waves by their lines.
#[derive(Debug)]
pub(super) struct MaskedWaves {
    /// The lines of all waves, one wave after the other.
    lines: Vec<Line>,
    /// The end of each wave in `lines`.
    ends: Vec<usize>,
    differences: Differences,
}

impl MaskedWaves {
    /// The waves of a space with this number of columns and rows; bit `n` of the mask of a thread says whether it has
    /// vector `n` of the pattern.
    pub(super) fn new(
        pattern: DependencyPattern,
        size @ [width, height]: [u32; 2],
        mut mask: impl FnMut([u32; 2]) -> u8,
    ) -> Self {
        let all = AffineWaves::new(pattern, size);
        let place = |[x, y]: [u32; 2]| y as usize * width as usize + x as usize;
        let mut wave_of = vec![0; width as usize * height as usize];
        let mut waves: Vec<Vec<[u32; 2]>> = vec![];
        for line in (0..all.count()).flat_map(|wave| all.lines(wave)) {
            for thread in (0..line.count).map(|n| line.origin(n)) {
                let mask = mask(thread);
                let vectors = pattern.vectors().iter().enumerate().filter(|(n, _)| mask >> n & 1 == 1);
                let wave = vectors
                    .filter_map(|(_, vector)| {
                        let other = [0, 1].map(|axis| i64::from(thread[axis]) + i64::from(vector[axis]));
                        let inside = (0..2).all(|axis| (0..i64::from(size[axis])).contains(&other[axis]));
                        let waits = inside && pattern.counts(thread.map(i64::from), other);
                        waits.then(|| wave_of[place(other.map(|n| n as u32))] + 1)
                    })
                    .max()
                    .unwrap_or(0);
                wave_of[place(thread)] = wave;
                if waves.len() <= wave {
                    waves.resize(wave + 1, vec![]);
                }
                waves[wave].push(thread);
            }
        }
        let mut all_lines = Self { lines: vec![], ends: vec![], differences: Differences::none(size) };
        let along = (0..all.count()).flat_map(|wave| all.lines(wave)).find(|line| line.count > 1);
        let mut steps = vec![[1, 0], [0, 1]];
        steps.extend(along.map(|line| line.step).filter(|step| *step != [1, 0] && *step != [0, 1]));
        for threads in &mut waves {
            let lines = steps.iter().map(|&step| lines(threads, step));
            let lines = lines.min_by_key(Vec::len).unwrap_or_default();
            all_lines.differences.add(&lines);
            all_lines.lines.extend(lines);
            all_lines.ends.push(all_lines.lines.len());
        }
        all_lines
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn lines(&self, wave: usize) -> impl Iterator<Item = Line> + '_ {
        let start = if wave == 0 { 0 } else { self.ends[wave - 1] };
        self.lines[start..self.ends[wave]].iter().copied()
    }

    /// The differences between the coordinates of two threads of a wave; all differences, if there are too many pairs.
    pub(super) fn differences(&self) -> impl Iterator<Item = [i64; 2]> + '_ {
        self.differences.iter()
    }
}

/// Threads as lines with this step: sorted by row and column of their first thread.
fn lines(threads: &mut [[u32; 2]], step: [i32; 2]) -> Vec<Line> {
    // Threads on the same line are next to each other, in order.
    threads.sort_unstable_by_key(|&[x, y]| {
        let [x, y, dx, dy] = [x.into(), y.into(), step[0].into(), step[1].into()].map(|n: i64| n);
        let along = if dy == 0 { x } else { y };
        ([x * dy - y * dx, along.rem_euclid(if dy == 0 { dx } else { dy })], along)
    });
    let mut lines: Vec<Line> = vec![];
    for &thread in &*threads {
        match lines.last_mut() {
            Some(line) if line.origin(line.count) == thread => line.count += 1,
            _ => lines.push(Line { first: thread, step, count: 1 }),
        }
    }
    lines.sort_unstable_by_key(|line| [line.first[1], line.first[0]]);
    lines
}

/// A set of differences between the coordinates of threads.
#[derive(Debug)]
struct Differences {
    size: [i64; 2],
    /// A bit for each difference, row by row; `None` for all differences.
    found: Option<Vec<u64>>,
    pairs: u64,
}

impl Differences {
    fn none(size: [u32; 2]) -> Self {
        // A space without threads has the differences of one thread: none.
        let size = size.map(|n| i64::from(n).max(1));
        let bits = ((2 * size[0] - 1) * (2 * size[1] - 1)) as usize;
        Self { size, found: Some(vec![0; bits.div_ceil(64)]), pairs: 0 }
    }

    /// The number of differences in a row.
    fn row(&self) -> i64 {
        2 * self.size[0] - 1
    }

    /// Adds the differences between threads of these lines, which have one step.
    fn add(&mut self, lines: &[Line]) {
        let row = self.row();
        for a in lines {
            for b in lines {
                let steps = 1 - i64::from(a.count)..i64::from(b.count);
                self.pairs += steps.clone().count() as u64;
                if self.pairs > PAIRS {
                    self.found = None;
                }
                let Some(found) = &mut self.found else { return };
                for step in steps {
                    let [dx, dy] = [0, 1].map(|axis| {
                        i64::from(b.first[axis]) - i64::from(a.first[axis]) + step * i64::from(a.step[axis])
                    });
                    let bit = ((dy + self.size[1] - 1) * row + dx + self.size[0] - 1) as usize;
                    found[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = [i64; 2]> + '_ {
        let (row, [width, height]) = (self.row(), self.size);
        (0..row * (2 * height - 1)).filter_map(move |bit| {
            let place = bit as usize;
            let is_in = self.found.as_ref().is_none_or(|found| found[place / 64] >> (place % 64) & 1 == 1);
            let between = [bit % row - (width - 1), bit / row - (height - 1)];
            (is_in && between != [0, 0]).then_some(between)
        })
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::interpret::cases::RandomNumbers;

    type Pattern = DependencyPattern;

    /// The wave of each thread; every thread is on exactly one line.
    fn waves(waves: &MaskedWaves, [width, height]: [u32; 2]) -> Vec<usize> {
        let mut of = vec![usize::MAX; (width * height) as usize];
        for wave in 0..waves.count() {
            for [x, y] in waves.lines(wave).flat_map(|line| (0..line.count).map(move |n| line.origin(n))) {
                let place = &mut of[(y * width + x) as usize];
                assert_eq!(*place, usize::MAX, "{x}, {y} twice");
                *place = wave;
            }
        }
        assert!(!of.contains(&usize::MAX));
        of
    }

    /// Threads are in the first wave after those that they wait for, and the differences are those of all pairs.
    #[test]
    fn threads_come_as_early_as_they_can() {
        let mut numbers = RandomNumbers::new();
        let custom = Pattern::custom(&[[-2, 1], [1, -5], [-8, 7]]).unwrap();
        let edges = Pattern::wavefront26zi(4, 3).unwrap();
        let named = [Pattern::NONE, Pattern::WAVEFRONT, Pattern::WAVEFRONT26, Pattern::WAVEFRONT26Z];
        for pattern in named.into_iter().chain([custom, edges]) {
            for size @ [width, height] in [[0, 0], [0, 3], [4, 0], [1, 1], [7, 1], [1, 6], [9, 5], [13, 12]] {
                let masks: Vec<u8> = (0..width * height).map(|_| numbers.next() as u8).collect();
                let masked = MaskedWaves::new(pattern, size, |[x, y]| masks[(y * width + x) as usize]);
                let of = waves(&masked, size);
                for (thread, &wave) in of.iter().enumerate() {
                    let [x, y] = [thread as i64 % i64::from(width), thread as i64 / i64::from(width)];
                    let mut first = 0;
                    for (n, [dx, dy]) in pattern.vectors().iter().enumerate() {
                        let [ox, oy] = [x + i64::from(*dx), y + i64::from(*dy)];
                        let inside =
                            (0..i64::from(width)).contains(&ox) && (0..i64::from(height)).contains(&oy);
                        if masks[thread] & 1 << n != 0 && inside && pattern.counts([x, y], [ox, oy]) {
                            first = first.max(of[(oy * i64::from(width) + ox) as usize] + 1);
                        }
                    }
                    assert_eq!(wave, first, "{pattern:?} {size:?} {thread}");
                }
                let all: FxHashSet<[i64; 2]> = masked.differences().collect();
                let mut pairs = FxHashSet::default();
                for a in 0..of.len() {
                    for b in (0..of.len()).filter(|b| *b != a && of[*b] == of[a]) {
                        let [a, b] =
                            [a, b].map(|n| [n as i64 % i64::from(width), n as i64 / i64::from(width)]);
                        pairs.insert([b[0] - a[0], b[1] - a[1]]);
                    }
                }
                assert_eq!(all, pairs, "{pattern:?} {size:?}");
            }
        }
    }

    /// With all vectors the waves are those of the pattern, on as many lines.
    #[test]
    fn full_masks_change_nothing() {
        for pattern in
            [Pattern::HORIZONTAL_WAVE, Pattern::VERTICAL_WAVE, Pattern::WAVEFRONT, Pattern::WAVEFRONT26]
        {
            let (masked, all) =
                (MaskedWaves::new(pattern, [13, 6], |_| !0), AffineWaves::new(pattern, [13, 6]));
            assert_eq!(masked.count(), all.count(), "{pattern:?}");
            for wave in 0..all.count() {
                let [mut found, mut expected] =
                    [masked.lines(wave).collect::<Vec<_>>(), all.lines(wave).collect()];
                // The step of a single thread does not matter.
                for lines in [&mut found, &mut expected] {
                    lines.iter_mut().filter(|line| line.count == 1).for_each(|line| line.step = [0, 0]);
                }
                assert_eq!(found, expected, "{pattern:?} {wave}");
            }
        }
    }

    /// Slices of a picture that do not wait for each other.
    #[test]
    fn slices_run_at_the_same_time() {
        let slices = MaskedWaves::new(Pattern::WAVEFRONT, [10, 8], |[_, y]| if y % 4 == 0 { 1 } else { !0 });
        assert_eq!(slices.count(), 10 + 4 - 1);
        assert!((0..slices.count()).all(|wave| slices.lines(wave).count() == 2));
        let free = MaskedWaves::new(Pattern::WAVEFRONT, [10, 8], |_| 0);
        assert_eq!((free.count(), free.lines(0).count()), (1, 8));
    }

    /// Too many pairs: the set contains every difference.
    #[test]
    fn too_many_pairs_are_all_differences() {
        let free = MaskedWaves::new(Pattern::WAVEFRONT, [400, 300], |_| 0);
        assert_eq!(free.differences().count(), 799 * 599 - 1);
    }
}
