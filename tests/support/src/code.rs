//! A kernel in machine code, which the execution units of the simulator execute.

use std::sync::Arc;

use cm::ir::Grid;
use cm_simulator::binary::{ArgumentKind, Kernel};
use cm_simulator::eu::Program;
use cm_simulator::launch::{Groups, World};

/// Bytes of scratch space of a thread.
const SCRATCH: u32 = 65536;

/// More instructions per thread than any of these kernels needs, unless it does not end.
const INSTRUCTIONS: u64 = 20_000_000;

/// A kernel in machine code.
#[derive(Debug)]
pub struct Code {
    pub(crate) kernel: Kernel,
    pub(crate) program: Arc<Program>,
}

impl Code {
    /// Whether it tests a signed and an unsigned integer for equality. The simulator compares the numbers,
    /// Intel's compiler the bits; it is not known here what the hardware does.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        self.program.listing().any(|(_, line)| {
            let types = line.split(">:").skip(2).filter_map(|rest| rest.split_whitespace().next());
            let (mut signed, mut unsigned) = (false, false);
            for ty in types {
                signed |= matches!(ty, "d" | "q");
                unsigned |= matches!(ty, "ud" | "uq");
            }
            let equality = line.contains("(ne)") || line.contains("(eq)");
            equality && signed && unsigned
        })
    }

    /// The rounds of its loops: the instructions from the target of a branch backwards to the branch.
    #[must_use]
    pub fn rounds(&self) -> Vec<Vec<&str>> {
        let all: Vec<(u32, &str)> = self.program.listing().collect();
        let round = |&(at, line): &(u32, &str)| {
            let is_label = |word: &&str| word.strip_prefix('L').is_some_and(|n| n.parse::<u32>().is_ok());
            let mut targets =
                line.split_whitespace().filter(is_label).filter_map(|label| label[1..].parse().ok());
            let start = targets.find(|start| *start <= at)?;
            Some(all.iter().filter(|(n, _)| (start..=at).contains(n)).map(|(_, line)| *line).collect())
        };
        all.iter().filter_map(round).collect()
    }

    /// Its instructions as text.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.program.listing().map(|(_, line)| line)
    }

    /// The indices of its surfaces and buffers, and the locations of its arguments by value in the order of
    /// the parameters.
    pub(crate) fn places(&self) -> (Vec<u32>, Vec<usize>) {
        let arguments = &self.kernel.arguments;
        let surfaces = arguments.iter().filter_map(|argument| u32::try_from(argument.surface).ok());
        let values = arguments.iter().filter(|argument| argument.kind == ArgumentKind::Value);
        (surfaces.collect(), values.map(|argument| argument.offset as usize).collect())
    }

    /// Runs the groups of a grid, with `data` at the locations of arguments.
    ///
    /// Threads run in order: the winner of two writes to the same place is not a difference. Returns the number of
    /// instructions.
    pub(crate) fn launch(
        &self,
        grid: Grid,
        values: &[(usize, &[u8])],
        world: &mut World,
    ) -> Result<u64, String> {
        let mut data = vec![0; self.kernel.data as usize];
        for (offset, bytes) in values {
            let end = offset + bytes.len();
            data.resize(data.len().max(end), 0);
            data[*offset..end].copy_from_slice(bytes);
        }
        self.kernel.implicit(&mut data, grid.groups, grid.local);
        world.constants(&self.kernel, &mut data);
        let mut groups = Groups::new(&self.kernel, Arc::clone(&self.program), grid.groups, data);
        groups.local = grid.local;
        // Random programs may spill.
        groups.scratch = SCRATCH;
        groups.budget = INSTRUCTIONS;
        groups.run(world, 1).map_err(|error| error.to_string()).map(|ended| ended.instructions)
    }
}

/// Columns and rows of groups of one thread.
pub(crate) fn single((columns, rows): (usize, usize)) -> Grid {
    Grid::single([columns as u32, rows as u32, 1])
}
