//! The initial state of a thread of the media pipeline.
//!
//! Its registers are the header, with the position in its second dword and the colour in its third; the
//! constants (`MEDIA_CURBE_LOAD`) that the interface descriptor selects; the inline data of the command; and
//! its indirect data, each starting at a register. Position and colour are where `BuildIRImpl.cpp` of Intel's
//! graphics compiler reads them; the order of the others is that of kernels of Intel's vaapi-driver
//! (`vme8.inc`).

use std::collections::HashMap;
use std::sync::Arc;

use super::super::error::Error;
use super::super::payload::Place;
use super::super::walk::Walk;
use super::loops::Position;
use crate::generation::Generation;

/// Bytes of a register, and registers of a thread, on Gen9: these commands are not supported on other
/// generations.
const REGISTER: usize = Generation::Gen9.register_bytes();
const REGISTERS: usize = Generation::Gen9.most_registers();

/// The data that a command passes to its threads.
pub(in crate::streamer) struct Task {
    pub(in crate::streamer) walk: Arc<Walk>,
    inline: Vec<u8>,
    indirect: Vec<u8>,
}

/// A thread that has not started.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// The number of its task.
    pub(super) task: u32,
    pub(super) position: Position,
    /// The scoreboard entries of the thread.
    pub(super) mask: u8,
}

/// Threads in dispatch order.
#[derive(Default)]
pub(in crate::streamer) struct Objects {
    pub(in crate::streamer) tasks: Vec<Task>,
    pub(super) threads: Vec<Waiting>,
    /// Kernels by the numbers of their interface descriptors.
    kernels: HashMap<u32, Arc<Walk>>,
}

impl Task {
    pub(in crate::streamer) fn new(
        walk: Arc<Walk>,
        inline: Vec<u8>,
        indirect: Vec<u8>,
    ) -> Result<Self, Error> {
        let task = Self { walk, inline, indirect };
        let registers = task.first_indirect() + task.indirect.len().div_ceil(REGISTER);
        if registers > REGISTERS {
            return Err(Error::Payload { walker: task.walk.number, registers });
        }
        Ok(task)
    }

    /// The first register of inline and indirect data.
    fn first_inline(&self) -> usize {
        1 + self.walk.descriptor.per_thread
    }

    fn first_indirect(&self) -> usize {
        self.first_inline() + self.inline.len().div_ceil(REGISTER)
    }

    /// The registers of a thread.
    pub(super) fn registers(&self, position: Position, hardware_thread: u32) -> Vec<u8> {
        let place = u32::from(position.x) | u32::from(position.y) << 16;
        let place = Place { group: [place, 0, 0], thread: 0, hardware_thread, barrier: 0 };
        let mut registers = self.walk.payload.registers(place);
        registers[8..12].copy_from_slice(&u32::from(position.colour).to_le_bytes());
        for (first, bytes) in [(self.first_inline(), &self.inline), (self.first_indirect(), &self.indirect)] {
            registers[first * REGISTER..][..bytes.len()].copy_from_slice(bytes);
        }
        registers
    }
}

impl Objects {
    /// The threads of a task, with the scoreboard entries of a mask.
    pub(in crate::streamer) fn of(task: Task, positions: Vec<Position>, mask: u8) -> Self {
        let threads = positions.into_iter().map(|position| Waiting { task: 0, position, mask }).collect();
        Self { tasks: vec![task], threads, kernels: HashMap::new() }
    }

    /// Adds a thread of a task; `kernel` is the number of its kernel.
    pub(in crate::streamer) fn add(&mut self, kernel: u32, task: Task, position: Position, mask: u8) {
        self.kernels.insert(kernel, Arc::clone(&task.walk));
        self.threads.push(Waiting { task: self.tasks.len() as u32, position, mask });
        self.tasks.push(task);
    }

    /// A kernel of one of the threads.
    pub(in crate::streamer) fn kernel(&self, number: u32) -> Option<Arc<Walk>> {
        self.kernels.get(&number).cloned()
    }

    /// The number of threads.
    pub(in crate::streamer) fn len(&self) -> usize {
        self.threads.len()
    }
}
