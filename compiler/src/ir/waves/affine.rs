//! The waves of a pattern.
//!
//! The number of a thread's wave is an affine function of the coordinates of its block, plus a delay in the block. So
//! the threads of a wave are on straight lines, which a launch can pass to a GPU, and differ by few vectors, all of
//! which an analysis can try.

use super::line::Line;
use crate::ir::dependency::DependencyPattern;

/// The waves of a space in which every thread has all vectors of a pattern.
#[derive(Clone, Debug)]
pub(super) struct AffineWaves {
    size: [i64; 2],
    block: [i64; 2],
    /// The number of waves by which the next block to the right, and the next block below, come later.
    slope: [i64; 2],
    /// The number of waves by which the threads of a block come later than its first thread, in raster order.
    delays: Vec<i64>,
    /// The number of the first wave, which is subtracted so that waves count from 0.
    base: i64,
}

impl AffineWaves {
    /// The waves of a space with this number of columns and rows of threads.
    pub(super) fn new(pattern: DependencyPattern, size: [u32; 2]) -> Self {
        let (size, block) = (size.map(i64::from), pattern.block());
        let slope = pattern.slope(size).unwrap_or_else(|| unreachable!("patterns have no circles"));
        let mut waves = Self { size, block, slope, delays: delays(&pattern, slope), base: 0 };
        // Blocks of several threads have positive slopes, and single threads no delay.
        let blocks = waves.blocks(0);
        waves.base = (0..2).map(|axis| (slope[axis] * (blocks[axis] - 1)).min(0)).sum();
        waves
    }

    /// The number of blocks along each axis that contain the thread with this number in a block.
    fn blocks(&self, number: usize) -> [i64; 2] {
        let place = self.place(number);
        std::array::from_fn(|axis| {
            (self.size[axis] - place[axis] + self.block[axis] - 1).div_euclid(self.block[axis]).max(0)
        })
    }

    /// The position of the thread with this number in a block.
    fn place(&self, number: usize) -> [i64; 2] {
        let number = number as i64;
        [number % self.block[0], number / self.block[0]]
    }

    /// The number of waves. Some may be empty.
    pub(super) fn count(&self) -> usize {
        let last = |number: usize| {
            let blocks = self.blocks(number);
            let ends = (0..2).map(|axis| (self.slope[axis] * (blocks[axis] - 1)).max(0));
            blocks.iter().all(|&count| count > 0).then(|| ends.sum::<i64>() + self.delays[number])
        };
        let last = (0..self.delays.len()).filter_map(last).max().unwrap_or(0);
        (last - self.base + 1) as usize
    }

    /// The threads of a wave, none of which waits for another one.
    pub(super) fn lines(&self, wave: usize) -> impl Iterator<Item = Line> + '_ {
        (0..self.delays.len()).flat_map(move |number| {
            let sum = wave as i64 + self.base - self.delays[number];
            let place = self.place(number);
            let all = points(self.slope, sum, self.blocks(number).map(|count| [0, count]));
            all.map(move |points| Line {
                first: std::array::from_fn(|axis| {
                    (points.first[axis] * self.block[axis] + place[axis]) as u32
                }),
                step: std::array::from_fn(|axis| (points.step[axis] * self.block[axis]) as i32),
                count: points.count as u32,
            })
        })
    }

    /// The possible differences between the coordinates of two threads of a wave.
    pub(super) fn differences(&self) -> impl Iterator<Item = [i64; 2]> + '_ {
        let all = 0..self.delays.len();
        let pairs = all.clone().flat_map(move |number| all.clone().map(move |other| (number, other)));
        pairs.flat_map(move |(number, other)| {
            let (here, there) = (self.blocks(number), self.blocks(other));
            let (place, other_place) = (self.place(number), self.place(other));
            let later = self.delays[number] - self.delays[other];
            let bounds = std::array::from_fn(|axis| [1 - here[axis], there[axis]]);
            let all = points(self.slope, later, bounds);
            all.flat_map(|Points { first, step, count }| {
                (0..count).map(move |n| std::array::from_fn(|axis| first[axis] + n * step[axis]))
            })
            .map(move |blocks: [i64; 2]| {
                std::array::from_fn(|axis| blocks[axis] * self.block[axis] + other_place[axis] - place[axis])
            })
            .filter(|between| *between != [0, 0])
        })
    }
}

/// The number of waves by which each thread of a block comes later than its first thread could.
fn delays(pattern: &DependencyPattern, slope: [i64; 2]) -> Vec<i64> {
    let block @ [width, height] = pattern.block();
    let threads = || (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
    let mut delays: Vec<i64> = vec![0; (width * height) as usize];
    // Each iteration settles at least the next thread in the order of dispatch, mostly many more.
    for _ in 0..delays.len() {
        let before = delays.clone();
        for (number, thread) in threads().enumerate() {
            for vector in pattern.vectors() {
                let other: [i64; 2] = std::array::from_fn(|axis| thread[axis] + i64::from(vector[axis]));
                if !pattern.counts(thread, other) {
                    continue;
                }
                let [dx, dy]: [i64; 2] = std::array::from_fn(|axis| other[axis].div_euclid(block[axis]));
                let place: [i64; 2] = std::array::from_fn(|axis| other[axis].rem_euclid(block[axis]));
                let earlier = delays[(place[1] * width + place[0]) as usize] + slope[0] * dx + slope[1] * dy;
                delays[number] = delays[number].max(earlier + 1);
            }
        }
        if delays == before {
            break;
        }
    }
    delays
}

/// Points on a line.
#[derive(Clone, Copy)]
struct Points {
    first: [i64; 2],
    step: [i64; 2],
    count: i64,
}

/// The points with whole coordinates at which the slope times the coordinates is `sum`, within bounds that do not
/// include their ends. The lines go down, or to the right.
fn points(slope: [i64; 2], sum: i64, bounds: [[i64; 2]; 2]) -> impl Iterator<Item = Points> {
    // Threads that wait for nobody: all points, row by row.
    let [[left, right], [top, bottom]] = bounds;
    let rows = if slope == [0, 0] && sum == 0 && left < right { top..bottom } else { 0..0 };
    rows.map(move |y| Points { first: [left, y], step: [1, 0], count: right - left })
        .chain(points_of_slope(slope, sum, bounds))
}

/// The points on the line with a slope other than 0; `None` if there are none.
fn points_of_slope([a, b]: [i64; 2], sum: i64, bounds: [[i64; 2]; 2]) -> Option<Points> {
    let divisor = divisor(a.abs(), b.abs());
    if bounds.iter().any(|[low, high]| low >= high) || divisor == 0 || sum % divisor != 0 {
        return None;
    }
    let [a, b, sum] = [a, b, sum].map(|n| n / divisor);
    // Down, or to the right.
    let step = if a > 0 || (a == 0 && b < 0) { [-b, a] } else { [b, -a] };
    // One of `|a|` rows next to each other has a point; with rows alone every column has.
    let some = match a {
        0 => [bounds[0][0], sum / b],
        _ => (0..a.abs()).find(|y| (sum - b * y) % a == 0).map(|y| [(sum - b * y) / a, y])?,
    };
    // The numbers of the points within bounds, counted from this one.
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    for axis in 0..2 {
        let [first, last] = [bounds[axis][0] - some[axis], bounds[axis][1] - 1 - some[axis]];
        match step[axis] {
            0 if first > 0 || last < 0 => return None,
            0 => {}
            step => {
                let (near, far) = if step > 0 { (first, last) } else { (-last, -first) };
                let step = step.abs();
                low = low.max(-(-near).div_euclid(step));
                high = high.min(far.div_euclid(step));
            }
        }
    }
    let first = std::array::from_fn(|axis| some[axis] + low * step[axis]);
    (low <= high).then(|| Points { first, step, count: high - low + 1 })
}

/// The greatest common divisor.
fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;

    type Pattern = DependencyPattern;

    const NAMED: [Pattern; 7] = [
        Pattern::NONE,
        Pattern::VERTICAL_WAVE,
        Pattern::HORIZONTAL_WAVE,
        Pattern::WAVEFRONT,
        Pattern::WAVEFRONT26,
        Pattern::WAVEFRONT26Z,
        Pattern::WAVEFRONT26X,
    ];

    /// Macro blocks of edges.
    fn edges() -> impl Iterator<Item = Pattern> {
        [[2, 1], [2, 2], [4, 3], [6, 2], [8, 8], [16, 8]]
            .into_iter()
            .map(|[width, height]| Pattern::wavefront26zi(width, height).unwrap())
    }

    const SIZES: [[u32; 2]; 11] =
        [[1, 1], [1, 7], [7, 1], [2, 2], [3, 2], [2, 3], [4, 4], [5, 7], [8, 8], [13, 6], [6, 13]];

    /// The wave of each thread, row by row; every thread is in exactly one wave.
    fn waves(pattern: Pattern, size: [u32; 2]) -> Vec<usize> {
        let (waves, [width, height]) = (AffineWaves::new(pattern, size), size);
        let mut of = vec![usize::MAX; (width * height) as usize];
        for wave in 0..waves.count() {
            for line in waves.lines(wave) {
                for [x, y] in (0..line.count).map(|n| line.origin(n)) {
                    assert!(x < width && y < height, "{pattern:?} {size:?}: {x}, {y}");
                    let wave_of = &mut of[(y * width + x) as usize];
                    assert_eq!(*wave_of, usize::MAX, "{pattern:?} {size:?}: {x}, {y} twice");
                    *wave_of = wave;
                }
            }
        }
        assert!(!of.contains(&usize::MAX), "{pattern:?} {size:?}");
        of
    }

    /// The threads that each thread waits for, by an independent rule: the vectors, and for patterns with circles the
    /// order of blocks.
    fn waits(pattern: Pattern, [width, height]: [u32; 2]) -> Vec<Vec<usize>> {
        let number = |x: i64, y: i64| {
            let of_block = |w: i64, h: i64| ((y / h) * 100 + x / w) * 100 + (y % h) * w + x % w;
            match pattern {
                Pattern::WAVEFRONT26Z => of_block(2, 2),
                Pattern::WAVEFRONT26X => of_block(1, 4),
                _ if pattern.block() != [1, 1] => {
                    let [w, h] = pattern.block();
                    // The column pairs are in the same block.
                    ((y / h) * 100 + x / w) * 10_000 + (x % 2) * 1000 + (y % h) * w + x % w
                }
                _ => 0,
            }
        };
        let (width, height) = (i64::from(width), i64::from(height));
        let threads = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        threads
            .map(|(x, y)| {
                let others =
                    pattern.vectors().iter().map(|[dx, dy]| (x + i64::from(*dx), y + i64::from(*dy)));
                others
                    .filter(|(x, y)| (0..width).contains(x) && (0..height).contains(y))
                    .filter(|&(ox, oy)| {
                        number(x, y) == 0 && number(ox, oy) == 0 || number(ox, oy) < number(x, y)
                    })
                    .map(|(x, y)| (y * width + x) as usize)
                    .collect()
            })
            .collect()
    }

    #[test]
    fn threads_wait_only_for_earlier_waves() {
        let mut numbers = crate::interpret::cases::RandomNumbers::new();
        let mut custom = vec![];
        while custom.len() < 60 {
            let count = 1 + numbers.next() as usize % 8;
            let vectors: Vec<[i32; 2]> =
                (0..count).map(|_| [(); 2].map(|()| numbers.next() as i32 % 16 - 8)).collect();
            custom.extend(Pattern::custom(&vectors));
        }
        for pattern in NAMED.into_iter().chain(custom).chain(edges()) {
            for size in SIZES {
                let of = waves(pattern, size);
                for (thread, others) in waits(pattern, size).iter().enumerate() {
                    assert!(
                        others.iter().all(|&other| of[other] < of[thread]),
                        "{pattern:?} {size:?} {thread}"
                    );
                }
            }
        }
    }

    /// The named patterns have no more waves than the longest chain of threads that wait for each other.
    #[test]
    fn there_are_as_few_waves_as_possible() {
        for pattern in NAMED {
            for size in [[4, 4], [8, 8], [12, 8], [8, 12]] {
                let waits = waits(pattern, size);
                let mut chain = vec![0; waits.len()];
                for _ in 0..waits.len() {
                    for (thread, others) in waits.iter().enumerate() {
                        chain[thread] = others.iter().map(|&other| chain[other] + 1).max().unwrap_or(0);
                    }
                }
                let longest = chain.into_iter().max().unwrap() + 1;
                assert_eq!(AffineWaves::new(pattern, size).count(), longest, "{pattern:?} {size:?}");
            }
        }
        assert_eq!(AffineWaves::new(Pattern::WAVEFRONT, [120, 68]).count(), 187);
        assert_eq!(AffineWaves::new(Pattern::WAVEFRONT26, [120, 68]).count(), 254);
        assert_eq!(crate::ir::Waves::new(Pattern::WAVEFRONT, [120, 68]).widest(), 68);
    }

    /// Macro blocks of edges: the waits of a block end before the next blocks need them.
    #[test]
    fn edges_of_macro_blocks_have_few_waves() {
        for pattern in edges() {
            let [width, height] = pattern.block();
            let [right, below] = pattern.slope([64, 64]).unwrap();
            let longest = *delays(&pattern, [right, below]).iter().max().unwrap();
            assert!(longest < right + 2 * below, "{pattern:?}: {longest}");
            let waves = AffineWaves::new(pattern, [16 * width as u32, 16 * height as u32]);
            assert_eq!(waves.count() as i64, 15 * (right + below) + longest + 1, "{pattern:?}");
            // With shorter steps, the delays of a block grow in every round.
            for slope in [[right - 1, below], [right, below - 1]].into_iter().filter(|_| height > 1) {
                let found = delays(&pattern, slope);
                assert!(found.iter().max() > Some(&longest), "{pattern:?} {slope:?}");
            }
        }
    }

    #[test]
    fn differences_are_those_of_all_pairs() {
        let custom =
            [[[-2, 1], [-1, -3]], [[3, -1], [2, 0]]].map(|vectors| Pattern::custom(&vectors).unwrap());
        for pattern in NAMED.into_iter().chain(custom).chain(edges()) {
            for size @ [width, height] in SIZES {
                let of = waves(pattern, size);
                let at = |n: usize| [n as i64 % i64::from(width), n as i64 / i64::from(width)];
                let all = 0..(width * height) as usize;
                let expected: FxHashSet<[i64; 2]> = all
                    .clone()
                    .flat_map(|a| all.clone().map(move |b| (a, b)))
                    .filter(|&(a, b)| a != b && of[a] == of[b])
                    .map(|(a, b)| std::array::from_fn(|axis| at(b)[axis] - at(a)[axis]))
                    .collect();
                let found: FxHashSet<[i64; 2]> = AffineWaves::new(pattern, size).differences().collect();
                assert!(expected.is_subset(&found), "{pattern:?} {size:?}");
                // Some differences may belong to threads that are not both in the space.
                if pattern.block() == [1, 1] && pattern != Pattern::NONE {
                    assert!(found.len() <= 2 * (width + height) as usize, "{pattern:?} {size:?}");
                }
            }
        }
    }

    #[test]
    fn lines_go_down_or_to_the_right() {
        for pattern in NAMED {
            let waves = AffineWaves::new(pattern, [9, 7]);
            for line in (0..waves.count()).flat_map(|wave| waves.lines(wave).collect::<Vec<_>>()) {
                assert!(line.step[1] > 0 || line.step[1] == 0 && line.step[0] > 0, "{pattern:?} {line:?}");
            }
        }
        let rows = AffineWaves::new(Pattern::HORIZONTAL_WAVE, [9, 7]);
        assert_eq!(rows.lines(3).collect::<Vec<_>>(), [Line { first: [0, 3], step: [1, 0], count: 9 }]);
    }
}
