//! The commands of a batch, one row each. Sources: Intel's PRM, Skylake and Tiger Lake, volume 2a; for
//! commands since Xe-HPG `hw_cmds_generated_xe_hpg_core.inl` of Intel's compute-runtime.

use super::error::Error;
use super::memory_interface as mi;
use super::objects;
use super::pipelines;
use super::target::{Next, Target};

/// Executes a command, given all its words.
type Execute = fn(&mut Target<'_>, &[u32]) -> Result<Next, Error>;

/// A command.
pub(super) struct Row {
    code: u32,
    pub(super) name: &'static str,
    /// The bits of the first word that contain the number of words minus two. 0: one word.
    length: u32,
    /// The minimum number of words.
    least: usize,
    pub(super) execute: Execute,
}

const fn row(code: u32, name: &'static str, length: u32, least: usize, execute: Execute) -> Row {
    Row { code, name, length, least, execute }
}

/// For commands without a visible effect in the simulation.
const NOTHING: Execute = |_, _| Ok(Next::Following);

/// The opcode is in bits 28 to 23 of the first word.
const MEMORY_INTERFACE: [Row; 20] = [
    row(0x00, "MI_NOOP", 0, 1, NOTHING),
    row(0x01, "MI_SET_PREDICATE", 0, 1, NOTHING),
    row(0x02, "MI_USER_INTERRUPT", 0, 1, NOTHING),
    row(0x05, "MI_ARB_CHECK", 0, 1, NOTHING),
    row(0x08, "MI_ARB_ON_OFF", 0, 1, NOTHING),
    row(0x0a, "MI_BATCH_BUFFER_END", 0, 1, |_, _| Ok(Next::Return)),
    row(0x0c, "MI_PREDICATE", 0, 1, NOTHING),
    row(0x1a, "MI_MATH", 0xff, 2, mi::math),
    row(0x1c, "MI_SEMAPHORE_WAIT", 0x3f, 4, mi::semaphore_wait),
    row(0x20, "MI_STORE_DATA_IMM", 0x3f, 4, mi::store_data),
    row(0x22, "MI_LOAD_REGISTER_IMM", 0xff, 3, mi::load_registers),
    row(0x24, "MI_STORE_REGISTER_MEM", 0x3f, 4, mi::store_register),
    row(0x26, "MI_FLUSH_DW", 0x3f, 4, mi::flush),
    row(0x28, "MI_REPORT_PERF_COUNT", 0x3f, 2, NOTHING),
    row(0x29, "MI_LOAD_REGISTER_MEM", 0x3f, 4, mi::load_register),
    row(0x2a, "MI_LOAD_REGISTER_REG", 0x3f, 3, mi::copy_register),
    row(0x2e, "MI_COPY_MEM_MEM", 0x3f, 5, mi::copy_memory),
    row(0x2f, "MI_ATOMIC", 0x3f, 3, mi::atomic),
    row(0x31, "MI_BATCH_BUFFER_START", 0x3f, 3, mi::start_batch),
    row(0x36, "MI_CONDITIONAL_BATCH_BUFFER_END", 0x3f, 4, mi::end_batch_if),
];

/// The opcode is the upper half of the first word.
const PIPELINES: [Row; 16] = [
    row(0x6101, "STATE_BASE_ADDRESS", 0xff, 12, pipelines::base_addresses),
    row(0x6102, "STATE_SIP", 0xff, 2, NOTHING),
    row(0x6104, "GPGPU_CSR_BASE_ADDRESS", 0xff, 2, NOTHING),
    row(0x6105, "STATE_COMPUTE_MODE", 0xff, 2, pipelines::compute_mode),
    row(0x6904, "PIPELINE_SELECT", 0, 1, NOTHING),
    row(0x7000, "MEDIA_VFE_STATE", 0xffff, 4, pipelines::front_end),
    row(0x7001, "MEDIA_CURBE_LOAD", 0xffff, 4, pipelines::load_payload),
    row(0x7002, "MEDIA_INTERFACE_DESCRIPTOR_LOAD", 0xffff, 4, pipelines::load_descriptors),
    row(0x7004, "MEDIA_STATE_FLUSH", 0xffff, 2, NOTHING),
    row(MEDIA_OBJECT, "MEDIA_OBJECT", 0xffff, 6, objects::object),
    row(0x7103, "MEDIA_OBJECT_WALKER", 0xffff, 17, objects::walk_objects),
    row(0x7105, "GPGPU_WALKER", 0xff, 15, pipelines::walk),
    row(0x7200, "CFE_STATE", 0xff, 4, pipelines::compute_front_end),
    row(0x7208, "COMPUTE_WALKER", 0xff, 39, pipelines::compute),
    row(0x7919, "3DSTATE_BINDING_TABLE_POOL_ALLOC", 0xff, 4, pipelines::binding_tables),
    row(0x7a00, "PIPE_CONTROL", 0xff, 6, pipelines::pipe_control),
];

/// The command that starts a single thread.
const MEDIA_OBJECT: u32 = 0x7100;

/// State of the 3D pipeline, which compute batches set but do not use.
const STATE_3D: Row = row(0, "state of the 3D pipeline", 0xff, 2, NOTHING);

/// The opcode of `3DPRIMITIVE` and similar later commands, which draw.
const DRAWS: u32 = 0x7b00;

/// The row of the command with this first word.
pub(super) fn find(header: u32) -> Result<&'static Row, Error> {
    let unsupported = Error::Unsupported { what: "command", number: header };
    let code = header >> 16;
    match header >> 29 {
        0 => MEMORY_INTERFACE.iter().find(|row| row.code == header >> 23 & 0x3f).ok_or(unsupported),
        3 => match PIPELINES.iter().find(|row| row.code == code) {
            Some(row) => Ok(row),
            // The media pipeline (0x7000..0x7800) affects kernels; drawing is not simulated.
            None if (0x7000..0x7800).contains(&code) || code == DRAWS => Err(unsupported),
            None => Ok(&STATE_3D),
        },
        _ => Err(unsupported),
    }
}

impl Row {
    /// Whether its threads are collected, and started together with those of following commands of this kind.
    pub(super) fn gathers(&self) -> bool {
        self.code == MEDIA_OBJECT
    }

    /// The number of words of a command.
    pub(super) fn words(&self, header: u32) -> Result<usize, Error> {
        let words = if self.length == 0 { 1 } else { (header & self.length) as usize + 2 };
        if words < self.least {
            return Err(Error::Unsupported { what: self.name, number: header });
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        assert!(MEMORY_INTERFACE.is_sorted_by(|left, right| left.code < right.code));
        assert!(PIPELINES.is_sorted_by(|left, right| left.code < right.code));
    }

    #[test]
    fn first_words_lead_to_rows() {
        for (header, name, words) in [
            (0x0500_0000, "MI_BATCH_BUFFER_END", 1),
            (0x1880_0001, "MI_BATCH_BUFFER_START", 3),
            (0x1100_0005, "MI_LOAD_REGISTER_IMM", 7),
            (0x7a00_0004, "PIPE_CONTROL", 6),
            (0x7100_0005, "MEDIA_OBJECT", 7),
            (0x7103_000f, "MEDIA_OBJECT_WALKER", 17),
            (0x7105_000d, "GPGPU_WALKER", 15),
            (0x7208_0025, "COMPUTE_WALKER", 39),
            (0x7919_0002, "3DSTATE_BINDING_TABLE_POOL_ALLOC", 4),
            (0x6904_0302, "PIPELINE_SELECT", 1),
            (0x6101_0011, "STATE_BASE_ADDRESS", 19),
            (0x7826_0001, "state of the 3D pipeline", 3),
        ] {
            let row = find(header).expect("a command");
            assert_eq!((row.name, row.words(header)), (name, Ok(words)));
        }
        for header in [0x7b00_0005, 0x7003_0000, 0x7102_000e, 0x7106_0005, 0x4000_0000, 0x1f80_0000] {
            assert!(find(header).is_err(), "{header:#x}");
        }
        assert!(find(0x7a00_0001).expect("a command").words(0x7a00_0001).is_err());
    }
}
