//! The proof that threads of one group do not conflict, so that they may run side by side.
//!
//! If all accesses to an argument move by the same steps from group to group, the threads of every group differ as those
//! of the first group do. So the proof is that of groups, for groups of one thread: those of the first group.

use super::affine::Affine;
use super::buffer;
use super::cells::steps;
use super::summary::{Space, Summary, stripes, tell_groups};
use crate::ir::Grid;

impl Summary {
    /// Whether it is proven that no thread accesses bytes of surface argument `argument` that another thread of its group
    /// writes.
    #[must_use]
    pub fn threads_are_apart(&self, argument: usize, space: Space) -> bool {
        let accesses = || self.accesses.iter().filter(move |access| access.argument == argument);
        if space.grid.group_size() == 1 || !accesses().any(|access| access.writes) {
            return true;
        }
        let threads = Grid::single(space.grid.local);
        let blocks = self.blocks_along(argument, space.period);
        let told = blocks.map(|blocks| stripes(of_threads(blocks, space.grid), threads));
        // A read beyond the edge is moved to the edge, where another thread may write.
        tell_groups(&told, threads) && self.read_outside(argument, space).is_none()
    }

    /// The same for a buffer.
    #[must_use]
    pub fn threads_are_apart_in_buffer(&self, argument: usize, grid: Grid) -> bool {
        let accesses = || self.buffers.iter().filter(move |access| access.argument == argument);
        if grid.group_size() == 1 || !accesses().any(|access| access.writes) {
            return true;
        }
        let Some(blocks) = accesses().map(|access| access.reach.blocks()).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let starts = blocks.into_iter().flatten().map(|(start, bytes)| (Some(start), bytes));
        let blocks: Option<Vec<_>> =
            of_threads(starts, grid).map(|(start, bytes)| Some((start?, bytes))).collect();
        blocks.is_some_and(|blocks| buffer::levels(&blocks, Grid::single(grid.local)).is_some())
    }
}

/// The blocks of the threads of the first group, as those of groups of one thread; not known if other groups differ by more
/// than their place.
fn of_threads(
    blocks: impl IntoIterator<Item = (Option<Affine>, usize)>,
    grid: Grid,
) -> impl Iterator<Item = (Option<Affine>, usize)> {
    let mut all = None;
    blocks.into_iter().map(move |(start, extent)| {
        let start = start.filter(|start| {
            let of_group = steps(start.group, grid);
            *all.get_or_insert(of_group) == of_group
        });
        (start.map(|start| Affine { group: start.local, local: [0; 3], most: None, ..start }), extent)
    })
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::super::buffer::BufferUse;
    use super::super::buffer::tests::written;
    use super::super::obstacle::Obstacle;
    use super::super::summary::{Moved, SurfaceUse};
    use super::*;
    use crate::interpret::cases::RandomNumbers;

    fn of(buffers: Vec<BufferUse>, accesses: Vec<SurfaceUse>) -> Summary {
        Summary {
            accesses,
            buffers,
            blocks: vec![],
            overlapping: None,
            conditions: false,
            together: true,
            instructions: 1,
            work: 1,
        }
    }

    /// The number in a thread of a group.
    fn at(start: Affine, group: [u32; 3], thread: [u32; 3]) -> i64 {
        let sum = |factors: [i64; 3], of: [u32; 3]| -> i64 {
            factors.into_iter().zip(of).map(|(factor, n)| factor * i64::from(n)).sum()
        };
        start.constant + sum(start.group, group) + sum(start.local, thread)
    }

    fn places(counts: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
        let rows = (0..counts[2]).flat_map(move |z| (0..counts[1]).map(move |y| [y, z]));
        rows.flat_map(move |[y, z]| (0..counts[0]).map(move |x| [x, y, z]))
    }

    /// Whether a thread accesses what another one of its group writes: `touched` are the places of a thread, and whether they
    /// are written.
    fn conflict<P: Eq + std::hash::Hash>(
        grid: Grid,
        touched: impl Fn([u32; 3], [u32; 3]) -> Vec<(P, bool)>,
    ) -> bool {
        places(grid.groups).any(|group| {
            let mut users: FxHashMap<P, (Vec<[u32; 3]>, bool)> = FxHashMap::default();
            for thread in places(grid.local) {
                for (place, writes) in touched(group, thread) {
                    let (threads, written) = users.entry(place).or_default();
                    threads.push(thread);
                    *written |= writes;
                }
            }
            users.values().any(|(threads, written)| *written && threads.iter().any(|one| *one != threads[0]))
        })
    }

    /// Proofs hold, and most threads that do not conflict are found.
    #[test]
    fn proven_threads_are_apart() {
        let (mut numbers, mut proven, mut apart) = (RandomNumbers::new(), [0; 2], [0; 2]);
        for _ in 0..3000 {
            let mut pick = |from: &[i64]| from[numbers.next() as usize % from.len()];
            let [groups, local] = [(); 2].map(|()| [(); 3].map(|()| pick(&[1, 1, 2, 3]) as u32));
            let grid = Grid { groups, local };
            let group = [(); 3].map(|()| pick(&[0, 16, 64, 96, 192]));
            let threads = [pick(&[0, 16, 16, 32]), pick(&[0, 16, 48, 96]), pick(&[0, 16, 144])];
            let mut start = |rest: i64| Affine {
                group: if pick(&[0, 0, 0, 0, 1]) == 1 { [16; 3] } else { group },
                local: threads,
                ..Affine::constant(rest)
            };
            let starts = [start(64), start(64)];
            let writes = [true, pick(&[0, 1]) == 1];
            let second = Affine { constant: pick(&[64, 64, 72, 80, 160]), ..starts[1] };
            let starts = [starts[0], second];

            let buffers =
                starts.iter().zip(writes).map(|(start, writes)| BufferUse { writes, ..written(*start, 16) });
            let summary = of(buffers.collect(), vec![]);
            let bytes = |group, thread| -> Vec<(i64, bool)> {
                let block = |(start, writes): (&Affine, bool)| {
                    // As the hardware rounds.
                    let first = at(*start, group, thread) & !15;
                    (first..first + 16).map(move |byte| (byte, writes))
                };
                starts.iter().zip(writes).flat_map(block).collect()
            };
            let conflicts = conflict(grid, bytes);
            let found = summary.threads_are_apart_in_buffer(0, grid);
            assert!(!(found && conflicts), "{grid:?} {starts:?} {writes:?}");
            proven[0] += usize::from(found && grid.group_size() > 1);
            apart[0] += usize::from(!conflicts && grid.group_size() > 1);

            let rows = [(); 2].map(|()| Affine {
                group: [0, pick(&[0, 2]), 0],
                local: [0, pick(&[1, 2]), 0],
                ..Affine::constant(pick(&[2, 2, 3]))
            });
            let moved = |column| Moved::Block { x: Some(column), width: 16, rows: 2 };
            let location = written(starts[0], 16).location;
            let accesses = (0..2).map(|n| SurfaceUse {
                argument: 0,
                writes: writes[n],
                y: Some(rows[n]),
                moved: moved(starts[n]),
                obstacle: Obstacle::Overlap,
                location: location.clone(),
            });
            let summary = of(vec![], accesses.collect());
            let texels = |group, thread| -> Vec<([i64; 2], bool)> {
                let block = |n: usize| {
                    let [x, y] = [starts[n], rows[n]].map(|start| at(start, group, thread));
                    (x..x + 16).flat_map(move |x| (y..y + 2).map(move |y| ([x, y], writes[n])))
                };
                (0..2).flat_map(block).collect()
            };
            // Reads at the edge may access more.
            let size = if pick(&[0, 0, 0, 1]) == 1 { 100 } else { 4000 };
            let space = Space { grid, surface_width: size, surface_height: size, period: 1 };
            let edge = |x: i64| x.clamp(0, size as i64 - 1);
            let texels = |group, thread| -> Vec<([i64; 2], bool)> {
                let all = texels(group, thread).into_iter();
                all.filter(|([x, y], writes)| !writes || (edge(*x), edge(*y)) == (*x, *y))
                    .map(|([x, y], writes)| ([edge(x), edge(y)], writes))
                    .collect()
            };
            let conflicts = conflict(grid, texels);
            let found = summary.threads_are_apart(0, space);
            assert!(!(found && conflicts), "{grid:?} {starts:?} {rows:?} {writes:?}");
            proven[1] += usize::from(found && grid.group_size() > 1);
            apart[1] += usize::from(!conflicts && grid.group_size() > 1);
        }
        // The others move by other steps from group to group, read beyond edges, or are apart by chance.
        let found = |n: usize| proven[n] > 300 && proven[n] * 2 > apart[n];
        assert!(found(0) && found(1), "{proven:?} of {apart:?}");
    }

    /// Threads of a loop over all data lie between each other's iterations.
    #[test]
    fn iterations_of_other_threads_are_between_those_of_a_thread() {
        let steps = super::super::steps::Steps::of(1024, 4096);
        let start = Affine { group: [128, 0, 0], local: [16, 0, 0], steps, ..Affine::constant(0) };
        let summary = of(vec![written(start, 16)], vec![]);
        let grid = |threads| Grid { groups: [8, 1, 1], local: [threads, 1, 1] };
        assert!(summary.threads_are_apart_in_buffer(0, grid(8)));
        assert!(!summary.threads_are_apart_in_buffer(0, grid(65)));
        assert!(summary.threads_are_apart_in_buffer(1, grid(65)), "it is not accessed");
    }
}
