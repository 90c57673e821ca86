//! The kernel threads of a launch: groups of threads, and the ids and sizes that a thread can query.

/// A direction in which threads, and groups of threads, are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// Left to right.
    X,
    /// Top to bottom.
    Y,
    /// Front to back.
    Z,
}

impl Axis {
    /// All axes, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];
}

macro_rules! thread_ids {
    ($($(#[$doc:meta])* $id:ident $x:literal $y:literal $z:literal;)*) => {
        /// An id or size that a kernel thread can query: `u32`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum ThreadId {
            $($(#[$doc])* $id(Axis),)*
        }

        impl ThreadId {
            /// All ids and sizes.
            pub const ALL: &[Self] = &[$(Self::$id(Axis::X), Self::$id(Axis::Y), Self::$id(Axis::Z),)*];

            /// The name in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(
                        Self::$id(Axis::X) => $x,
                        Self::$id(Axis::Y) => $y,
                        Self::$id(Axis::Z) => $z,
                    )*
                }
            }
        }
    };
}

thread_ids! {
    /// Its coordinate among all threads.
    Origin "x" "y" "z";
    /// Its coordinate in its group.
    Local "local_x" "local_y" "local_z";
    /// The threads of a group.
    LocalSize "local_size_x" "local_size_y" "local_size_z";
    /// The coordinate of its group.
    Group "group_x" "group_y" "group_z";
    /// The groups of the launch.
    GroupCount "group_count_x" "group_count_y" "group_count_z";
}

impl ThreadId {
    /// The id or size with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == name)
    }

    /// Whether it depends on how threads are divided into groups.
    #[must_use]
    pub const fn is_of_groups(self) -> bool {
        !matches!(self, Self::Origin(_))
    }
}

/// The number of groups and of threads per group, along each [`Axis`]. Both are at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    /// The groups.
    pub groups: [u32; 3],
    /// The threads of each group.
    pub local: [u32; 3],
}

impl Grid {
    /// Groups of one thread.
    #[must_use]
    pub const fn single(groups: [u32; 3]) -> Self {
        Self { groups, local: [1; 3] }
    }

    /// The threads along each axis.
    #[must_use]
    pub fn threads(self) -> [usize; 3] {
        std::array::from_fn(|axis| self.groups[axis] as usize * self.local[axis] as usize)
    }

    /// The groups.
    #[must_use]
    pub fn group_count(self) -> usize {
        self.groups.iter().map(|&groups| groups as usize).product()
    }

    /// The threads of a group.
    #[must_use]
    pub fn group_size(self) -> usize {
        self.local.iter().map(|&threads| threads as usize).product()
    }

    /// Whether there is a group with this number. There is none if a size is 0, or if an axis or a group has 2^32 threads or
    /// more.
    #[must_use]
    pub fn has_group(self, group: usize) -> bool {
        let product = |sizes: &[u32]| sizes.iter().try_fold(1u32, |product, &size| product.checked_mul(size));
        let count = self.groups.iter().try_fold(1usize, |count, &groups| count.checked_mul(groups as usize));
        (0..3).all(|axis| product(&[self.groups[axis], self.local[axis]]).is_some())
            && product(&self.local).is_some_and(|threads| threads > 0)
            && count.is_some_and(|count| group < count)
    }

    /// The coordinates of the first thread of a group, and of the others, by their number.
    #[inline]
    #[must_use]
    pub fn origin(self, group: usize, thread: usize) -> [u32; 3] {
        let (group, thread) = (coordinates(self.groups, group), coordinates(self.local, thread));
        std::array::from_fn(|axis| group[axis] * self.local[axis] + thread[axis])
    }

    /// The id or size for the thread with these coordinates.
    #[inline]
    #[must_use]
    pub const fn id(self, origin: [u32; 3], id: ThreadId) -> u32 {
        match id {
            ThreadId::Origin(axis) => origin[axis as usize],
            ThreadId::Local(axis) => origin[axis as usize] % self.local[axis as usize],
            ThreadId::LocalSize(axis) => self.local[axis as usize],
            ThreadId::Group(axis) => origin[axis as usize] / self.local[axis as usize],
            ThreadId::GroupCount(axis) => self.groups[axis as usize],
        }
    }
}

/// What the ids of the threads of a row have in common, so that these need no divisions. The threads are in one group, or
/// each is in a group of its own along the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowIds {
    grid: Grid,
    z: u32,
    /// The group of the first thread.
    group: [u32; 3],
}

impl RowIds {
    /// The row of the thread with these coordinates.
    #[inline]
    #[must_use]
    pub const fn new(grid: Grid, origin: [u32; 3]) -> Self {
        let [x, y, z] = origin;
        let [width, height, depth] = grid.local;
        Self { grid, z, group: [number(x, width), number(y, height), number(z, depth)] }
    }

    /// The third coordinate.
    #[inline]
    #[must_use]
    pub const fn z(self) -> u32 {
        self.z
    }

    /// Whether [`id`](Self::id) knows the ids of the thread with these coordinates: the thread is in one of the groups.
    #[inline]
    #[must_use]
    pub const fn contains(self, [x, y, z]: [u32; 3]) -> bool {
        let Self { grid: Grid { local: [width, height, _], .. }, group, .. } = self;
        z == self.z
            && y.wrapping_sub(group[1] * height) < height
            && (width == 1 || x.wrapping_sub(group[0] * width) < width)
    }

    /// The id or size for the thread of the row with these coordinates.
    #[inline]
    #[must_use]
    pub const fn id(self, [x, y]: [u32; 2], id: ThreadId) -> u32 {
        let Self { grid: Grid { groups, local }, z, group } = self;
        let group = [if local[0] == 1 { x } else { group[0] }, group[1], group[2]];
        match id {
            ThreadId::Origin(axis) => [x, y, z][axis as usize],
            ThreadId::Local(axis) => [x, y, z][axis as usize] - group[axis as usize] * local[axis as usize],
            ThreadId::LocalSize(axis) => local[axis as usize],
            ThreadId::Group(axis) => group[axis as usize],
            ThreadId::GroupCount(axis) => groups[axis as usize],
        }
    }
}

/// The number of a coordinate's group. Most groups are single threads.
#[inline]
const fn number(coordinate: u32, size: u32) -> u32 {
    if size == 1 { coordinate } else { coordinate / size }
}

/// The coordinates of number `n` in raster order.
#[inline]
fn coordinates([width, height, _]: [u32; 3], n: usize) -> [u32; 3] {
    let (width, height) = (width as usize, height as usize);
    [n % width, n / width % height, n / width / height].map(|coordinate| coordinate as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for &id in ThreadId::ALL {
            assert_eq!(ThreadId::from_name(id.name()), Some(id));
        }
    }

    #[test]
    fn rows_know_the_ids_of_their_threads() {
        for local in [[1, 1, 1], [3, 2, 2], [1, 2, 1], [4, 1, 1]] {
            let grid = Grid { groups: [2, 3, 2], local };
            let all = (0..grid.group_count() * grid.group_size())
                .map(|number| grid.origin(number / grid.group_size(), number % grid.group_size()));
            for first in all.clone() {
                let row = RowIds::new(grid, first);
                assert_eq!(row.z(), first[2]);
                for origin @ [x, y, z] in all.clone() {
                    let same = |axis| {
                        grid.id(origin, ThreadId::Group(axis)) == grid.id(first, ThreadId::Group(axis))
                    };
                    let contained = z == first[2] && same(Axis::Y) && (local[0] == 1 || same(Axis::X));
                    assert_eq!(row.contains(origin), contained, "{origin:?} from {first:?} of {grid:?}");
                    for &id in ThreadId::ALL.iter().filter(|_| contained) {
                        assert_eq!(
                            row.id([x, y], id),
                            grid.id(origin, id),
                            "{id:?} at {origin:?} of {grid:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn threads_are_counted_group_by_group() {
        let grid = Grid { groups: [2, 1, 3], local: [3, 2, 2] };
        let mut seen = rustc_hash::FxHashSet::default();
        for group in 0..grid.group_count() {
            for thread in 0..grid.group_size() {
                let origin = grid.origin(group, thread);
                assert!(seen.insert(origin));
                let number = |id: fn(Axis) -> ThreadId, [width, height, _]: [u32; 3]| {
                    let [x, y, z] = Axis::ALL.map(|axis| grid.id(origin, id(axis)));
                    ((z * height + y) * width + x) as usize
                };
                assert_eq!(number(ThreadId::Group, grid.groups), group);
                assert_eq!(number(ThreadId::Local, grid.local), thread);
            }
        }
        assert_eq!(seen.len(), 72);
        assert!(seen.iter().all(|origin| origin[0] < 6 && origin[1] < 2 && origin[2] < 6));
    }
}
