//! Command lists.

use std::collections::BTreeMap;

/// A command list.
#[derive(Default, Debug)]
pub(super) struct List {
    pub(super) commands: Vec<Command>,
    pub(super) closed: bool,
    pub(super) running: bool,
    /// The place among all lists that were submitted.
    pub(super) order: usize,
    /// What it signals when it is done; 0 for nothing.
    pub(super) fence: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Command {
    Barrier,
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
        event: usize,
    },
}

/// A part of an image: column, row, columns and rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl List {
    pub(super) fn uses(&self, handle: usize) -> bool {
        self.fence == handle || self.commands.iter().any(|command| command.handles().contains(&handle))
    }
}

impl Command {
    /// What must be alive until it is done.
    pub(super) fn handles(&self) -> Vec<usize> {
        match self {
            Self::Barrier => vec![],
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
}
