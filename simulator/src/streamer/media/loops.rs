//! The loops of `MEDIA_OBJECT_WALKER`: the positions of its threads, and their order.
//!
//! A global outer and inner loop iterate over blocks; a local outer, middle and inner loop iterate over the
//! threads of a block; and at each position there is a thread for each colour. Sources: `gen9.xml` of Mesa
//! for the fields and their signs; for the loops, `HalCm_ThreadsNumberPerGroup_MW` in `cm_hal.cpp` of Intel's
//! media-driver, `cm_queue_emumode.cpp` of the CM emulator, and Intel's PRM, volume "Media and General
//! Purpose Pipeline", "Walker Algorithm Description".

use std::ops::Add;

use super::super::error::Error;

/// The maximum number of threads of a walk: four for each of the most positions.
const THREADS: usize = 1 << 24;

/// The position of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::streamer) struct Position {
    pub(in crate::streamer) x: u16,
    pub(in crate::streamer) y: u16,
    pub(in crate::streamer) colour: u8,
}

/// A position or a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

/// The loop fields of the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::streamer) struct Loops {
    pub(super) colours: u8,
    /// Iterations of the outer loops after the first.
    pub(super) global_rounds: u32,
    pub(super) local_rounds: u32,
    /// Steps of the middle loop after the first.
    pub(super) extra_steps: u32,
    pub(super) resolution: Point,
    pub(super) global_start: Point,
    pub(super) global_stride: Point,
    pub(super) global_unit: Point,
    pub(super) block: Point,
    pub(super) local_start: Point,
    pub(super) local_stride: Point,
    pub(super) middle_unit: Point,
    pub(super) local_unit: Point,
}

/// The two unsigned numbers of a dword.
fn unsigned(dword: u32) -> Point {
    Point { x: (dword & 0x7ff) as i32, y: (dword >> 16 & 0x7ff) as i32 }
}

/// A number in two's complement.
pub(super) fn signed(dword: u32, low: u32, bits: u32) -> i32 {
    (dword << (32 - low - bits)) as i32 >> (32 - bits)
}

/// The two signed numbers of a dword.
fn steps(dword: u32) -> Point {
    Point { x: signed(dword, 0, 12), y: signed(dword, 16, 12) }
}

/// Adds a unit, which leads inside, until the position is no longer outside on that side.
fn enter(mut at: Point, unit: Point, low: Point, high: Point) -> Point {
    let outside =
        |at: i32, unit: i32, low: i32, high: i32| (at >= high && unit < 0) || (at < low && unit > 0);
    while outside(at.x, unit.x, low.x, high.x) || outside(at.y, unit.y, low.y, high.y) {
        at = at + unit;
    }
    at
}

impl Loops {
    /// The number of words of the command.
    pub(super) const WORDS: usize = 17;

    pub(super) fn decode(c: &[u32; Self::WORDS]) -> Result<Self, Error> {
        let loops = Self {
            colours: (c[6] >> 24 & 0xf) as u8 + 1,
            extra_steps: c[6] >> 16 & 0x1f,
            middle_unit: Point { x: signed(c[6], 8, 2), y: signed(c[6], 12, 2) },
            local_rounds: c[7] & 0xfff,
            global_rounds: c[7] >> 16 & 0xfff,
            block: unsigned(c[8]),
            local_start: unsigned(c[9]),
            local_stride: steps(c[11]),
            local_unit: steps(c[12]),
            resolution: unsigned(c[13]),
            global_start: steps(c[14]),
            global_stride: steps(c[15]),
            global_unit: steps(c[16]),
        };
        for (unit, word) in [(loops.local_unit, 12), (loops.global_unit, 16)] {
            if unit == Point::default() {
                let what = "MEDIA_OBJECT_WALKER with an inner loop that stays where it is";
                return Err(Error::Unsupported { what, number: c[word] });
            }
        }
        Ok(loops)
    }

    /// The threads in the order in which they start.
    pub(in crate::streamer) fn positions(&self) -> Result<Vec<Position>, Error> {
        self.positions_up_to(THREADS)
    }

    fn positions_up_to(&self, most: usize) -> Result<Vec<Position>, Error> {
        let mut positions = Vec::new();
        let low = Point { x: -self.block.x, y: -self.block.y };
        let touches = |at: Point| {
            let axis = |at, resolution, block| at < resolution && at + block > 0;
            axis(at.x, self.resolution.x, self.block.x) && axis(at.y, self.resolution.y, self.block.y)
        };
        let mut outer = enter(self.global_start, self.global_unit, low, self.resolution);
        for _ in 0..=self.global_rounds {
            if !touches(outer) {
                break;
            }
            let mut inner = outer;
            while touches(inner) {
                self.block(inner, &mut positions, most)?;
                inner = inner + self.global_unit;
            }
            outer = enter(outer + self.global_stride, self.global_unit, low, self.resolution);
        }
        Ok(positions)
    }

    /// The threads of the part of a block that is inside the thread space. `at` is the position of the block.
    fn block(&self, at: Point, positions: &mut Vec<Position>, most: usize) -> Result<(), Error> {
        let part = |at: i32, block: i32, resolution: i32| {
            if at < 0 { block + at } else { block.min(resolution - at) }
        };
        let size = Point {
            x: part(at.x, self.block.x, self.resolution.x),
            y: part(at.y, self.block.y, self.resolution.y),
        };
        let corner = Point { x: at.x.max(0), y: at.y.max(0) };
        let inside = |at: Point| (0..size.x).contains(&at.x) && (0..size.y).contains(&at.y);
        let mut outer = enter(self.local_start, self.local_unit, Point::default(), size);
        for _ in 0..=self.local_rounds {
            if !inside(outer) {
                break;
            }
            let mut middle = outer;
            for _ in 0..=self.extra_steps {
                if !inside(middle) {
                    break;
                }
                let mut inner = middle;
                while inside(inner) {
                    let Point { x, y } = corner + inner;
                    let position = |colour| Position { x: x as u16, y: y as u16, colour };
                    positions.extend((0..self.colours).map(position));
                    inner = inner + self.local_unit;
                }
                if positions.len() > most {
                    let what = "MEDIA_OBJECT_WALKER with so many threads:";
                    return Err(Error::Unsupported { what, number: positions.len() as u32 });
                }
                middle = middle + self.middle_unit;
            }
            outer = enter(outer + self.local_stride, self.local_unit, Point::default(), size);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::patterns::{
        point, raster, vertical, wavefront, wavefront26, wavefront26x, wavefront26zig, words,
    };
    use super::*;

    fn places(loops: &Loops) -> Vec<(u16, u16)> {
        let positions = loops.positions().expect("a walk");
        positions.iter().map(|position| (position.x, position.y)).collect()
    }

    /// The four threads of a square.
    fn square(x: u16, y: u16) -> [(u16, u16); 4] {
        [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
    }

    #[test]
    fn threads_come_in_the_order_of_their_walk() {
        let blocks = Loops {
            global_rounds: 9,
            global_stride: point(2, 0),
            global_unit: point(0, 2),
            block: point(2, 2),
            ..raster(5, 3)
        };
        let outside = Loops { global_start: point(-1, 0), resolution: point(3, 2), ..blocks };
        let from_right = Loops {
            local_start: point(2, 0),
            local_stride: point(0, 1),
            local_unit: point(-1, 0),
            ..raster(3, 2)
        };
        for (name, loops, expected) in [
            ("raster", raster(3, 2), vec![(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]),
            ("one thread", raster(1, 1), vec![(0, 0)]),
            ("vertical", vertical(3, 2), vec![(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]),
            (
                "45 degrees",
                wavefront(3, 3),
                vec![(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1), (1, 2), (2, 2)],
            ),
            (
                "26 degrees",
                wavefront26(4, 2),
                vec![(0, 0), (1, 0), (2, 0), (0, 1), (3, 0), (1, 1), (2, 1), (3, 1)],
            ),
            (
                "26 degrees, two rows",
                wavefront26x(4, 4),
                [
                    [(0, 0), (0, 1), (1, 0), (1, 1)],
                    [(2, 0), (0, 2), (2, 1), (0, 3)],
                    [(3, 0), (1, 2), (3, 1), (1, 3)],
                    [(2, 2), (2, 3), (3, 2), (3, 3)],
                ]
                .concat(),
            ),
            (
                "26 degrees, squares",
                wavefront26zig(6, 4),
                [square(0, 0), square(2, 0), square(4, 0), square(0, 2), square(2, 2), square(4, 2)].concat(),
            ),
            (
                "blocks that are cut",
                blocks,
                [
                    &square(0, 0)[..],
                    &[(0, 2), (1, 2)],
                    &square(2, 0),
                    &[(2, 2), (3, 2)],
                    &[(4, 0), (4, 1)],
                    &[(4, 2)],
                ]
                .concat(),
            ),
            ("a block that begins outside", outside, vec![(0, 0), (0, 1), (1, 0), (2, 0), (1, 1), (2, 1)]),
            ("from the right", from_right, vec![(2, 0), (1, 0), (0, 0), (2, 1), (1, 1), (0, 1)]),
            ("one round", Loops { local_rounds: 0, ..raster(3, 2) }, vec![(0, 0), (1, 0), (2, 0)]),
            ("nothing", Loops { resolution: point(0, 2), ..raster(3, 2) }, vec![]),
        ] {
            assert_eq!(places(&loops), expected, "{name}");
            assert_eq!(Loops::decode(&words(&loops)), Ok(loops), "{name}");
        }
    }

    #[test]
    fn patterns_visit_each_place_once() {
        for (width, height) in [(1, 1), (2, 1), (1, 3), (4, 4), (7, 5), (5, 9), (16, 3)] {
            let patterns = [raster, vertical, wavefront, wavefront26, wavefront26x, wavefront26zig];
            // Diagonals of 26 degrees leave a walk of one column at once. For narrow walks, CM's runtime uses
            // the raster instead of the last two.
            let count = [3, 3, 4].get(width as usize).copied().unwrap_or(6);
            for pattern in &patterns[..count] {
                let found = places(&pattern(width, height));
                let (columns, rows) = (width as u16, height as u16);
                let all = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
                assert_eq!(found.len(), usize::from(columns * rows), "{width} x {height}");
                assert!(
                    found.into_iter().collect::<BTreeSet<_>>().into_iter().eq(all.collect::<BTreeSet<_>>())
                );
            }
        }
    }

    #[test]
    fn colours_run_first() {
        let positions = Loops { colours: 3, ..raster(2, 1) }.positions().expect("a walk");
        let found: Vec<_> = positions.iter().map(|position| (position.x, position.colour)).collect();
        assert_eq!(found, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    }

    #[test]
    fn walks_without_an_end_are_refused() {
        for loops in [
            Loops { local_unit: Point::default(), ..raster(3, 2) },
            Loops { global_unit: Point::default(), ..raster(3, 2) },
        ] {
            let error = Loops::decode(&words(&loops)).expect_err("a fault").to_string();
            let said = "MEDIA_OBJECT_WALKER with an inner loop that stays where it is 0x0 is not supported";
            assert_eq!(error, said);
        }
        let stays = Loops { local_stride: Point::default(), local_rounds: 4095, ..raster(2047, 2047) };
        let error = stays.positions_up_to(10_000).expect_err("a fault").to_string();
        assert!(error.starts_with("MEDIA_OBJECT_WALKER with so many threads: 0x"), "{error}");
    }
}
