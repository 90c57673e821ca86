//! How threads get their coordinates, and the variants of modules for thread spaces.
//!
//! A thread of a thread space is a group by itself and never waits, so barriers are left out. A launch of a
//! line of threads has one row of groups and one more argument, which comes last or before that of `printf!`:
//! the coordinates of the first thread, the step to the next one, and the size of the thread space.
//!
//! Where two execution units share their control logic, groups of one thread would leave one of them idle. On
//! these GPUs, a group has two neighbouring threads. The kernel does not notice: it still sees each thread as
//! a group.

use super::expand::{Expansion, expanded};
use crate::elem::ElemType;
use crate::ir::{Axis, Bits, Function, Grid, Line, Op, Param, ParamKind, Region, ThreadId, Type};
use crate::ops::MapKind;

/// How the threads of a module are launched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dispatch {
    /// Groups of threads; also a thread space, if the kernel has no barriers.
    #[default]
    Groups,
    /// A thread space.
    Space,
    /// A line of threads of a thread space. The module takes one additional argument, [`line_argument`].
    Line,
    /// Pairs of groups of one thread: two neighbours along an axis run as one group. Not for kernels with
    /// shared memory.
    Pairs(Axis),
}

impl Dispatch {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Groups,
        Self::Space,
        Self::Line,
        Self::Pairs(Axis::X),
        Self::Pairs(Axis::Y),
        Self::Pairs(Axis::Z),
    ];

    /// Pairs for groups of one thread; `None` if no axis has an even number of them.
    ///
    /// ```
    /// use cm::ir::{Axis, Grid};
    /// use cm::spirv::Dispatch;
    ///
    /// let grid = Grid::single([5, 4, 1]);
    /// let pairs = Dispatch::pairs(grid).expect("4 is even");
    /// assert_eq!(pairs, Dispatch::Pairs(Axis::Y));
    /// assert_eq!(pairs.grid(grid), Grid { groups: [5, 2, 1], local: [1, 2, 1] });
    /// ```
    #[must_use]
    pub fn pairs(grid: Grid) -> Option<Self> {
        let even = |axis: &Axis| grid.groups[*axis as usize].is_multiple_of(2);
        Axis::ALL.into_iter().find(even).map(Self::Pairs)
    }

    /// The groups that the GPU gets for groups of one thread.
    #[must_use]
    pub fn grid(self, mut grid: Grid) -> Grid {
        if let Self::Pairs(axis) = self {
            grid.groups[axis as usize] /= 2;
            grid.local[axis as usize] *= 2;
        }
        grid
    }
}

/// Offsets of the first thread, the step and the size of the space in the argument of a line.
const FIRST: usize = 0;
const STEP: usize = 2;
const SIZE: usize = 4;
/// Dwords of the argument of a line: a power of two. The last ones are not used.
pub const LINE_DWORDS: usize = 8;

/// The argument for a line of threads of a space of this size.
#[must_use]
pub fn line_argument(line: Line, [width, height]: [u32; 2]) -> [u32; LINE_DWORDS] {
    let ([x, y], [dx, dy]) = (line.first, line.step);
    [x, y, dx as u32, dy as u32, width, height, 0, 0]
}

/// The kernel for this dispatch; `None` if it does not change.
pub(crate) fn expand(function: &Function, dispatch: Dispatch) -> Option<Function> {
    if dispatch == Dispatch::Groups {
        return None;
    }
    let param = function.params.len();
    let body = expanded(function, |inst, insts| match (&inst.op, inst.result) {
        (Op::Sync(kind, _), _) => kind.is_of_all(),
        (Op::Thread(id), Some(result)) => match thread_id(*id, dispatch, param, insts) {
            Some(op) => {
                insts.push(op, Some(result), NUMBER);
                true
            }
            None => false,
        },
        _ => false,
    });
    let body = body.unwrap_or_else(|| function.body.clone());
    let mut expanded = Function { body, ..function.clone() };
    if dispatch == Dispatch::Line {
        let kind = ParamKind::Uniform { elem: ElemType::U32, rows: 1, columns: LINE_DWORDS };
        expanded.params.push(Param { name: "line".to_owned(), kind });
    }
    Some(expanded)
}

/// An id of a thread, if it is another one for this dispatch. `line` is the parameter for the argument of a line.
pub(super) fn thread_id(id: ThreadId, dispatch: Dispatch, line: usize, insts: &mut Expansion) -> Option<Op> {
    match dispatch {
        Dispatch::Groups | Dispatch::Space => None,
        Dispatch::Line => Some(OnLine { param: line, insts }.id(id)),
        Dispatch::Pairs(axis) => InPair { axis, insts }.id(id),
    }
}

const NUMBER: Type = Type::scalar(ElemType::U32);

/// Computes the ids of a thread on a line.
struct OnLine<'a> {
    /// The argument of the line.
    param: usize,
    insts: &'a mut Expansion,
}

impl OnLine<'_> {
    fn id(mut self, id: ThreadId) -> Op {
        match id {
            // Every thread is a group.
            ThreadId::Origin(Axis::Z) | ThreadId::Group(Axis::Z) | ThreadId::Local(_) => constant(0),
            ThreadId::GroupCount(Axis::Z) | ThreadId::LocalSize(_) => constant(1),
            ThreadId::GroupCount(axis) => self.dword(SIZE, axis),
            ThreadId::Origin(axis) | ThreadId::Group(axis) => {
                let number = self.insts.emit(Op::Thread(ThreadId::Origin(Axis::X)), NUMBER);
                let [first, step] = [FIRST, STEP].map(|from| {
                    let dword = self.dword(from, axis);
                    self.insts.emit(dword, NUMBER)
                });
                let moved = Op::map(MapKind::Mul, ElemType::U32, &[number, step]);
                let moved = self.insts.emit(moved, NUMBER);
                Op::map(MapKind::Add, ElemType::U32, &[first, moved])
            }
        }
    }

    /// Reads a dword of the argument from a pair for the two axes.
    fn dword(&mut self, from: usize, axis: Axis) -> Op {
        let argument = self.insts.emit(Op::Argument(self.param), Type::new(ElemType::U32, 1, LINE_DWORDS));
        Op::Region(argument, Region::contiguous(from + axis as usize, 1))
    }
}

/// Computes the ids of a thread in a group of two threads along an axis.
struct InPair<'a> {
    axis: Axis,
    insts: &'a mut Expansion,
}

impl InPair<'_> {
    /// The id, if it differs from the id in a group of one thread.
    fn id(mut self, id: ThreadId) -> Option<Op> {
        Some(match id {
            ThreadId::Local(_) => constant(0),
            ThreadId::LocalSize(_) => constant(1),
            ThreadId::Origin(axis) | ThreadId::Group(axis) if axis == self.axis => {
                let pair = self.doubled(ThreadId::Group(axis));
                let pair = self.insts.emit(pair, NUMBER);
                let place = self.insts.emit(Op::Thread(ThreadId::Local(axis)), NUMBER);
                Op::map(MapKind::Add, ElemType::U32, &[pair, place])
            }
            ThreadId::GroupCount(axis) if axis == self.axis => self.doubled(id),
            ThreadId::Origin(axis) => Op::Thread(ThreadId::Group(axis)),
            ThreadId::Group(_) | ThreadId::GroupCount(_) => return None,
        })
    }

    fn doubled(&mut self, id: ThreadId) -> Op {
        let [number, two] = [Op::Thread(id), constant(2)].map(|op| self.insts.emit(op, NUMBER));
        Op::map(MapKind::Mul, ElemType::U32, &[number, two])
    }
}

fn constant(number: u64) -> Op {
    Op::Constant(Bits::Splat(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::{BUDGET, InterpretArg, InterpretBuffer, interpret_group};
    use crate::ir::{DependencyPattern, Grid, Waves};
    use crate::text::parse;
    use crate::verify::verify;

    /// A kernel in which every thread writes all its ids to its own place, after half of a barrier.
    fn kernel() -> Function {
        let mut lines = vec![
            "file 0 \"k.rs\"".to_owned(),
            "kernel ids(output: write buffer u32) {".to_owned(),
            "  %0: u32 = thread x @0:1:1".to_owned(),
            "  %1: u32 = thread y @0:1:1".to_owned(),
            "  %2: u32 = thread group_count_x @0:1:1".to_owned(),
            "  %3: u32 = mul.u32 %1, %2 @0:1:1".to_owned(),
            "  %4: u32 = add.u32 %3, %0 @0:1:1".to_owned(),
            "  %5: u32 = constant 16 @0:1:1".to_owned(),
            "  %6: u32 = mul.u32 %4, %5 @0:1:1".to_owned(),
            "  wait @0:1:1".to_owned(),
        ];
        for (n, id) in ThreadId::ALL.iter().enumerate() {
            let [at, place, number] = [0, 1, 2].map(|k| 7 + 3 * n + k);
            lines.push(format!("  %{at}: u32 = constant {n} @0:1:1"));
            lines.push(format!("  %{place}: u32 = add.u32 %6, %{at} @0:1:1"));
            lines.push(format!("  %{number}: u32 = thread {} @0:1:1", id.name()));
            lines.push(format!("  scatter #0 %{place}, %{number}: u32 @0:1:1"));
        }
        parse(&(lines.join("\n") + "\n}\n")).unwrap()
    }

    #[derive(Clone, PartialEq, Debug)]
    struct Bytes(Vec<u8>);

    impl InterpretBuffer for Bytes {
        fn size(&self) -> usize {
            self.0.len()
        }

        fn read(&self, offset: u32, bytes: &mut [u8]) {
            bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
        }

        fn write(&mut self, offset: u32, bytes: &[u8]) {
            self.0[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// The bytes that the threads of a grid write.
    fn written(function: &Function, grid: Grid, bytes: usize) -> Bytes {
        let mut written = Bytes(vec![0; bytes]);
        for group in 0..grid.group_count() {
            let args = &mut [InterpretArg::Buffer(&mut written)];
            interpret_group(function, args, grid, group, BUDGET, &mut |_| {}).unwrap();
        }
        written
    }

    /// Threads in pairs have the same ids as groups of one thread.
    #[test]
    fn threads_in_pairs_know_the_same() {
        let function = kernel();
        let alone = expand(&function, Dispatch::Space).unwrap();
        for (size, axis) in
            [([6, 4, 1], Axis::X), ([5, 4, 1], Axis::Y), ([2, 1, 1], Axis::X), ([3, 5, 2], Axis::Z)]
        {
            let (grid, bytes) = (Grid::single(size), size.iter().product::<u32>() as usize * 64);
            let dispatch = Dispatch::pairs(grid).unwrap();
            assert_eq!(dispatch, Dispatch::Pairs(axis));
            let paired = expand(&function, dispatch).unwrap();
            verify(&paired).unwrap();
            assert!(!paired.has_barriers());
            let expected = written(&alone, grid, bytes);
            assert!(expected.0.iter().any(|byte| *byte != 0));
            assert_eq!(written(&paired, dispatch.grid(grid), bytes), expected, "{size:?}");
        }
        assert_eq!(Dispatch::pairs(Grid::single([3, 5, 1])), None);
    }

    /// Threads on lines have the same ids as in the thread space.
    #[test]
    fn threads_of_lines_know_the_same() {
        let function = kernel();
        verify(&function).unwrap();
        let without_barriers = expand(&function, Dispatch::Space).unwrap();
        assert!(function.has_barriers() && !without_barriers.has_barriers());
        let size @ [width, height] = [5, 3];
        let empty = Bytes(vec![0; (width * height * 64) as usize]);
        let expected = written(&without_barriers, Grid::single([width, height, 1]), empty.0.len());
        assert_ne!(expected, empty);
        for pattern in [DependencyPattern::WAVEFRONT26, DependencyPattern::HORIZONTAL_WAVE] {
            let on_line = expand(&function, Dispatch::Line).unwrap();
            verify(&on_line).unwrap();
            let (mut found, waves) = (empty.clone(), Waves::new(pattern, size));
            for line in (0..waves.count()).flat_map(|wave| waves.lines(wave).collect::<Vec<_>>()) {
                let dwords = line_argument(line, size);
                let bytes: Vec<u8> = dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
                let ty = Type::new(ElemType::U32, 1, LINE_DWORDS);
                for n in 0..line.count as usize {
                    let argument = InterpretArg::Uniform { ty, bytes: &bytes };
                    let args = &mut [InterpretArg::Buffer(&mut found), argument];
                    let grid = Grid::single([line.count, 1, 1]);
                    interpret_group(&on_line, args, grid, n, BUDGET, &mut |_| {}).unwrap();
                }
            }
            assert_eq!(found, expected, "{pattern:?}");
        }
    }
}
