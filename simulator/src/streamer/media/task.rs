//! What a thread of the media pipeline begins with.
//!
//! Its registers: the header, with the place in its second and the colour in its third dword; constants
//! (`MEDIA_CURBE_LOAD`) as the interface descriptor says; the inline data of the command; its indirect data, each from a
//! register on. Place and colour are where `BuildIRImpl.cpp` of Intel's graphics compiler takes them from, the order of the
//! others is that of kernels of Intel's vaapi-driver (`vme8.inc`).

use std::collections::HashMap;
use std::sync::Arc;

use super::super::error::Error;
use super::super::payload::Place;
use super::super::walk::Walk;
use super::loops::Position;
use crate::generation::Generation;

/// Bytes of a register, and registers of a thread, of Gen9: no other generation has these commands here.
const REGISTER: usize = Generation::Gen9.register_bytes();
const REGISTERS: usize = Generation::Gen9.most_registers();

/// What a command gives to its threads.
pub(in crate::streamer) struct Task {
    pub(in crate::streamer) walk: Arc<Walk>,
    inline: Vec<u8>,
    indirect: Vec<u8>,
}

/// A thread that has not begun.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// The number of its task.
    pub(super) task: u32,
    pub(super) position: Position,
    /// Entries of the scoreboard that hold for it.
    pub(super) mask: u8,
}

/// Threads in the order of their dispatch.
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

    /// The registers with which inline and indirect data begin.
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
    /// Those of a task, for which entries of a mask hold.
    pub(in crate::streamer) fn of(task: Task, positions: Vec<Position>, mask: u8) -> Self {
        let threads = positions.into_iter().map(|position| Waiting { task: 0, position, mask }).collect();
        Self { tasks: vec![task], threads, kernels: HashMap::new() }
    }

    /// Adds the thread of a task, whose kernel has this number.
    pub(in crate::streamer) fn add(&mut self, kernel: u32, task: Task, position: Position, mask: u8) {
        self.kernels.insert(kernel, Arc::clone(&task.walk));
        self.threads.push(Waiting { task: self.tasks.len() as u32, position, mask });
        self.tasks.push(task);
    }

    /// A kernel that one of the threads has.
    pub(in crate::streamer) fn kernel(&self, number: u32) -> Option<Arc<Walk>> {
        self.kernels.get(&number).cloned()
    }

    /// How many threads.
    pub(in crate::streamer) fn len(&self) -> usize {
        self.threads.len()
    }
}
