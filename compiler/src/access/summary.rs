//! The summary of a kernel before it runs: its memory accesses, and the parts of its surfaces and buffers that each
//! group of threads owns.

use super::affine::Affine;
use super::buffer::{self, BufferUse, Reach, Segment};
use super::cells::{Cells, Stripes};
use super::footprint::{Footprint, Footprint3d};
use super::merge::Merge;
use super::obstacle::Obstacle;
use super::wave::{Neighbourhood, Touched};
use crate::elem::ElemType;
use crate::ir::{Grid, Location, Waves};
use crate::limits::{self, DWORD, Violation};

/// One access of a kernel to a surface.
#[derive(Clone, Debug)]
pub struct SurfaceUse {
    /// The argument.
    pub argument: usize,
    /// Whether it writes.
    pub writes: bool,
    /// The row, if it depends only on the thread's coordinates; of a typed access the rows of all texels.
    pub y: Option<Affine>,
    /// What it moves.
    pub moved: Moved,
    /// Why its position is not known, if it is not.
    pub(super) obstacle: Obstacle,
    /// The line of the kernel.
    pub location: Location,
}

/// What an access to a surface moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moved {
    /// A media block.
    Block {
        /// The byte column, if it depends only on the thread's coordinates.
        x: Option<Affine>,
        /// Bytes of a row.
        width: usize,
        /// Rows.
        rows: usize,
    },
    /// Channels of texels.
    Texels(TexelAccess),
}

/// The texels of a typed access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TexelAccess {
    /// The type of the channels.
    pub elem: ElemType,
    /// Whether it is an atomic operation.
    pub atomic: bool,
    /// The columns of the texels that may be inside, if they depend only on the thread's coordinates.
    pub column: Option<Affine>,
    /// Their slices; 0 on 2-D surfaces.
    pub slice: Option<Affine>,
}

impl SurfaceUse {
    /// The byte column of a block, if it depends only on the thread's coordinates.
    #[must_use]
    pub fn block_column(&self) -> Option<Affine> {
        match self.moved {
            Moved::Block { x, .. } => x,
            Moved::Texels(_) => None,
        }
    }

    /// Its rows, or the rows of a texel.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self.moved {
            Moved::Block { rows, .. } => rows,
            Moved::Texels(_) => 1,
        }
    }

    /// The byte column and the bytes of a row, on a surface whose texels have this many bytes.
    pub(super) fn columns(&self, texel: usize) -> (Option<Affine>, usize) {
        match self.moved {
            Moved::Block { x, width, .. } => (x, width),
            Moved::Texels(texels) => (texels.column.and_then(|column| column.scaled(texel as i64)), texel),
        }
    }

    /// The slices of texels; 0 on 2-D surfaces.
    pub(super) fn slices(&self) -> Option<Affine> {
        match self.moved {
            Moved::Block { .. } => Some(Affine::constant(0)),
            Moved::Texels(texels) => texels.slice,
        }
    }

    /// Whether its position depends only on the thread's coordinates.
    fn is_known(&self) -> bool {
        self.columns(1).0.is_some() && self.y.is_some() && self.slices().is_some()
    }
}

/// One access of a kernel to a 2-D block of a buffer.
#[derive(Clone, Debug)]
pub struct Block2dUse {
    /// The argument.
    pub argument: usize,
    /// Bytes of an element.
    pub elem: usize,
    /// Bytes of a row, rows, and bytes from one row to the next, if they are known and the same for all threads.
    pub shape: [Option<i64>; 3],
    /// The byte column, if it depends only on the thread's coordinates.
    pub column: Option<Affine>,
    /// The line of the kernel.
    pub location: Location,
}

impl Block2dUse {
    /// Checks that all its rows are in a buffer of `bytes` bytes, and that it starts at a whole dword if its column is
    /// known.
    ///
    /// # Errors
    /// If not, or if the rows are not known.
    pub fn check(&self, bytes: usize) -> Result<(), Violation> {
        if self.shape.contains(&None) {
            return Err(Violation::PictureUnknown);
        }
        self.check_known(bytes)
    }

    /// Checks what is known: all that [`check`](Self::check) does if the rows are.
    fn check_known(&self, bytes: usize) -> Result<(), Violation> {
        if let [Some(width), Some(height), Some(pitch)] = self.shape {
            limits::picture([width, height, pitch], self.elem, bytes)?;
        }
        match self.column {
            Some(column) if !column.starts_at_multiple_of(DWORD as i64) => {
                Err(Violation::Column2d { bytes: self.elem })
            }
            _ => Ok(()),
        }
    }
}

/// The threads of a launch, and a surface of it.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// The threads.
    pub grid: Grid,
    /// Bytes of a row of the surface.
    pub surface_width: usize,
    /// Rows of the surface.
    pub surface_height: usize,
    /// The bytes of a row that repeat beyond the edges: a texel, or a pair of packed YUV texels.
    pub period: usize,
}

/// What a kernel does, independent of its data.
#[derive(Clone, Debug)]
pub struct Summary {
    pub(super) accesses: Vec<SurfaceUse>,
    pub(super) buffers: Vec<BufferUse>,
    pub(super) blocks: Vec<Block2dUse>,
    pub(super) overlapping: Option<usize>,
    pub(super) conditions: bool,
    pub(super) together: bool,
    pub(super) instructions: usize,
    pub(super) work: u64,
}

impl Summary {
    /// The accesses to surfaces.
    #[must_use]
    pub fn accesses(&self) -> &[SurfaceUse] {
        &self.accesses
    }

    /// The reads and writes of 2-D blocks of buffers.
    #[must_use]
    pub fn blocks_2d(&self) -> &[Block2dUse] {
        &self.blocks
    }

    /// A write to byte columns that are known not to be multiples of a dword, which the hardware would round.
    #[must_use]
    pub fn misaligned_write(&self) -> Option<&SurfaceUse> {
        self.accesses.iter().find(|access| {
            access.writes && access.block_column().is_some_and(|x| !x.starts_at_multiple_of(DWORD as i64))
        })
    }

    /// A block of a buffer at offsets that are known not to be multiples of its alignment, and its line.
    #[must_use]
    pub fn misaligned_block(&self) -> Option<(usize, &Location)> {
        self.buffers.iter().find_map(|access| match access.reach {
            Reach::Block { start, alignment, .. } if !start.starts_at_multiple_of(alignment as i64) => {
                Some((alignment, &access.location))
            }
            _ => None,
        })
    }

    /// A 2-D block that is known to break a rule for all arguments, and its line.
    #[must_use]
    pub fn broken_block_2d(&self) -> Option<(Violation, &Location)> {
        self.blocks.iter().find_map(|block| {
            block.check_known(usize::MAX).err().map(|violation| (violation, &block.location))
        })
    }

    /// The bytes of buffer argument `argument` that each group of threads owns; `None` if this is not proven.
    #[must_use]
    pub fn segment(&self, argument: usize, grid: Grid) -> Option<Segment> {
        buffer::segment(self.buffers.iter().filter(|access| access.argument == argument), grid)
    }

    /// How copies of buffer argument `argument` are combined, if kernel threads change it only by operations whose
    /// order does not affect the result.
    #[must_use]
    pub fn merge(&self, argument: usize) -> Option<Merge> {
        let accesses = self.buffers.iter().filter(|access| access.argument == argument);
        Merge::of_all(accesses.map(|access| access.merge))
    }

    /// A written parameter that shares rows with another one, because a plane is accessed both as a whole and by
    /// fields. The parts of its views that groups own then prove nothing.
    #[must_use]
    pub fn overlapping_view(&self) -> Option<usize> {
        self.overlapping
    }

    /// Whether there is a staged `if` or loop.
    #[must_use]
    pub fn has_staged_control_flow(&self) -> bool {
        self.conditions
    }

    /// Whether all threads of a row run the same instructions, if each of them is a group of its own.
    #[must_use]
    pub fn rows_stay_together(&self) -> bool {
        self.together
    }

    /// Whether there are no typed accesses, and the columns of all blocks that are read depend only on the thread's
    /// coordinates, and therefore do not wrap.
    #[must_use]
    pub fn reads_known_columns(&self) -> bool {
        self.accesses.iter().all(|access| match access.moved {
            Moved::Block { x, .. } => access.writes || x.is_some(),
            Moved::Texels(_) => false,
        })
    }

    /// The number of instructions of the kernel.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.instructions
    }

    /// The estimated work of a thread, in operations on vectors of 64 bytes. Loops count as often as they run, or 16
    /// times if that is not known.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The parts of argument `argument` that the groups of `space` own: no group accesses a byte that another group
    /// writes. `None` if this is not proven.
    ///
    /// Groups that differ along an axis must differ in x or in y: there the coordinates of all accesses must grow by
    /// the same steps, which must be at least as long as the part that a group accesses. A read that may be moved to
    /// the edge of the surface can access anything.
    #[must_use]
    pub fn footprint(&self, argument: usize, space: Space) -> Option<Footprint> {
        let (grid, cells) = (space.grid, Cells::of(space.grid));
        let accesses = || self.accesses.iter().filter(move |access| access.argument == argument);
        if !accesses().any(|access| access.writes) {
            return Some(Footprint { writes: false, cells, x: None, y: None });
        }
        let [x, y, _] = self.blocks_along(argument, space.period).map(|blocks| stripes(blocks, grid));
        // A read beyond the edge is moved to the edge, where another thread may write.
        (tell_groups(&[x, y], grid) && self.read_outside(argument, space).is_none()).then_some(Footprint {
            writes: true,
            cells,
            x,
            y,
        })
    }

    /// The parts of 3-D surface argument `argument` that the groups of a grid own; `None` if this is not proven. Texels
    /// have `texel` bytes.
    ///
    /// Groups that differ along an axis must differ in a coordinate, as in [`footprint`](Self::footprint). Accesses
    /// outside access nothing.
    #[must_use]
    pub fn footprint_3d(&self, argument: usize, grid: Grid, texel: usize) -> Option<Footprint3d> {
        let [x, y, z] = self.blocks_along(argument, texel).map(|blocks| stripes(blocks, grid));
        let writes = self.accesses.iter().any(|access| access.argument == argument && access.writes);
        let slice = Footprint { writes, cells: Cells::of(grid), x, y };
        (!writes || tell_groups(&[x, y, z], grid)).then_some(Footprint3d { slice, z })
    }

    /// The part of surface argument `argument` that a thread accesses while other threads of its wave run, or without
    /// waves all others: no thread accesses what another one writes. `None` if this is not proven.
    ///
    /// Unlike the part that a thread owns, it may be in several places.
    #[must_use]
    pub fn neighbourhood(
        &self,
        argument: usize,
        space: Space,
        waves: Option<&Waves>,
    ) -> Option<Neighbourhood> {
        let accesses = self.accesses.iter().filter(|access| access.argument == argument);
        let touched = accesses.map(|access| {
            let (x, width) = access.columns(space.period);
            Touched { start: [x, access.y], extent: [width, access.rows()], writes: access.writes }
        });
        let edges = (space.surface_width, space.surface_height, space.period);
        Neighbourhood::of(touched, Some(edges), space.grid, waves)
    }

    /// The same for a buffer.
    #[must_use]
    pub fn buffer_neighbourhood(
        &self,
        argument: usize,
        grid: Grid,
        waves: Option<&Waves>,
    ) -> Option<Neighbourhood> {
        let accesses = self.buffers.iter().filter(|access| access.argument == argument);
        let touched = accesses.flat_map(|access| {
            let known = access.reach.blocks();
            let anywhere = known.is_none().then_some((None, 0));
            let known = known.into_iter().flatten().map(|(start, bytes)| (Some(start), bytes));
            let row = Some(Affine::constant(0));
            known.chain(anywhere).map(move |(start, bytes)| Touched {
                start: [start, row],
                extent: [bytes, 1],
                writes: access.writes,
            })
        });
        Neighbourhood::of(touched, None, grid, waves)
    }

    /// An access because of which groups are not proven to be disjoint in argument `argument`: an access whose position
    /// is not known, or otherwise the first write. Also returns why it is an obstacle.
    #[must_use]
    pub fn obstacle(&self, argument: usize) -> Option<(&Location, Obstacle)> {
        let surfaces = self.accesses.iter().map(|access| {
            (access.argument, access.writes, access.is_known(), access.obstacle, &access.location)
        });
        let buffers = self.buffers.iter().map(|access| {
            let known = !matches!(access.reach, Reach::Anywhere);
            (access.argument, access.writes, known, access.obstacle, &access.location)
        });
        let all = || surfaces.clone().chain(buffers.clone()).filter(|(of, ..)| *of == argument);
        let unknown =
            all().find(|(_, _, known, ..)| !known).map(|(.., obstacle, location)| (location, obstacle));
        let written =
            || all().find(|(_, writes, ..)| *writes).map(|(.., location)| (location, Obstacle::Overlap));
        unknown.or_else(written)
    }

    /// The columns, rows and slices of all accesses to a surface: where each begins, and how many there are. `texel` is the
    /// bytes of a texel.
    pub(super) fn blocks_along(&self, argument: usize, texel: usize) -> [Vec<(Option<Affine>, usize)>; 3] {
        let accesses = || self.accesses.iter().filter(|access| access.argument == argument);
        [
            accesses().map(|access| access.columns(texel)).collect(),
            accesses().map(|access| (access.y, access.rows())).collect(),
            accesses().map(|access| (access.slices(), 1)).collect(),
        ]
    }

    /// A read of argument `argument` that is not proven to stay inside its surface. Typed reads outside access nothing.
    #[must_use]
    pub fn read_outside(&self, argument: usize, space: Space) -> Option<&SurfaceUse> {
        let within = |position: Option<Affine>, extent: usize, size: usize| {
            position.is_some_and(|position| {
                let (low, high) = position.range(space.grid);
                low >= 0 && high + extent as i64 <= size as i64
            })
        };
        let mut reads = self.accesses.iter().filter(|access| access.argument == argument && !access.writes);
        reads.find(|access| match access.moved {
            Moved::Block { x, width, rows } => {
                !(within(x, width, space.surface_width) && within(access.y, rows, space.surface_height))
            }
            Moved::Texels(_) => false,
        })
    }
}

/// The stripes of blocks that begin at these numbers and have these extents, if the numbers move by the same steps and
/// the blocks of different groups are disjoint.
pub(super) fn stripes(
    blocks: impl IntoIterator<Item = (Option<Affine>, usize)>,
    grid: Grid,
) -> Option<Stripes> {
    let all = blocks.into_iter().try_fold(None, |all: Option<Stripes>, (start, extent)| {
        let start = start?;
        let own = Stripes::of(start, extent, grid);
        Some(Some(all.map_or(Some(own), |all| all.joined(own))?))
    });
    all?.filter(|all| all.are_apart(grid))
}

/// Whether groups that differ along any axis differ in one of these stripes, if they are known.
pub(super) fn tell_groups(stripes: &[Option<Stripes>], grid: Grid) -> bool {
    let tells = |axis| stripes.iter().flatten().any(|stripes| stripes.tells(axis));
    (0..3).all(|axis| grid.groups[axis] == 1 || tells(axis))
}
