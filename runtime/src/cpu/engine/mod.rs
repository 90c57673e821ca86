//! Runs kernels from their recording, without compiled code. Without optimisation, the code that rustc
//! generates for a kernel is hundreds of times slower than with it.
//!
//! A recording becomes a [`Program`] once. A [`Machine`] runs it for several kernel threads at once, so these
//! share the cost of each instruction; the loops are code of this crate. The definitions of operations, the
//! checks of accesses and the memory of groups are those of the CPU backend and the executor, so results and
//! errors are the same.
//!
//! ```text
//! elements, moves, rows < across, vectors, wide < fastest < program < uses < slots < prepare
//! prepare < arithmetic
//! threads, prepare < machine < memory
//! ```

mod across;
mod arithmetic;
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

use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

pub(super) use machine::Machine;
pub(super) use program::Program;

use cm_compiler::simplify::simplified;

use super::isa::Isa;
use crate::recording::Recording;

/// The program of a recording for the instruction set of this process. It is created on first use.
pub(super) fn program(recording: &'static Recording, isa: Isa) -> &'static Program {
    static PROGRAMS: Mutex<Option<FxHashMap<usize, &'static OnceLock<Program>>>> = Mutex::new(None);
    // Recordings are never freed, so no other one has this address.
    let id = std::ptr::from_ref(recording).addr();
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let program = *programs.get_or_insert_default().entry(id).or_insert_with(|| Box::leak(Box::default()));
    // Other kernels do not wait for this one.
    drop(programs);
    program.get_or_init(|| Program::new(Box::leak(Box::new(simplified(recording.function()))), isa))
}
