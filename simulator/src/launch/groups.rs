//! Groups of threads, dispatched like a walker does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::binary::{Kernel, Lines};
use crate::dispatch::{Fault, Floats, Prefetch, Shape, Start, Stop, Surface, SurfaceKind, Surroundings};
use crate::eu::{Barriers, Program, Thread};
use crate::generation::Generation;
use crate::memory::{Block, Memory};
use crate::settings::HARDWARE_THREADS;

use super::world::{SCRATCH, World};

/// The most bytes of scratch space: those of the largest group whose threads have 2 MiB each. Hence offsets in
/// it have 32 bits.
const MOST_SCRATCH: u32 = 1 << 31;
/// The address of the data that threads load themselves, relative to the general state base: after scratch
/// space.
const PAYLOAD: u32 = MOST_SCRATCH;

/// The offset of the surface state for scratch space, relative to the surface state base.
const SCRATCH_STATE: u32 = 0x40;

/// A grid of groups.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The instructions.
    pub program: Arc<Program>,
    /// The source locations of its instructions, if they are known.
    pub lines: Option<Lines>,
    /// Groups in each dimension.
    pub grid: [u32; 3],
    /// Work items of a group in each dimension.
    pub local: [u32; 3],
    /// Work items of a thread.
    pub simd: u32,
    /// Whether registers have local ids before the data.
    pub local_ids: bool,
    /// The data of all threads.
    pub data: Vec<u8>,
    /// The bytes of the data that are in registers, if threads load the rest.
    pub inline_data: usize,
    /// Bytes of shared local memory of a group.
    pub shared: u32,
    /// Bytes of scratch space of a thread: a multiple of 1024.
    pub scratch: u32,
    /// Whether denormals are kept.
    pub keep_denormals: bool,
    /// The maximum number of instructions of a thread.
    pub budget: u64,
    /// Whether every instruction is written to standard error.
    pub trace: bool,
}

/// Counts of what has run.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// Groups.
    pub groups: u64,
    /// Threads of a group.
    pub threads: u32,
    /// Instructions of all threads.
    pub instructions: u64,
}

/// The threads of the largest group: more than any GPU has.
const MOST_THREADS: u32 = 1024;
/// The numbers of work items that a thread can have.
pub const WORK_ITEMS: [u32; 4] = [1, 8, 16, 32];

/// The product of these numbers, if it has 64 bits.
fn product(counts: [u32; 3]) -> Option<u64> {
    counts.iter().try_fold(1, |product: u64, count| product.checked_mul(u64::from(*count)))
}

/// Why a launch failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The data does not fit.
    #[error("{bytes} bytes of data do not fit into the registers of a thread")]
    Data {
        /// Its size.
        bytes: usize,
    },
    /// A thread has an impossible number of work items.
    #[error("threads of {simd} work items: a thread has 1, 8, 16 or 32")]
    Simd {
        /// Their number.
        simd: u32,
    },
    /// A group has too many work items.
    #[error(
        "groups of {} x {} x {} work items: use at most {}, which are {MOST_THREADS} threads of {simd}",
        local[0], local[1], local[2], MOST_THREADS * simd
    )]
    Items {
        /// Their numbers.
        local: [u32; 3],
        /// The work items of a thread.
        simd: u32,
    },
    /// The scratch space of a group is too large.
    #[error(
        "{bytes} bytes of scratch space for each of {threads} threads: use at most {MOST_SCRATCH} for a group"
    )]
    Scratch {
        /// The bytes of a thread.
        bytes: u32,
        /// The threads of a group.
        threads: u32,
    },
    /// There are too many groups to count them.
    #[error("{} x {} x {} groups: use fewer than 2^64", grid[0], grid[1], grid[2])]
    Groups {
        /// Their numbers.
        grid: [u32; 3],
    },
    /// A thread stopped.
    #[error("group ({}, {}, {}) thread {thread}: {fault}", group[0], group[1], group[2])]
    Fault {
        /// Its group.
        group: [u32; 3],
        /// Its number in the group.
        thread: u32,
        /// The reason.
        fault: Fault,
    },
}

struct Around<'a> {
    world: &'a World,
    groups: &'a Groups,
}

impl Surroundings for Around<'_> {
    fn memory(&self) -> &dyn Memory {
        self.world
    }

    fn surface(&self, entry: u32) -> Option<Surface<'_>> {
        self.world.surface(entry)
    }

    fn sampler(&self, _: u32) -> Option<[u32; 4]> {
        None
    }

    fn general_state_base(&self) -> u64 {
        if self.groups.scratch == 0 && !self.groups.loads_data() { 0 } else { SCRATCH }
    }

    fn surface_at(&self, state: u32) -> Option<Surface<'_>> {
        self.groups.scratch_surface(self.world, state)
    }

    fn floats(&self) -> Floats {
        Floats { alternative: false, keep_denormals: self.groups.keep_denormals }
    }

    fn prefetched(&self, prefetch: Prefetch) {
        self.world.prefetch(prefetch);
    }
}

impl Groups {
    /// Groups of one work item each, for a kernel of a program binary and the data of its threads.
    #[must_use]
    pub fn new(kernel: &Kernel, program: Arc<Program>, grid: [u32; 3], data: Vec<u8>) -> Self {
        Self {
            program,
            lines: None,
            grid,
            local: [1; 3],
            simd: kernel.simd.max(1),
            local_ids: kernel.local_ids,
            data,
            inline_data: kernel.inline_data as usize,
            shared: kernel.shared,
            scratch: 0,
            keep_denormals: false,
            budget: 1 << 32,
            trace: false,
        }
    }

    /// Runs all groups on at most this many host threads.
    ///
    /// # Errors
    ///
    /// If groups are too large, if the data does not fit into registers, and at a fault.
    pub fn run(&self, world: &mut World, hosts: usize) -> Result<Statistics, Error> {
        let simd = self.simd;
        if !WORK_ITEMS.contains(&simd) {
            return Err(Error::Simd { simd });
        }
        let items = product(self.local).and_then(|items| u32::try_from(items).ok());
        let items = items.filter(|items| *items <= MOST_THREADS * simd);
        let items = items.ok_or(Error::Items { local: self.local, simd })?;
        let threads = items.div_ceil(simd).max(1);
        let groups = product(self.grid).ok_or(Error::Groups { grid: self.grid })?;
        // A simulated GPU has no more either.
        let hosts = u32::try_from(hosts).unwrap_or(u32::MAX).clamp(1, HARDWARE_THREADS);
        let mut hosts = hosts.min(u32::try_from(groups.max(1)).unwrap_or(u32::MAX));
        if self.scratch > 0 {
            let group = self.scratch.checked_mul(threads).filter(|bytes| *bytes <= MOST_SCRATCH);
            let group = group.ok_or(Error::Scratch { bytes: self.scratch, threads })?;
            hosts = hosts.min(MOST_SCRATCH / group);
            world.map_zeros(SCRATCH, group as usize * hosts as usize);
        }
        if self.loads_data() {
            world.map(SCRATCH + u64::from(PAYLOAD), &self.payload(threads));
        }
        let around = Around { world, groups: self };
        let (next, instructions) = (AtomicU64::new(0), AtomicU64::new(0));
        let stop = AtomicBool::new(false);
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for host in 0..hosts {
                let (around, next, instructions, stop, failed) =
                    (&around, &next, &instructions, &stop, &failed);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= groups {
                            break;
                        }
                        match self.group(around, number, (host * threads, threads)) {
                            Ok(count) => _ = instructions.fetch_add(count, Ordering::Relaxed),
                            Err(error) => {
                                stop.store(true, Ordering::Relaxed);
                                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                                failed.get_or_insert(error);
                            }
                        }
                    }
                });
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(Statistics { groups, threads, instructions: instructions.into_inner() }),
        }
    }

    /// Runs the threads of a group, one after the other between barriers. Returns the number of instructions.
    fn group(&self, around: &Around<'_>, number: u64, (first, count): (u32, u32)) -> Result<u64, Error> {
        let [columns, rows, _] = self.grid.map(u64::from);
        let place = [number % columns, number / columns % rows, number / columns / rows];
        let group = place.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let shared = (self.shared > 0).then(|| Block::filled(self.shared as usize, 0));
        let mut threads = vec![];
        let barriers = self.loads_data().then(Barriers::default);
        for thread in 0..count {
            let start = self.start(group, thread, (first + thread, count))?;
            let mut made = Thread::new(Arc::clone(&self.program), start, shared.clone());
            if let Some(barriers) = &barriers {
                made = made.with_barriers(barriers.clone());
            }
            if self.trace {
                made.trace();
            }
            threads.push((thread, made));
        }
        let mut instructions = 0;
        while !threads.is_empty() {
            let mut fault = None;
            let before: u64 = threads.iter().map(|(_, thread)| thread.instructions()).sum();
            let (first, all) = (threads[0].0, threads.len());
            threads.retain_mut(|(number, thread)| {
                if fault.is_some() {
                    return true;
                }
                let left = self.budget.saturating_sub(thread.instructions());
                let stopped = match thread.run(around, left) {
                    Stop::Ended => {
                        instructions += thread.instructions();
                        return false;
                    }
                    Stop::Barrier => return true,
                    Stop::Dependency => {
                        thread.fault("it waits for another thread, on which none depends here")
                    }
                    Stop::Budget => thread
                        .fault(format!("{} instructions have run: is there an endless loop?", self.budget)),
                    Stop::Fault(fault) => fault,
                };
                fault = Some(self.fault(group, *number, stopped));
                true
            });
            if let Some(fault) = fault {
                return Err(fault);
            }
            let after: u64 = threads.iter().map(|(_, thread)| thread.instructions()).sum();
            if threads.len() == all && after == before {
                let waits = threads[0].1.fault("it waits at a barrier to which no other thread comes");
                return Err(self.fault(group, first, waits));
            }
        }
        Ok(instructions)
    }

    fn fault(&self, group: [u32; 3], thread: u32, fault: Fault) -> Error {
        Error::Fault { group, thread, fault: fault.from(self.lines.as_ref()) }
    }

    /// The registers of a thread: the header, the local ids, the data.
    fn start(
        &self,
        group: [u32; 3],
        thread: u32,
        (hardware_thread, count): (u32, u32),
    ) -> Result<Start, Error> {
        let machine = self.program.machine();
        let mut registers = vec![0; machine.bytes()];
        let scratch = match self.scratch {
            0 => 0,
            _ if self.loads_data() => SCRATCH_STATE << 4,
            bytes => bytes * hardware_thread,
        };
        // Newer generations have the location of the data and the number in the group here.
        let (payload, number) =
            if self.loads_data() { (PAYLOAD, thread | count.min(255) << 24) } else { (0, 0) };
        let header = [payload, group[0], number, 0, 0, scratch, group[1], group[2]];
        for (bytes, dword) in registers.chunks_exact_mut(4).zip(header) {
            bytes.copy_from_slice(&dword.to_le_bytes());
        }
        let mut first = 1;
        // Threads of vector compute also load their ids themselves.
        if self.local_ids && !(self.loads_data() && self.simd == 1) {
            let ids = self.ids(thread);
            let place = registers.get_mut(first * machine.register_bytes()..).unwrap_or_default();
            place.iter_mut().zip(&ids).for_each(|(place, byte)| *place = *byte);
            first += ids.len() / machine.register_bytes();
        }
        let inline = if self.loads_data() { self.inline_data.min(self.data.len()) } else { self.data.len() };
        let start = first * machine.register_bytes();
        let data = registers.get_mut(start..start + inline);
        data.ok_or(Error::Data { bytes: self.data.len() })?.copy_from_slice(&self.data[..inline]);
        let items: u32 = self.local.iter().product();
        let mask = if self.simd == 1 {
            u32::MAX
        } else {
            u32::MAX >> (32 - self.simd.min(items - thread * self.simd))
        };
        Ok(Start { registers, mask, hardware_thread, in_group: thread, group })
    }

    /// The scratch space of all threads. Since Xe-HPG, its surface has two states; Intel's compiler uses the
    /// second one for spills.
    fn scratch_surface<'w>(&self, world: &'w World, state: u32) -> Option<Surface<'w>> {
        if self.scratch == 0 || ![SCRATCH_STATE, SCRATCH_STATE + 64].contains(&state) {
            return None;
        }
        let bytes = world.at(SCRATCH)?;
        let threads = u32::try_from(bytes.len()).unwrap_or(u32::MAX) / self.scratch;
        let shape = Shape {
            kind: SurfaceKind::Scratch,
            pitch: self.scratch,
            width: threads,
            ..Shape::buffer(self.scratch)
        };
        Some(shape.surface(bytes, SCRATCH))
    }

    /// Whether threads load their data from memory, as since Xe-HPG.
    fn loads_data(&self) -> bool {
        self.program.machine().generation >= Generation::XeHpg
    }

    /// The data of the threads of a group in memory: the shared data, and for vector compute the ids of each
    /// thread.
    fn payload(&self, threads: u32) -> Vec<u8> {
        let mut payload = self.data.get(self.inline_data..).unwrap_or_default().to_vec();
        // The compiler assumes at least 32 bytes.
        payload.resize(payload.len().next_multiple_of(32).max(32), 0);
        for thread in 0..threads {
            payload.extend(self.ids(thread));
        }
        // Threads load zeros beyond the data.
        payload.resize(payload.len() + 4096, 0);
        payload
    }

    /// The local ids of the work items of a thread, in registers.
    fn ids(&self, thread: u32) -> Vec<u8> {
        let [columns, rows, _] = self.local;
        let bytes = self.program.machine().register_bytes();
        // With vector compute, the three ids of the only item are in one register.
        let (step, count) = match self.simd {
            1 => (2, 1),
            simd => {
                let step = (simd as usize * 2).next_multiple_of(bytes);
                (step, step / bytes * 3)
            }
        };
        let mut ids = vec![0; count * bytes];
        for item in 0..self.simd {
            let n = thread * self.simd + item;
            for (dimension, id) in
                [n % columns, n / columns % rows, n / columns / rows].into_iter().enumerate()
            {
                let at = dimension * step + item as usize * 2;
                ids[at..at + 2].copy_from_slice(&(id as u16).to_le_bytes());
            }
        }
        ids
    }
}
