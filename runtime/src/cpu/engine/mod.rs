//! Runs kernels from their recording, without code of their own: where the user's crate is not optimised, the code
//! that rustc makes of a kernel is hundreds of times slower than with optimisation.
//!
//! A recording becomes a [`Program`] once. A [`Machine`] runs it for several kernel threads at once, so that what an
//! instruction costs is shared by them, in loops that are code of this crate. Meanings of operations, checks of
//! accesses and the memory of groups are those of the CPU backend and the executor: the same bits, the same errors.
//!
//! ```text
//! elements, moves, rows < across, vectors, wide < fastest < program < uses < slots < prepare
//! threads, prepare < machine < memory
//! ```

mod across;
mod elements;
mod fastest;
mod machine;
mod memory;
mod moves;
mod prepare;
mod program;
mod rows;
mod slots;
mod threads;
mod uses;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[cfg(target_arch = "x86_64")]
mod wide;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

pub(super) use machine::Machine;
pub(super) use program::Program;

use cm_compiler::simplify::simplified;

use super::isa::Isa;
use crate::recording::Recording;

/// The program of a recording for the instruction set of this process; made when it is first asked for.
pub(super) fn program(recording: &'static Recording, isa: Isa) -> &'static Program {
    static PROGRAMS: Mutex<Option<HashMap<usize, &'static Program>>> = Mutex::new(None);
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = programs.get_or_insert_default();
    // No other recording gets this address, because none is freed.
    let id = std::ptr::from_ref(recording).addr();
    known.entry(id).or_insert_with(|| {
        let function = Box::leak(Box::new(simplified(recording.function())));
        Box::leak(Box::new(Program::new(function, isa)))
    })
}
