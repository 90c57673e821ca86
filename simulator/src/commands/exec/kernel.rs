//! A kernel of a program binary.

use cm_simulator::generation::{Generation, Machine};

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    Image,
    GlobalSurface,
    Sampler,
    Value,
    SlmOffset,
    Pointer,
}

/// An argument that the host sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) number: u32,
    pub(crate) kind: ArgumentKind,
    /// Where it goes in the data of threads, and its bytes.
    pub(crate) offset: u32,
    pub(crate) size: u32,
    /// Where it comes from in the value that the host gives.
    pub(crate) source: u32,
    /// Its surface's state, by 64 bytes. -1 without one.
    pub(crate) surface: i64,
}

/// A number that the driver sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Implicit {
    pub(crate) kind: u32,
    /// The dimension.
    pub(crate) index: u32,
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// Memory of a program that a kernel names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramData {
    pub(crate) is_constant: bool,
    pub(crate) surface: i64,
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// What it was compiled for.
    pub(crate) machine: Machine,
    pub(crate) name: String,
    pub(crate) code: Vec<u8>,
    pub(crate) simd: u32,
    /// Bytes of shared local memory.
    pub(crate) shared: u32,
    /// Bytes of the data of threads.
    pub(crate) data: u32,
    /// Bytes of them that threads have in registers when they begin; newer generations load the others themselves.
    pub(crate) inline_data: u32,
    pub(crate) local_ids: bool,
    /// The flags of the three local ids.
    pub(crate) local_id_flags: [u32; 3],
    /// The surface's state, by 64 bytes, of each entry of the binding table.
    pub(crate) binding_table: Vec<u32>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) implicit: Vec<Implicit>,
    pub(crate) program_data: Vec<ProgramData>,
    /// What the program's constants and globals hold.
    pub(crate) constants: Vec<u8>,
    pub(crate) globals: Vec<u8>,
}

impl Kernel {
    /// One of which nothing is known but what it is for: vector compute.
    pub(crate) fn new(machine: Machine) -> Self {
        Self {
            machine,
            name: String::new(),
            code: vec![],
            simd: 1,
            shared: 0,
            data: 0,
            inline_data: 0,
            local_ids: false,
            local_id_flags: [0; 3],
            binding_table: vec![],
            arguments: vec![],
            implicit: vec![],
            program_data: vec![],
            constants: vec![],
            globals: vec![],
        }
    }

    /// The generation of a number in a program binary.
    pub(crate) fn generation(family: u32) -> Result<Generation, String> {
        Generation::of_core(family)
            .ok_or_else(|| format!("it is for GPUs of family {family:#x}, which are not supported"))
    }

    /// Writes what the driver would: sizes of groups and of the grid. What is already set stays.
    pub(crate) fn implicit(&self, data: &mut [u8], grid: [u32; 3], local: [u32; 3]) {
        for implicit in &self.implicit {
            let n = implicit.index as usize;
            let (Some(groups), Some(items)) = (grid.get(n), local.get(n)) else { continue };
            // `DATA_PARAMETER_TOKEN` of the compiler's `patch_list.h`.
            let value = match implicit.kind {
                2 | 28 => *items,
                3 => groups.saturating_mul(*items),
                18 => *groups,
                _ => continue,
            };
            let at = implicit.offset as usize;
            if let Some(place) = data.get_mut(at..at + 4).filter(|place| place.iter().all(|byte| *byte == 0))
            {
                place.copy_from_slice(&value.to_le_bytes());
            }
        }
    }
}
