//! Command lists.

use std::collections::BTreeMap;

use cm_compiler::spirv::LINE_DWORDS;

/// A command list.
#[derive(Default, Debug)]
pub(super) struct List {
    pub(super) commands: Vec<Command>,
    pub(super) closed: bool,
    pub(super) running: bool,
    /// The index among all submitted lists.
    pub(super) order: usize,
    /// The fence that it signals when it has completed; 0 for none.
    pub(super) fence: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Command {
    Barrier {
        event: usize,
    },
    Upload {
        image: usize,
        memory: usize,
        region: Region,
    },
    Download {
        image: usize,
        memory: usize,
        region: Region,
    },
    Copy {
        to: usize,
        from: usize,
        bytes: usize,
        memory: [usize; 2],
    },
    Fill {
        to: usize,
        pattern: u8,
        bytes: usize,
        memory: usize,
    },
    Launch {
        kernel: usize,
        module: usize,
        name: String,
        arguments: BTreeMap<u32, Vec<u8>>,
        /// The objects among them.
        used: Vec<usize>,
        /// Those that it writes.
        written: Vec<usize>,
        /// The number of groups in a row.
        columns: u32,
        event: usize,
    },
}

/// A part of an image: column, row, slice, columns, rows and slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) z: usize,
    pub(super) depth: usize,
}

impl List {
    /// Two commands that may overlap, as no barrier is between them, and of which one writes what the other one uses. Lines of a
    /// launch may: if they need a barrier, the time of the launch shows that there is none.
    pub(super) fn race(&self) -> Option<[&Command; 2]> {
        let barrier = |command: &Command| matches!(command, Command::Barrier { .. });
        let races = |[first, second]: [&Command; 2]| {
            let meets =
                |written: Vec<usize>, other: &Command| written.iter().any(|it| other.handles().contains(it));
            let meet = meets(first.written(), second) || meets(second.written(), first);
            meet && !first.is_line_beside(second)
        };
        let pairs = self.commands.split(barrier).flat_map(|together| {
            together
                .iter()
                .enumerate()
                .flat_map(|(n, first)| together[n + 1..].iter().map(move |second| [first, second]))
        });
        pairs.into_iter().find(|pair| races(*pair))
    }

    pub(super) fn uses(&self, handle: usize) -> bool {
        self.fence == handle || self.commands.iter().any(|command| command.handles().contains(&handle))
    }
}

impl Command {
    /// The objects that must live until it has completed.
    pub(super) fn handles(&self) -> Vec<usize> {
        match self {
            Self::Barrier { event } => Some(*event).into_iter().filter(|&handle| handle != 0).collect(),
            Self::Upload { image, memory, .. } | Self::Download { image, memory, .. } => {
                vec![*image, *memory]
            }
            Self::Copy { memory, .. } => memory.to_vec(),
            Self::Fill { memory, .. } => vec![*memory],
            Self::Launch { kernel, module, used, event, .. } => {
                let used = used.iter().copied();
                used.chain([*kernel, *module, *event]).filter(|&handle| handle != 0).collect()
            }
        }
    }

    /// Whether both launch lines of threads of a kernel with the same other arguments.
    fn is_line_beside(&self, other: &Self) -> bool {
        let parts = |command: &Self| match command {
            Self::Launch { kernel, arguments, .. } => {
                let (lines, others): (Vec<_>, Vec<_>) = arguments
                    .clone()
                    .into_iter()
                    .partition(|(_, value)| value.len() == size_of::<[u32; LINE_DWORDS]>());
                (!lines.is_empty()).then_some((*kernel, others))
            }
            _ => None,
        };
        parts(self).is_some_and(|this| Some(this) == parts(other))
    }

    /// The objects that it writes.
    fn written(&self) -> Vec<usize> {
        match self {
            Self::Barrier { .. } => vec![],
            Self::Upload { image, .. } => vec![*image],
            Self::Download { memory, .. } => vec![*memory],
            Self::Copy { memory: [to, _], .. } => vec![*to],
            Self::Fill { memory, .. } => vec![*memory],
            Self::Launch { written, .. } => written.clone(),
        }
    }
}
