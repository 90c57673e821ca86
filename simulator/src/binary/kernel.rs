//! A kernel of a program binary.

use crate::generation::{Generation, Machine};

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub enum ArgumentKind {
    Image,
    GlobalSurface,
    Sampler,
    Value,
    SlmOffset,
    Pointer,
}

/// An argument that the host sets.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct Argument {
    pub number: u32,
    pub kind: ArgumentKind,
    /// Its offset in the data of threads, and its size.
    pub offset: u32,
    pub size: u32,
    /// Its offset in the value that the host gives.
    pub source: u32,
    /// The index of its surface state, in units of 64 bytes; -1 if it has none.
    pub surface: i64,
}

/// A number that the driver sets.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct Implicit {
    pub kind: u32,
    /// The dimension.
    pub index: u32,
    pub offset: u32,
    pub size: u32,
}

/// Memory of a program that a kernel refers to.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct ProgramData {
    pub is_constant: bool,
    pub surface: i64,
    pub offset: u32,
    pub size: u32,
}

/// A kernel.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct Kernel {
    /// The execution unit that it was compiled for.
    pub machine: Machine,
    pub name: String,
    pub code: Vec<u8>,
    pub simd: u32,
    /// Bytes of shared local memory.
    pub shared: u32,
    /// Bytes of the data of threads.
    pub data: u32,
    /// The bytes of the data that threads start with in registers; on newer generations they load the rest
    /// themselves.
    pub inline_data: u32,
    pub local_ids: bool,
    /// The flags of the three local ids.
    pub local_id_flags: [u32; 3],
    /// For each entry of the binding table, the index of its surface state, in units of 64 bytes.
    pub binding_table: Vec<u32>,
    pub arguments: Vec<Argument>,
    pub implicit: Vec<Implicit>,
    pub program_data: Vec<ProgramData>,
    /// The contents of the constants and globals of the program.
    pub constants: Vec<u8>,
    pub globals: Vec<u8>,
}

impl Kernel {
    /// A kernel of which only the purpose is known: vector compute.
    #[must_use]
    pub fn new(machine: Machine) -> Self {
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

    /// The generation for a number in a program binary.
    pub fn generation(family: u32) -> Result<Generation, String> {
        Generation::of_core(family)
            .ok_or_else(|| format!("it is for GPUs of family {family:#x}, which are not supported"))
    }

    /// Writes the values that the driver would write: sizes of groups and of the grid. Values that are
    /// already set are kept.
    pub fn implicit(&self, data: &mut [u8], grid: [u32; 3], local: [u32; 3]) {
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
